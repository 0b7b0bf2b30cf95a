#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# OnAir on the emulated board, with kernel drivers for camera (vivid), microphone (snd-aloop), buttons and lamps
# (gpio-sim): it lists them, puts them on air, survives their loss and each kind of fault, and obeys the buttons.
# The emulated processor is slow: only events, their order and what the server received count, not how long it took.
# slots: 4
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

start_server
cat >"$work/box" <<'END'
set -u
failures=0
page=127.0.0.1:8080
wires=
for line in button button2 lamp-red lamp-green lamp-blue; do wires="$wires $line=$(devices folder $line)"; done

ok() { echo "ok      10-box: $*"; }
miss() { echo "FAILED  10-box: $*"; failures=$((failures + 1)); }

# Asks OnAir through its socket.
api() { # PATH [CURL OPTION...]
  path=$1
  shift
  curl -s --unix-socket "/tmp/state-$key/control" "$@" "http://onair/api/$path"
}

# Starts OnAir with the events of its page in /tmp/events.
run() { # KEY SETTING...
  key=$1
  shift
  arguments=
  for setting in "$@"; do arguments="$arguments --set $setting"; done
  # The encoder is not measured, which would take minutes.
  owner=root
  [ -z "$as" ] || owner=onair
  install -d -m 700 -o $owner "/tmp/state-$key"
  echo "$SPEED" >/tmp/speed.json
  install -m 600 -o $owner /tmp/speed.json "/tmp/state-$key/speed.json"
  $as ./onair run --set "publish.url=$URL" --set "publish.key=$key" --set state.directory=/tmp/state-$key \
    --set page.listen=$page --set panel.chip=onair-sim --set panel.button=button --set panel.second_button=button2 \
    --set panel.lamp_red=lamp-red --set panel.lamp_green=lamp-green --set panel.lamp_blue=lamp-blue \
    --set video.source=camera --set audio.source=microphone --set video.size=320x180 --set video.fps=10 \
    --set video.bitrate_kbps=300 --set video.speed=superfast --set audio.channels=1 --set audio.bitrate_kbps=64 \
    $arguments >"$OUT/$key.log" 2>&1 &
  onair=$!
  : >/tmp/events
  mark=0
  (until api events -N -H 'Last-Event-ID: 0' >/tmp/events; do sleep 0.2; done) &
  listener=$!
}
stop() {
  kill $listener 2>/dev/null || true
  kill -INT $onair
  wait $onair || miss "$key: OnAir ended with $?"
}

# From here on, ignore all earlier events.
mark() { mark=$(wc -l </tmp/events); }
found() { tail -n +$((mark + 1)) /tmp/events | grep -m 1 -E -- "$1"; }
wait_for() { # COMMAND...
  tries=1200
  until "$@" >/dev/null; do
    sleep 0.5
    tries=$((tries - 1))
    [ $tries -gt 0 ] || return 1
  done
}
# Waits for an event with this code and subject after the mark.
expect() { # WHAT CODE [SUBJECT]
  if wait_for found "\"code\":\"$2\".*${3:+\"subject\":\"$3\"}"; then
    ok "$1: $2${3:+ of $3}"
  else
    miss "$1: no event $2${3:+ of $3} in:"
    tail -n +$((mark + 1)) /tmp/events | grep '^data'
    tail -n 5 "$OUT/$key.log"
  fi
}
has_status() { api status | grep -E -- "$1"; }
expect_status() { # WHAT PATTERN
  if wait_for has_status "$2"; then ok "$1: $2"; else miss "$1: not $2 but $(api status)"; fi
}
expect_lamp() { # LAMP
  lit() { [ "$(devices value "lamp-$1")" = 1 ]; }
  if wait_for lit "$1"; then ok "the $1 lamp is lit"; else miss "the $1 lamp is dark"; fi
}
# At the highest priority: a press that is delayed by other processes would become a long press.
press() { printf '%s\n' "down $1" "wait $2" "up $1" | chrt -f 40 ./hand - - - 0 $wires >/dev/null; }

camera_device() { ls /dev/video* | head -n 1; }
set_control() { v4l2-ctl -d "$(camera_device)" -c "$1"; }
play() {
  speaker-test -D "plughw:$(aplay -l | sed -n 's/^card \([0-9]*\): Loopback.*/\1/p;q'),0,0" -t sine -f 440 -c 2 >/dev/null 2>&1 &
  player=$!
}

# --- The list of devices ---
./onair devices | tee "$OUT/devices.txt"
./onair devices --json >"$OUT/devices.json"

