#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The contract of the command line: exit codes, signals, output, and that no secret is printed.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# Runs the program and compares its exit code and its output.
expect_exit() { # CODE PATTERN ARGUMENT…
  local code=$1 pattern=$2 status=0 said
  shift 2
  said=$(timeout "$patience" "$onair" "$@" 2>&1 </dev/null) || status=$?
  if ((status == code)) && grep -qE -- "$pattern" <<<"$said"; then
    ok "$code for: onair $*"
  else
    miss "onair $*: exit $status, not $code; said: $said"
  fi
}

cat >"$work/right.toml" <<'END'
[video]
source = "pattern"
[audio]
source = "tone"
[publish]
url = "rtmp://127.0.0.1:9/live"
key = "s3cret-K3Y"
END
printf '[video]\nsize = "640x360"\n[state]\ndirectory = "%s"\n' "$work/no-state" >"$work/sized.toml"
cat >"$work/wrong.toml" <<'END'
[video]
fsp = 25
size = "1281x720"
[publish]
key = "s3cret-K3Y"
url = "http://example.org/s3cret-K3Y"
END

expect_exit 0 '^[0-9]+\.[0-9]+\.[0-9]+$' --version
expect_exit 0 'video.size = "1280x720"' settings
expect_exit 0 '"key": "video.fps"' settings --json
expect_exit 0 'Cameras' devices
expect_exit 0 '"cameras"' devices --json
expect_exit 0 '"playback"' devices --json
expect_exit 0 '"gpio_chips"' devices --json
expect_exit 0 '"gpioChips"' devices --json
expect_exit 0 'settings are right' check --config "$work/right.toml"
expect_exit 0 '"ok" : true' check --json --config "$work/right.toml"
expect_exit 78 '"code" : "not_allowed"' check --json --config "$work/right.toml" --set video.fps=99
expect_exit 69 'cannot be read' check --json --config "$work/right.toml" --set audio.source=file:/none.wav
expect_exit 64 'Unknown option' run --colour
# A word that leads nowhere is never repeated: it may be the stream key. What was meant is told.
expect_exit 64 'did you mean "onair status"' statsu
expect_exit 64 'no such command. After "onair" comes one of .*start, stop' s3cret-K3Y
expect_exit 64 'did you mean "onair relay start"' relay strat second
expect_exit 64 'did you mean "onair network join"' network jion
expect_exit 64 'did you mean video.size' settings video.szie
expect_exit 64 'no such setting: "onair settings"' settings s3cret-K3Y
expect_exit 64 'read, .*admin' token add x --scope nope
for words in s3cret-K3Y 'relay s3cret-K3Y' 'settings s3cret-K3Y' 'pause s3cret-K3Y' 'statsu publish.key=s3cret-K3Y'; do
  # shellcheck disable=SC2086
  if { "$onair" $words 2>&1 || true; } | holds s3cret; then miss "a word was repeated: onair $words"; fi
done
expect_exit 0 '^video.size = "640x360"' settings video.size --config "$work/sized.toml"
expect_exit 0 'Default: "1280x720". The value is from the settings file' settings video --config "$work/sized.toml"
expect_exit 0 '"key": "video.size".*"value": "640x360"' settings video.size --json --config "$work/sized.toml"
# One run reports all problems.
mkdir -m 777 "$work/open"
for pattern in 'video.fps: ' 'no camera at /dev/video77' 'none.wav cannot be read' 'none.png is not there' "chmod 700 $work/open"; do
  expect_exit 78 "$pattern" check --config "$work/right.toml" --set video.fps=99 --set video.source=camera:/dev/video77 \
    --set audio.source=file:/none.wav --set pause.image=/none.png --set "state.directory=$work/open"
done
expect_exit 73 'Other users may write' run --config "$work/right.toml" --set "state.directory=$work/open"
expect_exit 66 "$work/none.toml" check --config "$work/none.toml"
expect_exit 66 "$work/none.toml" run --config "$work/none.toml"
expect_exit 66 '' check --config "$work"
expect_exit 69 'onair devices' check --config "$work/right.toml" --set video.source=camera:/dev/video77
expect_exit 69 "cannot be read" check --config "$work/right.toml" --set "audio.source=file:$work/none.wav"
expect_exit 78 "wrong.toml:2:1: video.fsp: .*video.fps" check --config "$work/wrong.toml"
expect_exit 78 "wrong.toml:3:1: video.size" run --config "$work/wrong.toml"
expect_exit 78 "wrong.toml:6:1: publish.url" run --config "$work/wrong.toml"
mkfifo "$work/fifo.mp4"
: >"$work/empty.mp4"
expect_exit 69 'not a file but a folder' check --config "$work/right.toml" --set "video.source=file:$work"
expect_exit 69 'not a file but a folder' check --config "$work/right.toml" --set "video.source=file:$work/fifo.mp4"
expect_exit 69 'is empty' check --config "$work/right.toml" --set "video.source=file:$work/empty.mp4"
for command in run check; do
  expect_exit 78 '^publish.url is not set' "$command" --set video.source=pattern --set publish.autostart=always
