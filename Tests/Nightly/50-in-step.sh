#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# slots: 5
#
# Video and audio stay in step although the clock of the sound device is off: vivid flashes and snd-aloop beeps at the
# same instants (beat.c). The clock of snd-aloop is 200 ppm slow on one board and 200 ppm fast on a second one.
# SECONDS_ON_AIR and SHIFTS (in units of 10 ppm, one board each) may be set.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

seconds=${SECONDS_ON_AIR:-180}
read -ra shifts <<<"${SHIFTS:-20 -20}"
start_server
cat >"$work/step" <<'END'
set -eu
v4l2-ctl -c test_pattern=5,osd_text_mode=2,timestamp_source=1 # black; stamps of the start of exposure
amixer -q -c Loopback cset iface=PCM,name='PCM Rate Shift 100000',device=1 $((100000 + SHIFT))
chrt -f 40 ./beat /dev/video0 hw:Loopback,0,0 1000000 &
beat=$!
sleep 1
./onair run --set "publish.url=$URL" --set "publish.key=shift$SHIFT" --set state.directory=/tmp/state --set publish.autostart=always \
  --set video.source=camera --set audio.source=microphone:hw:Loopback,1,0 \
  --set video.size=160x90 --set video.fps=30 --set video.bitrate_kbps=300 --set video.gop_seconds=4 \
  --set video.speed=superfast --set audio.channels=1 --set audio.bitrate_kbps=64 >"$OUT/onair.log" 2>&1 &
onair=$!
sleep 3
# Give vivid real-time priority, since a real camera is not delayed by programs either.
for thread in $(pgrep vivid-000-vid); do chrt -f -p 50 "$thread"; done
sleep "$DURATION"
kill -INT $onair
wait $onair
kill $beat
wait $beat 2>/dev/null || true
END
json_value() { sed -nE "s/.*\"$2\": (-?[0-9.]+).*/\1/p" <<<"$1"; }
declare -A boards
for shift in "${shifts[@]}"; do
  start "$work/board$shift.log" run_on_board --timeout $((seconds + 140)) \
    --env "URL=rtmp://10.0.2.2:$rtmp_port/live" --env "DURATION=$seconds" --env "SHIFT=$shift" \
    --out "$work/out$shift" "$work/step" "$root/Tests/Board/beat.c"
  boards[$shift]=$started
done
for shift in "${shifts[@]}"; do
  wait "${boards[$shift]}" || miss "the script of the board with shift $shift failed ($?): $(tail -n 20 "$work/board$shift.log")"
done
sleep 0.5
for shift in "${shifts[@]}"; do
  key=shift$shift
  file=$(recording "$key")
  # Uncorrected, 200 ppm are 12 ms per minute.
  if values=$("$root/board/in-step" "${file:-/nothing/received}" --json 2>&1); then
    ok "$key: $values"
    figure "$key: ms apart in the first third" "$(json_value "$values" first_third_ms)" -20 20
    figure "$key: ms apart in the last third" "$(json_value "$values" last_third_ms)" -20 20
  else
    miss "$key: $values"
  fi
  # snd-aloop makes each sample longer by its shift.
  measured=$(sed -nE 's/.*, clock ([+-]?[0-9]+) ppm.*/\1/p' "$work/out$shift/onair.log" | tail -n 1)
  figure "$key: measured clock error in ppm" "$measured" $((shift * -10 - 80)) $((shift * -10 + 80))
done
conclude