# --- Nothing is plugged in; then everything is ---
as=
devices down camera
devices down sound
run box publish.autostart=resume
expect_status 'off air at first' '"lamp":"off_air"'
press button 2300
expect 'a long press' started
expect 'no camera' device_lost video
expect 'no microphone' device_lost audio
expect 'the server' publishing
mark
# This input may lose its signal, as that of an HDMI grabber does.
devices up camera n_devs=1 node_types=0x1 num_inputs=1 input_types=0x3
expect 'plugged in' device_back video
v4l2-ctl -d "$(camera_device)" -c test_pattern=0 || true
devices up sound
play
expect 'plugged in' device_back audio
expect_status 'live' '"lamp":"live"'
expect_lamp green

# --- Each kind of fault that the drivers offer ---
fault() { # WHAT SUBJECT COMMAND [COMMAND-THAT-ENDS-IT]
  mark
  eval "$3"
  expect "$1" device_lost "$2"
  if [ -n "${4:-}" ]; then
    sleep 2
    eval "$4"
  fi
  expect "$1" device_back "$2"
  sleep 1
}
set_control inject_v4l2_buf_flag_error=1
fault 'buffers refused at the start' video \
  'set_control inject_vidioc_reqbufs_error=1; set_control inject_fatal_streaming_error=1'
fault 'no signal' video 'set_control dv_timings_signal_mode=1' 'set_control dv_timings_signal_mode=0'
fault 'no good frames' video 'set_control percentage_of_dropped_buffers=100' 'set_control percentage_of_dropped_buffers=0'
fault 'disconnected' video 'set_control disconnect=1'
# While a process has the old device open, its number stays in use.
fault 'the driver unbound, and bound under another number' video \
  'sleep 20 </dev/video0 & holder=$!; sleep 0.3; echo vivid.0 >/sys/bus/platform/drivers/vivid/unbind' \
  'echo vivid.0 >/sys/bus/platform/drivers/vivid/bind; udevadm settle'
kill $holder 2>/dev/null || true
fault 'the sound card unbound, and bound again' audio \
  'kill $player; echo snd_aloop.0 >/sys/bus/platform/drivers/snd_aloop/unbind' \
  'echo snd_aloop.0 >/sys/bus/platform/drivers/snd_aloop/bind; udevadm settle; play'

# --- The buttons, and a pause that closes the camera ---
holds_camera() { ls -l "/proc/$onair/fd" | grep '/dev/video'; }
holds_no_camera() { ! holds_camera; }
api settings -X PATCH -H 'Content-Type: application/json' -d '{"pause.release_camera": true}' >/dev/null
# Pauses, looks whether anything is told of the camera from then on, and resumes.
pause_and_release() {
  mark
  press button 200
  expect 'a press' paused
  expect_status 'paused' '"lamp":"paused"'
  expect_lamp blue
  expect_status 'the camera in the pause' '"camera":"released"'
  if wait_for holds_no_camera; then ok 'the camera is closed in the pause'; else miss "open in the pause: $(holds_camera)"; fi
  sleep 3
  told=$(found '"subject":"video"')
  press button 200
  expect 'a press while paused' resumed
  expect_status 'live again' '"lamp":"live"'
  expect_lamp green
}
# A starved processor can lose the camera as the button is pressed, which is told rightly, but not in each of three pauses.
for _ in 1 2 3; do
  pause_and_release
  [ -n "$told" ] || break
done
if [ -z "$told" ]; then ok 'nothing is told of it'; else miss "a camera that was closed on purpose is told as a fault: $told"; fi
if holds_camera; then ok 'the camera is open again'; else miss 'live without the camera'; fi
press button2 200
expect 'the second button' muted
press button2 200
expect 'the second button again' unmuted
press button 2300
expect 'a long press' ended
expect_status 'off air' '"lamp":"off_air"'
mark
press button 2300
expect 'a long press off air' started
expect_status 'live' '"lamp":"live"'
sleep 4
v4l2-ctl -d "$(camera_device)" -c test_pattern=0 || true
sleep 3
stop

