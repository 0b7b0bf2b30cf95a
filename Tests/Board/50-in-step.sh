#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Picture and sound stay in step although the sound device's clock is off: vivid flashes and snd-aloop
# beeps at the same instants (beat.c), snd-aloop's clock being 200 ppm slow on one board, and as much fast on
# another beside it. What the server got is measured. SECONDS_ON_AIR and SHIFTS (in snd-aloop's
# hundred-thousandths, a board each) may be set.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

seconds=${SECONDS_ON_AIR:-90}
read -ra shifts <<<"${SHIFTS:-20 -20}"
begin_platform
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
# A camera is not kept from its work by programs: nor is its stand-in.
for thread in $(pgrep vivid-000-vid); do chrt -f -p 50 "$thread"; done
sleep "$DURATION"
kill -INT $onair
wait $onair
kill $beat
wait $beat 2>/dev/null || true
END
declare -A boards
for shift in "${shifts[@]}"; do
  start "$work/board$shift.log" "$root/board/lab" --timeout $((seconds + 140)) \
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
  # A clock that is 200 ppm off comes 12 ms apart in a minute, and so do the thirds of 90 s.
  if said=$("$root/board/in-step" "${file:-/nothing/received}" --min-pairs $((seconds / 2)) \
    --max-ms 20 --max-change-ms 6 2>&1); then
    ok "$key: $(paste -sd ' ' <<<"$said")"
  else
    miss "$key: $said"
  fi
  # snd-aloop makes the time of each sample longer by its shift.
  told=$(sed -nE 's/.*, clock ([+-]?[0-9]+) ppm.*/\1/p' "$work/out$shift/onair.log" | tail -n 1)
  wanted=$((shift * -10))
  if [[ -n $told ]] && ((told > wanted - 80 && told < wanted + 80)); then
    ok "$key: the log tells a clock $told ppm off"
  else
    miss "$key: the log tells a clock ${told:-unknown} ppm off, not $wanted:"$'\n'"$(tail -n 5 "$work/out$shift/onair.log")"
  fi
done
conclude
