#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# One broadcast through every fault that the drivers of camera and microphone can simulate, and with the drivers
# unbound and bound again under other numbers: the connection stays, each fault is reported, and the device is used
# again. Figures: how soon after its return, at most 2 s.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

start_server
cat >"$work/faults" <<'END'
set -u
misses=0
log=/tmp/log
: >$log
devices down camera
# A webcam's input always has a signal, an HDMI input may have none.
devices up camera n_devs=1 node_types=0x1 num_inputs=1 input_types=0x3
set_control() { v4l2-ctl -d "$(ls /dev/video* | head -n 1)" -c "$1"; }
play() {
  speaker-test -D "plughw:$(aplay -l | sed -n 's/^card \([0-9]*\): Loopback.*/\1/p;q'),0,0" -t sine -f 440 -c 2 >/dev/null 2>&1 &
  player=$!
}
play
./onair run --set "publish.url=$URL" --set publish.key=faults --set state.directory=/tmp/state --set publish.autostart=always \
  --set video.source=camera --set audio.source=microphone --set video.size=320x180 --set video.fps=15 \
  --set video.bitrate_kbps=400 --set video.speed=superfast --set audio.channels=1 --set audio.bitrate_kbps=64 >$log 2>&1 &
onair=$!
now() { cut -d ' ' -f 1 /proc/uptime; }
# Waits for a line after the first LINES of the log, and prints after how many milliseconds it came.
after() { # LINES PATTERN SECONDS
  begun=$(now)
  until tail -n +$(($1 + 1)) $log | grep -qE -- "$2"; do
    if awk -v a="$begun" -v b="$(now)" -v limit="$3" 'BEGIN { exit !(b - a > limit) }'; then return 1; fi
    sleep 0.05
  done
  awk -v a="$begun" -v b="$(now)" 'BEGIN { printf "%d", (b - a) * 1000 }'
}
fault() { # NAME PATTERN COMMAND [COMMAND-OF-RETURN]
  lines=$(wc -l <$log)
  eval "$3"
  if [ -n "$2" ]; then
    if after "$lines" "$2" 60 >/dev/null; then
      echo "ok      faults: $1: $(tail -n +$((lines + 1)) $log | grep -E -m 1 -- "$2" | cut -c 10-)"
    else
      echo "FAILED  faults: $1: no \"$2\" within 60 s in:"
      tail -n +$((lines + 1)) $log
      misses=$((misses + 1))
    fi
  fi
  if [ -n "${4:-}" ]; then
    sleep 2
    lines=$(wc -l <$log)
    eval "$4"
  fi
  if [ -n "$2" ]; then
    if took=$(after "$lines" "$back" 60); then
      slow=
      [ "$took" -le 2000 ] || slow='  slow (expected at most 2000)'
      echo "figure  80-faults/$1: back after ms  $took$slow"
    else
      echo "FAILED  faults: $1: not back within 60 s; the log:"
      tail -n +$((lines + 1)) $log
      misses=$((misses + 1))
    fi
  fi
  sleep 2
}
back='Picture: vivid .*320x180'
after 0 "$back" 10 >/dev/null || cat $log
sleep 3
fault 'one bad buffer' '' 'set_control inject_v4l2_buf_flag_error=1'
fault 'a buffer refused' '' 'set_control inject_vidioc_qbuf_error=1'
fault 'a third of the buffers dropped' '' 'set_control percentage_of_dropped_buffers=33' 'set_control percentage_of_dropped_buffers=0'
fault 'a fatal streaming error' 'warning: Picture: .*' 'set_control inject_fatal_streaming_error=1'
fault 'buffers refused at the start' 'warning: Picture: .*' 'set_control inject_vidioc_reqbufs_error=1; set_control inject_fatal_streaming_error=1'
fault 'the start refused' 'warning: Picture: .*' 'set_control inject_vidioc_streamon_error=1; set_control inject_fatal_streaming_error=1'
fault 'no signal' 'Picture: .*(signal|no good picture)' 'set_control dv_timings_signal_mode=1' 'set_control dv_timings_signal_mode=0'
fault 'nothing but dropped buffers' 'warning: Picture: .*' 'set_control percentage_of_dropped_buffers=100' 'set_control percentage_of_dropped_buffers=0'
# The device works again when it is reopened.
fault 'disconnected' 'Picture: .*unplugged' 'set_control disconnect=1'
# While a process has the old device open, its number stays in use.
fault 'the driver unbound, and bound under another number' 'Picture: .*(unplugged|no camera)' \
  'sleep 20 </dev/video0 & holder=$!; sleep 0.3; echo vivid.0 >/sys/bus/platform/drivers/vivid/unbind' \
  'echo vivid.0 >/sys/bus/platform/drivers/vivid/bind; udevadm settle'
ls /dev/video*
kill $holder 2>/dev/null || true
back='Sound: .*Hz'
fault 'the sound card unbound, and bound again' 'warning: Sound: .*' \
  'kill $player; echo snd_aloop.0 >/sys/bus/platform/drivers/snd_aloop/unbind' \
  'echo snd_aloop.0 >/sys/bus/platform/drivers/snd_aloop/bind; udevadm settle; play'
cp $log "$OUT/faults.log"
kill -INT $onair
wait $onair
kill $player 2>/dev/null || true
exit $misses
END
run_on_board --timeout 900 --env "URL=rtmp://10.0.2.2:$rtmp_port/live" --out "$work/out" "$work/faults" ||
  miss "$? of the board's checks failed"
sleep 0.5
files=("$work"/platform/recorded/faults-*.flv)
if ((${#files[@]} == 1)); then ok 'one connection throughout'; else miss "${#files[@]} connections"; fi
ffmpeg -v error -i "$root/Sources/Video/Stills/no-camera.png" -vf scale=320:180:flags=area "$work/small.png"
"$root/Tests/scenes" "${files[0]}" "$work/small.png" >"$work/scenes"
stills=$(grep -c '^still' "$work/scenes" || true)
if ((stills >= 6)); then ok "$stills times the no-camera still"; else miss "$stills times the no-camera still: $(<"$work/scenes")"; fi
# A still has 5 frames per second.
figure 'longest step ms' "$(received_value faults longest_step_ms)" 0 410
figure 'longest audio step ms' "$(received_value faults sound_longest_step_ms)" 0 60
expect_received faults --max-av-ms 3000
conclude
