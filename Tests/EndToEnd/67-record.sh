#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Recordings: with the broadcast, by hand and without a network; a pause is the still, or left out; a power cut, a full disk,
# hostile names and 10,000 files.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# Asks the box over its socket.
api() { # KEY PATH [CURL-OPTION...]
  local key=$1 path=$2
  shift 2
  curl -s --max-time "$patience" --unix-socket "$work/state-$key/control" "$@" "http://onair/api/$path"
}
# The value of an expression over a JSON text on standard input, which is called j.
json() { python3 -c 'import json, sys; j = json.load(sys.stdin); print(eval(sys.argv[1]))' "$1"; }
# The film of a folder that was written last.
film() { find "$1" -name '[!.]*.mp4' -printf '%T@ %p\n' | sort -n | tail -n 1 | cut -d ' ' -f 2-; }
duration() { ffprobe -v error -show_entries format=duration -of csv=p=0 "$1"; }
expect_plays() { # FILE TEXT
  local said
  said=$(ffmpeg -nostdin -v error -xerror -i "$1" -fps_mode passthrough -enc_time_base -1 -f rawvideo -y /dev/null -vn -f s16le -y /dev/null 2>&1) || said+=' failed'
  if [[ -z $said ]]; then ok "$2: it plays, $(duration "$1") s"; else miss "$2: $said"; fi
}
expect_film_scenes() { # KEY FILE KINDS
  local kinds
  "$root/Tests/scenes" "$2" "$root/Sources/Video/Stills/pause.png" >"$work/$1.scenes"
  # A file source is silent until it has been opened.
  kinds=$(awk '{ print $1 }' "$work/$1.scenes" | paste -sd ' ' | sed -E 's/(still|camera) silence sound/\1 sound/')
  if [[ $kinds == "$3" ]]; then ok "$1: $(paste -sd ';' "$work/$1.scenes")"; else
    miss "$1: not \"$3\" but $(paste -sd ';' "$work/$1.scenes")"; fi
}
grows() { # KEY BYTES
  (($(api "$1" status | json 'j["record"].get("bytes", 0)') > $2))
}
bytes_of() { api "$1" status | json 'j["record"].get("bytes", 0)'; }

start_server
for folder in with cut killed small hostile; do mkdir "$work/$folder"; done
# Sound that never stops.
ffmpeg -nostdin -v error -f lavfi -i anoisesrc=d=60:a=0.5 -ac 1 "$work/noise.wav"
sources=(video.source=pattern "audio.source=file:$work/noise.wav" video.size=320x180)

# With the broadcast. A pause is the still and silence, and what viewers do not get is recorded.
go_on_air with "${sources[@]}" record.start=broadcast "record.directory=$work/with"
expect_delivered with
expect_status with '"by":"broadcast"'
sleep 3
ask with pause >/dev/null
expect_status with '"lamp":"paused"'
sleep 4
ask with resume >/dev/null
expect_status with '"lamp":"live"'
sleep 2
ok "$(ask with record mark)"
kill_server
expect_status with '"lamp":"reconnecting"'
before=$(bytes_of with)
wait_until grows with $((before + 50000)) || miss 'without a network nothing is recorded'
ask with record list >"$work/said"
if holds 'being recorded' <"$work/said"; then ok "$(<"$work/said")"; else miss "$(<"$work/said")"; fi
go_off_air
one=$(film "$work/with")
expect_plays "$one" 'the recording of a broadcast'
expect_film_scenes with "$one" 'camera still camera sound silence sound'
start_server

# By hand, with a name; the pause is left out.
go_on_air cut "${sources[@]}" pause.recording=cut "record.directory=$work/cut"
expect_delivered cut
began=$(milliseconds)
ask cut record start --name 'Übung 1' >/dev/null
expect_status cut '"state":"recording"'
sleep 3
ask cut pause >/dev/null
expect_status cut '"state":"paused"'
sleep 4
ask cut resume >/dev/null
expect_status cut '"lamp":"live"'
sleep 3
ask cut record stop >/dev/null
lasted=$(($(milliseconds) - began))
expect_line "$work/cut.log" 'The recording has ended: 1 file'
one=$(film "$work/cut")
# On a machine whose clock is not known to be set, it has no title.
[[ $one == *'Übung 1.mp4' || $one == */before-clock-000001.mp4 ]] || miss "its name is $one"
expect_plays "$one" 'a recording without the pause'
expect_film_scenes cut "$one" 'camera sound'
# The pause took at least four seconds, and its last frame may be as long as a fragment.
expect_at_most 'seconds of it' "$(duration "$one")" "$(awk -v ms="$lasted" 'BEGIN { print ms / 1000 - 3 }')"
marks=$(api cut recordings | json '[mark["kind"] for mark in j["recordings"][0]["marks"]]')
expect_equal 'its marks' "$marks" "['pause']"

