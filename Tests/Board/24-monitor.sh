#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Headphones at the emulated board (snd-aloop, which records what they play): they play the microphone, are unplugged and plugged
# in again without a gap in the broadcast, then play what viewers hear, and are silent in a pause, which the status tells, and
# heard again after it.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

start_server
cat >"$work/phones" <<'END'
set -u
tries_left=1200
api() { curl -s --unix-socket /tmp/state/control "http://onair/api/$1"; }
until_status() {
  until api status | grep -qE -- "$1"; do
    sleep 0.5
    tries_left=$((tries_left - 1))
    [ $tries_left -gt 0 ] || { echo "no $1 in $(api status)"; tail -n 5 "$OUT/onair.log"; exit 1; }
  done
}
# The headphones are among the last fields, after their device.
until_phones() { until_status "\"monitor\":\{[^}]*\"state\":\"($1)\""; }
listen() { # NAME SECONDS
  api status >"$OUT/$1.status"
  arecord -q -D plughw:Phones,1,0 -f S16_LE -r 48000 -c 1 -d "$2" "$OUT/$1.wav" || echo "arecord ended with $?"
}
# The board's usual devices.
devices down camera
devices down sound
modprobe snd-aloop index=0,1 enable=1,1 id=First,Phones || exit 1
udevadm settle
./beat - hw:First,0,0 100000 &
install -d -m 700 /tmp/state
(umask 077 && echo "$SPEED" >/tmp/state/speed.json)
./onair run --set "publish.url=$URL" --set publish.key=phones --set state.directory=/tmp/state --set page.listen= \
  --set video.source=none --set audio.channels=2 --set audio.bitrate_kbps=128 --set audio.source=microphone:hw:First,1,0 \
  --set audio.monitor=hw:Phones,0,0 --set publish.autostart=always >"$OUT/onair.log" 2>&1 &
onair=$!
until_status '"lamp":"live"'
hear() { # SOURCE
  ./onair set audio.monitor_source "$1" --set state.directory=/tmp/state >/dev/null || echo 'the setting is not taken'
  until_status "\"source\":\"$1\""
  until_phones on
  sleep 2
}
hear main
listen voice 10
echo snd_aloop.1 >/sys/bus/platform/drivers/snd_aloop/unbind
until_phones 'lost|missing'
sleep 5
api status >"$OUT/unplugged.status"
echo snd_aloop.1 >/sys/bus/platform/drivers/snd_aloop/bind
udevadm settle
until_phones on
sleep 2
listen again 6
hear programme
listen programme 10
./onair pause --set state.directory=/tmp/state >/dev/null || echo 'no pause'
until_phones private
sleep 1
listen paused 5
./onair resume --set state.directory=/tmp/state >/dev/null
until_phones on
sleep 2
listen resumed 4
kill -INT $onair
wait $onair
END
run_on_board --steady --timeout 1500 --env "URL=rtmp://10.0.2.2:$rtmp_port/live" --env "SPEED=${board_speed/2 ×/1 ×}" --out "$work/out" \
  "$work/phones" "$root/Tests/Board/beat.c" >"$work/said" 2>&1 || miss "the board's script failed ($?)"
cat "$work/said"
sleep 0.5

# Of the sound of a file: how many beeps, the longest time between two, their frequency, and the largest sample. The
# frequency is that of most periods: a player that lacks samples for a moment on a slow machine leaves a beep with a hole, which
# is a beep of that frequency all the same.
look() { # FILE
  ffmpeg -nostdin -v error -i "${1:-/nothing/recorded}" -vn -ac 1 -ar 48000 -f s16le - | /usr/bin/python3 -c '
import array, sys
samples = array.array("h")
samples.frombytes(sys.stdin.buffer.read())
begins, periods, quiet = [], [], 48_000
for i, sample in enumerate(samples):
    if abs(sample) < 1_500:
        quiet += 1
        continue
    if quiet > 24_000:
        begins.append(i / 48_000)
        beep = samples[i:i + 4_000]
        crossings = [at for at, (a, b) in enumerate(zip(beep, beep[1:])) if a < 0 <= b]
        periods += [b - a for a, b in zip(crossings, crossings[1:])]
    quiet = 0
steps = [b - a for a, b in zip(begins, begins[1:])]
periods.sort()
hertz = 48_000 // periods[len(periods) // 2] if periods else 0
print(len(begins), f"{max(steps, default=0):.3f}", hertz, max(map(abs, samples), default=-1))'
}
expect_beeps() { # NAME FILE COUNT
  local count longest hertz loudest
  read -r count longest hertz loudest < <(look "$2") || true
  if ((${count:-0} >= $3)) && ((${hertz:-0} > 950 && ${hertz:-0} < 1050)) && awk -v a="$longest" 'BEGIN { exit !(a < 1.05) }'; then
    ok "$1: $count beeps of $hertz Hz, $longest s apart at most"
  else
    miss "$1: ${count:-0} beeps of ${hertz:-0} Hz, ${longest:-?} s apart at most, peak ${loudest:-?}"
  fi
}
expect_beeps 'the headphones with the microphone' "$work/out/voice.wav" 8
expect_beeps 'the headphones plugged in again' "$work/out/again.wav" 4
expect_beeps 'the headphones with what viewers hear' "$work/out/programme.wav" 8
read -r _ _ _ loudest < <(look "$work/out/paused.wav") || true
if [[ ${loudest:-none} == 0 ]]; then ok 'the headphones are silent in a pause'; else miss "a pause on the headphones: ${loudest:-nothing}"; fi
expect_beeps 'the headphones after the pause' "$work/out/resumed.wav" 3
delay() { sed -nE 's/.*"monitor":\{[^}]*"delay_ms":([0-9]+).*/\1/p' "$work/out/$1.status"; }
figure 'ms from the microphone to the headphones' "$(delay voice)" 0 60
figure 'ms from the microphone to the headphones, plugged in again' "$(delay again)" 0 60
figure 'ms from the microphone to the headphones, with what viewers hear' "$(delay programme)" 0 150
if grep -q '"lamp":"live"' "$work/out/unplugged.status"; then ok 'live without headphones'; else miss "not live: $(<"$work/out/unplugged.status")"; fi
# The stream, up to the pause.
ffmpeg -nostdin -v error -y -i "$(recording phones)" -vn -af 'silenceremove=start_periods=1:start_threshold=-30dB' -t 33 "$work/stream.wav"
expect_beeps 'the stream' "$work/stream.wav" 31
if (($(grep -ac 'Connecting to' "$work/out/onair.log") == 1)); then ok 'the broadcast has not ended'; else
  miss "not one connection: $(grep -a 'onnecting' "$work/out/onair.log")"; fi
conclude