done
expect_exit 0 'settings are right' check --set video.source=pattern --set audio.source=tone \
  --set publish.url=rtmp://127.0.0.1:9/live --set publish.key=k
expect_exit 78 '^--set video.fps: ' check --config "$work/right.toml" --set video.fps=99
if { timeout "$patience" "$onair" check --config "$work/wrong.toml" 2>&1 || true; } | holds s3cret; then miss 'a secret was shown'; fi

# No secret in an error message about the command line either.
expect_exit 64 "publish.key=\*\*\*'" run publish.key=s3cret-K3Y
expect_exit 64 "Unexpected argument '\*\*\*'" run --set publish.key= s3cret-K3Y
for mistake in 'publish.key=s3cret-K3Y' '--set publish.key= s3cret-K3Y' 's3cret-K3Y more'; do
  # shellcheck disable=SC2086
  if { "$onair" run $mistake 2>&1 || true; } | holds s3cret; then miss 'a mistyped key was shown'; fi
done
# Sixty thousand mistakes are not reported one by one.
seq -f 'k%g = 1' 60000 >"$work/many.toml"
expect_exit 78 'and [0-9]* more' check --config "$work/many.toml"

# Only one running OnAir per state directory.
rtmp_port=9
go_on_air first video.source=pattern audio.source=none video.size=320x180
expect_status first '"lamp"'
# Nothing else has the processors of a box that is on the air.
expect_exit 1 'A broadcast is on the air' bench --set "state.directory=$work/state-first"
expect_exit 0 '^video.source = "pattern"' settings video.source --set "state.directory=$work/state-first"
expect_exit 1 'on_air|A broadcast is on the air' box restart --set "state.directory=$work/state-first"
# Commands work although another setting has a mistake.
printf '[video]\nfsp = 30\n[state]\ndirectory = "%s"\n' "$work/state-first" >"$work/mistake.toml"
expect_exit 0 'Paused' pause --config "$work/mistake.toml"
printf '[state]\ndirectory = %s\n' "$work/state-first" >"$work/mistake.toml"
expect_exit 78 'mistake.toml:2:' status --config "$work/mistake.toml"
expect_exit 75 'Another OnAir is running' run --config "$work/right.toml" --set "state.directory=$work/state-first"
go_off_air
expect_exit 73 'cannot be used' run --config "$work/right.toml" --set state.directory=/proc/onair

# The first thing that a new user needs to know.
know_speed "$work/state-page"
start "$work/page.log" "$onair" run --set "state.directory=$work/state-page" --set "page.listen=127.0.0.1:$((first_port + 8))"
wait_until grep -qF "The page is at http://127.0.0.1:$((first_port + 8))/." "$work/page.log" || miss "run does not say where the page is: $(<"$work/page.log")"
# Not as a service: the machine is not OnAir's.
expect_exit 1 'does not run as the service' box shutdown --set "state.directory=$work/state-page"
# The box has a name and a time zone.
"$onair" set box.name 'Town hall' box.zone Asia/Tokyo --set "state.directory=$work/state-page" >/dev/null
expect_exit 0 "^Box        Town hall, $(TZ=Asia/Tokyo date +%H):[0-5][0-9] \(Asia/Tokyo\)$" status --set "state.directory=$work/state-page"
expect_exit 78 'not in the list of time zones' set box.zone Europe/Atlantis --set "state.directory=$work/state-page"
# Settings to a file and back.
"$onair" set video.mirror true publish.url rtmp://127.0.0.1:9/live publish.key s3cret-K3Y --set "state.directory=$work/state-page" >/dev/null
"$onair" settings --export --set "state.directory=$work/state-page" >"$work/plain.toml"
"$onair" settings --export --with-secrets --set "state.directory=$work/state-page" <<<'three plain words' >"$work/sealed.txt"
if grep -q s3cret "$work/plain.toml" "$work/sealed.txt"; then miss 'a file of settings shows the stream key'; fi
"$onair" unset video.mirror publish.url publish.key --set "state.directory=$work/state-page" >/dev/null
said=$("$onair" settings --import "$work/sealed.txt" --set "state.directory=$work/state-page" <<<'another one' 2>&1) || true
if [[ $said == *'passphrase is not the one'* ]]; then ok 'a wrong passphrase is told'; else miss "with a wrong passphrase: $said"; fi
"$onair" settings --import "$work/sealed.txt" --set "state.directory=$work/state-page" <<<'three plain words' >"$work/said" 2>&1 || miss "$(<"$work/said")"
said=$("$onair" settings video.mirror publish.key --set "state.directory=$work/state-page")
if [[ $said == *'video.mirror = true'* && $said == *'publish.key = (set)'* ]]; then ok 'settings to a file and back'; else miss "$said"; fi
# "stop" answers when it counts.
"$onair" start --set "state.directory=$work/state-page" >/dev/null
is_on_air() { "$onair" status --json --set "state.directory=$work/state-page" | holds on_air_seconds; }
wait_until is_on_air || miss 'start: it is not on the air'
"$onair" stop --set "state.directory=$work/state-page" >/dev/null
expect_exit 0 '"broadcast" : "off"' status --json --set "state.directory=$work/state-page"
if is_on_air; then miss 'after stop it is on the air'; else ok 'stop has ended it'; fi
kill -INT -- "-$started"
wait_until is_gone "$started" || miss 'the page did not end'
end_group "$started" KILL 1