# It is given in ranges, and kept, renamed, deleted and brought back.
id=$(api cut recordings | json 'j["recordings"][0]["id"]')
api cut "recordings/$id/file" -o "$work/whole"
api cut "recordings/$id/file" -o "$work/part" -H 'Range: bytes=1000-1999'
if cmp -s "$work/whole" "$one" && cmp -s <(tail -c +1001 "$one" | head -c 1000) "$work/part"; then
  ok 'a download, and a range of it'
else miss 'the download is another file'; fi
api cut "recordings/$id/picture" -o "$work/picture.jpg"
expect_equal 'the width of its picture' "$(ffprobe -v error -show_entries stream=width -of csv=p=0 "$work/picture.jpg")" 320
ok "$(ask cut record keep "$(basename "$one" .mp4)")"
ok "$(ask cut record rename "$id" 'First try')"
ok "$(ask cut record delete 'First try')"
expect_equal 'recordings' "$(api cut recordings | json 'j["count"]')" 0
go_off_air

# A power cut while recording, on and off air: the film plays up to two seconds before it, after the next start.
go_on_air killed "${sources[@]}" record.start=always "record.directory=$work/killed"
expect_delivered killed
expect_status killed '"by":"always"'
wait_until grows killed 100000 || miss 'it does not record'
since=$(api killed status | json 'j["record"]["seconds"]')
end_group "$program" KILL 1
go_on_air killed "${sources[@]}" "record.directory=$work/killed"
expect_line "$work/killed.log" '1 recording had not been finished'
one=$(film "$work/killed")
expect_plays "$one" 'after a power cut'
expect_at_least 'seconds of it' "$(duration "$one")" "$((since - 2))"
go_off_air

# Off air: the lamp has a rhythm of its own, and the camera is closed afterwards.
go_on_air killed "${sources[@]}" publish.autostart=never "record.directory=$work/killed"
expect_status killed '"lamp":"off_air"'
ask killed record start >/dev/null
expect_status killed '"lamp":"recording"'
expect_status killed '"off_air":true'
expect_status killed '"state":"recording"'
ask killed record stop >/dev/null
expect_status killed '"lamp":"off_air"'
go_off_air
expect_plays "$(film "$work/killed")" 'off air'

# A disk that is full: told, the broadcast goes on, and so does the recording when there is space.
if ((EUID == 0)) && unshare -m true 2>/dev/null; then
  real=$onair
  cat >"$work/inside" <<END
#!/bin/bash
exec unshare -m bash -c 'mount --make-rprivate / && mount -t tmpfs -o size=24m,mode=700 none "\$0" && exec "\$@"' "$work/small" "$real" "\$@"
END
  chmod +x "$work/inside"
  # A picture that fills the disk.
  ffmpeg -nostdin -v error -f lavfi -i testsrc2=s=640x360:r=30:d=5,noise=alls=90:allf=t -c:v libx264 -preset ultrafast -qp 28 \
    "$work/noise.mp4"
  know_speed "$work/state-small"
  onair=$work/inside
  go_on_air small "video.source=file:$work/noise.mp4" audio.source=tone video.size=640x360 video.bitrate_kbps=6000 video.speed=superfast \
    record.start=broadcast record.keep_free_mb=4 record.cut_mb=10 "record.directory=$work/small"
  onair=$real
  expect_delivered small
  expect_line "$work/small.log" 'room for .* only'
  expect_status small '"cause":"full"'
  expect_line "$work/small.log" 'Nothing can be recorded: the disk is full'
  expect_status small '"lamp":"live"'
  before=$(api small status | json 'j["destinations"][0]["sent_bytes"]')
  sends() { (($(api small status | json 'j["destinations"][0]["sent_bytes"]') > before + 500000)); }
  if wait_until sends; then ok 'the broadcast goes on'; else miss 'the broadcast does not go on'; fi
  id=$(api small recordings | json 'j["recordings"][-1]["id"]')
  api small "recordings/$id" -X DELETE >/dev/null
  expect_line "$work/small.log" 'It can be recorded again'
  expect_equal 'reconnects' "$(api small status | json 'j["destinations"][0]["reconnects"]')" 0
  go_off_air