# --- Forbidden, then busy, then free; a button that is down at the start; no network, then one ---
chmod 600 /dev/video* /dev/snd/pcm* /dev/snd/control*
chown root /dev/video* /dev/snd/*
chown onair .
v4l2-ctl -d "$(camera_device)" --stream-mmap --stream-count=100000 >/dev/null 2>&1 &
camera_holder=$!
arecord -q -D hw:Loopback,1,0 -f S16_LE -r 48000 -c 2 /dev/null &
microphone_holder=$!
devices press button
ip link set eth0 down
# With the rights of systemd/onair.service: no capability, a user namespace, devices by group, SCHED_FIFO by its limit.
as='prlimit --rtprio=20:20 setpriv --reuid onair --regid onair --init-groups --bounding-set=-all --inh-caps=-all'
as="$as --no-new-privs unshare --user"
# OnAir's own pull-up would override the pull of gpio-sim.
run again publish.autostart=always panel.buttons_bias=as-is "video.source=camera:$(camera_device)" audio.source=microphone:hw:Loopback,1,0
expect 'a button that is down at the start' button_stuck
expect 'forbidden' device_forbidden video
expect 'forbidden' device_forbidden audio
expect 'no network' connect_failed
mark
devices release button
expect 'released' button_released
chmod 660 /dev/video* /dev/snd/*
expect 'used by another program' device_busy video
expect 'used by another program' device_busy audio
kill $camera_holder $microphone_holder
expect 'free' device_back video
expect 'free' device_back audio
ip link set eth0 up
ip route replace default via 10.0.2.2
expect 'the network is back' publishing
expect_status 'live' '"lamp":"live"'
for thread in 'camera 20' 'microphone 20' 'panel 20' 'rtmp main 10'; do
  if ps -L -p $onair -o comm=,cls=,rtprio= | tr -s ' ' | grep -q "^${thread% *} FF ${thread##* }\$"; then
    ok "SCHED_FIFO without privileges: $thread"
  else
    miss "not SCHED_FIFO: $thread in $(ps -L -p $onair -o comm=,cls=,rtprio=)"
  fi
done
expect_status 'the camera is shown' '"video":"camera'
sleep 4
stop
kill $player 2>/dev/null || true
exit $((failures > 0))
END
run_on_board --timeout 1700 --env "URL=rtmp://10.0.2.2:$rtmp_port/live" --env "SPEED=$board_speed" --out "$work/out" "$work/box" \
  "$root/Tests/Board/hand.c" || miss "the board's script failed ($?)"
sleep 0.5

for pattern in '/dev/video0  vivid' 'YUYV' '640x360 at .*30' 'hw:0,0  Loopback' '48000' 'S16_LE' \
  'onair-sim, .* lines' 'button  input' 'lamp-red  '; do
  if grep -qE -- "$pattern" "$work/out/devices.txt"; then ok "listed: $pattern"; else miss "not listed: \"$pattern\""; fi
done
grep -q '"gpioChips" : \[' "$work/out/devices.json" || miss 'no JSON'

# The first broadcast went through all faults on one connection, and showed stills; the second ended with the camera.
mapfile -t files < <(find "$work/platform/recorded" -name 'box-*.flv' -printf '%T@ %p\n' | sort -n | cut -d ' ' -f 2-)
if ((${#files[@]} == 2)); then ok 'one connection for each broadcast'; else miss "${#files[@]} connections for two broadcasts"; fi
# At this size Tests/scenes cannot tell the two stills apart: four times no camera and once a pause at least.
ffmpeg -v error -i "$root/Sources/Video/Stills/no-camera.png" -vf scale=320:180:flags=area "$work/still.png"
count=$("$root/Tests/scenes" "${files[0]}" "$work/still.png" | grep -c '^still') || true
if ((count >= 5)); then ok "a still was shown $count times"; else miss "a still was shown only $count times"; fi
if "$root/board/received" "${files[0]}" --check --size 320x180 >"$work/said" 2>&1; then
  ok "$(head -n 1 "$work/said")"
else
  miss "$(<"$work/said")"
fi
for key in box again; do
  expect_received "$key" --size 320x180
  seconds=$(received_value "$key" seconds)
  # The red and blue of vivid's colour bars, in one of the last pictures: a starved processor loses the camera for moments.
  for before in 0.7 1.5 2.5 3.5; do
    (expect_pixels "$key" "$(awk -v a="${seconds:-1}" -v b=$before 'BEGIN { print a - b }')" 20 \
      220,172=191,0,0 260,172=0,0,191) >"$work/said"
    ! grep -q '^ok' "$work/said" || break
  done
  if grep '^ok' "$work/said"; then :; else miss "$key: no colour bars in the last seconds: $(<"$work/said")"; fi
  figure "$key: frames per second" "$(received_value "$key" fps)" 9 11
done
conclude