# Each signal ends OnAir in every state; SIGHUP does not under nohup.
signals=(INT TERM)
(((0x$(awk '/^SigIgn/ { print $2 }' /proc/self/status) & 1) == 1)) || signals+=(HUP)
sources=(pattern camera:/dev/video77 "file:$work/none.mp4" none)
for signal in "${signals[@]}"; do
  programs=()
  for index in "${!sources[@]}"; do
    go_on_air "stop$index" "video.source=${sources[index]}" audio.source=tone video.size=320x180
    programs+=("$program")
  done
  for index in "${!sources[@]}"; do wait_until status_has "stop$index" '"lamp"' || miss "$signal: no status"; done
  sleep 0.5
  since=$(milliseconds)
  for program in "${programs[@]}"; do kill -"$signal" "$program"; done
  for index in "${!sources[@]}"; do
    program=${programs[index]} status=0
    wait_until is_gone "$program" || kill -KILL "$program"
    wait "$program" || status=$?
    if ((status == 0)); then ok "$signal with ${sources[index]}"; else
      miss "$signal with ${sources[index]}: exit $status"; fi
    end_group "$program" KILL 1
  done
  figure "ms until $signal has ended them" $(($(milliseconds) - since)) 0 2000
done

# The settings files for boards are valid. This machine does not have their GPIO lines.
for file in "$root"/board/boards/*/onair.toml "$root/systemd/onair.toml"; do
  status=0
  said=$("$onair" check --config "$file" --set video.source=pattern --set audio.source=tone --set publish.key=k \
    --set publish.url=rtmp://127.0.0.1:9/live 2>&1) || status=$?
  if ((status == 0)) || { ((status == 69)) && ! grep -v -e '^\[panel\], ' -e '^Warning: ' <<<"$said"; }; then
    ok "${file#"$root"/}"
  else
    miss "${file#"$root"/}: exit $status, $said"
  fi
done
expect_exit 69 'pause.image: .*/none.png is not there' check --config "$work/right.toml" --set "pause.image=$work/none.png"
expect_exit 69 '^\[panel\], main button: ' check --config "$work/right.toml" --set panel.button=no-such-line
for wrong in panel.button=17 panel.debounce_ms=0 panel.second_task=dance page.listen=8080 page.listen=localhost:80; do
  status=0
  said=$("$onair" check --config "$root/systemd/onair.toml" --set video.source=pattern --set audio.source=tone \
    --set publish.key=k --set "$wrong" 2>&1) || status=$?
  if ((status == 78)) && [[ $said == *"${wrong%%=*}"* ]]; then ok "$wrong is refused"; else miss "$wrong: exit $status, $said"; fi
done

# If the standard descriptors are closed, the log is not written to another file.
timeout -s INT 5 "$onair" run --config "$work/right.toml" --set "state.directory=$work/state-bare" \
  <&- >&- 2>&- || true
if [[ -d $work/state-bare && -z $(find "$work/state-bare" -type f ! -name speed.json) ]]; then
  ok 'closed descriptors'
else
  miss 'with closed descriptors the log went into a file'
fi

# OnAir continues although nobody reads its log.
unset rtmp_port
start_server
mkfifo "$work/fifo"
ln -s "$work/fifo" "$work/quiet.log"
exec 5<>"$work/fifo"
head -c 65536 /dev/zero >&5 # the pipe is full
go_on_air quiet video.source=pattern audio.source=tone video.size=320x180 log.level=trace
expect_delivered quiet
sleep 4
go_off_air
expect_received quiet --min-seconds 2
conclude