fi

# Names and files that want to lead elsewhere.
go_on_air hostile "${sources[@]}" publish.autostart=never "record.directory=$work/hostile"
expect_status hostile '"place":"folder"'
ask hostile record start >/dev/null
expect_status hostile '"state":"recording"'
sleep 1
ask hostile record stop >/dev/null
expect_line "$work/hostile.log" 'The recording has ended'
one=$(film "$work/hostile")
cp "$one" "$work/outside.mp4"
(
  cd "$work/hostile"
  ln -s ../outside.mp4 link.mp4
  ln -s /etc/passwd passwd.mp4
  ln -s . loop.mp4
  ln -s missing.mp4 missing.mp4
  ln "$one" hard.mp4
  mkdir folder.mp4
  mkfifo pipe.mp4
  for number in {1..200}; do ln -s "../outside.mp4" "farm-$number.mp4"; done
  head -c 100000 /dev/urandom >noise.mp4
  : >empty.mp4
)
find "$work" -path "$work/hostile" -prune -o -path "$work/state-hostile" -prune -o -path "$work/platform" -prune -o -printf '%p %s %T@\n' | grep -v '\.log ' | sort >"$work/../before-$$"
expect_equal 'recordings' "$(api hostile recordings | json 'j["count"]')" 2
id=$(api hostile recordings | json 'j["recordings"][0]["id"]')
rename() { # NAME-IN-JSON
  local answer
  answer=$(api hostile "recordings/$id" -X PATCH -d "{\"name\": $1}")
  id=$(json 'j.get("id")' <<<"$answer")
  [[ $id != None ]] || id=$(api hostile recordings | json 'j["recordings"][0]["id"]')
}
long=$(printf 'ü%.0s' {1..127})
for evil in '"../../outside"' '"/etc/cron.d/x"' '"..\u0000x"' '"a\nb\u0007\u202e"' '".hidden"' '"."' '" "' '""' "\"$long\"" \
  '"link"' '"con:|?*<>"' '"日本語 😀"' '".onair-recordings"' '".deleted x"'; do
  rename "$evil"
done
for evil in '%2e%2e%2foutside' '..%2f..%2foutside' 'link.mp4' '%00' "$(printf 'a%.0s' {1..300})"; do
  status=$(api hostile "recordings/$evil/file" -o /dev/null -w '%{http_code}')
  [[ $status == 40[04] ]] || miss "recordings/$evil: $status"
done
find "$work" -path "$work/hostile" -prune -o -path "$work/state-hostile" -prune -o -path "$work/platform" -prune -o -printf '%p %s %T@\n' | grep -v '\.log ' | sort >"$work/../after-$$"
if diff "$work/../before-$$" "$work/../after-$$" >"$work/said"; then ok 'nothing outside of the folder has changed'; else
  miss "outside of the folder: $(<"$work/said")"; fi
rm -f "$work/../before-$$" "$work/../after-$$"
expect_equal 'recordings' "$(api hostile recordings | json 'j["count"]')" 2
expect_equal 'names' "$(api hostile recordings | json '[r["file"] for r in j["recordings"] if "/" in r["file"] or any(ord(c) < 32 for c in r["file"])]')" '[]'

# 10,000 recordings.
for number in {1..10000}; do echo "$number"; done | (cd "$work/hostile" && xargs -I{} ln ../outside.mp4 many-{}.mp4)
since=$(milliseconds)
expect_equal 'many recordings' "$(api hostile 'recordings?limit=1000' | json 'j["count"], len(j["recordings"]), j["more"]')" '(10002, 1000, True)'
figure 'first list of 10,000, ms' $(($(milliseconds) - since)) 0 20000
since=$(milliseconds)
api hostile 'recordings?limit=200' >/dev/null
figure 'next list of 10,000, ms' $(($(milliseconds) - since)) 0 3000
expect_equal 'all of them' "$(ask hostile record list | wc -l)" 10002
go_off_air
conclude
