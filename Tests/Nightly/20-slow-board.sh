#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# slots: 6
#
# The emulated board is asked for more than it carries: 1280x720 at 30 frames a second with video.speed "auto". It has to find
# what it carries within 5 seconds, and then be in time for SECONDS_ON_AIR. The board's clock counts the instructions of its
# processor, so that a stall of this machine makes no frame late.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

seconds=${SECONDS_ON_AIR:-60}
start_server
cat >"$work/box" <<'END_OF_BOX'
set -eu
v4l2-ctl -c test_pattern=0,osd_text_mode=2 || true
# A new box is off air when it is started first, and measures its encoder then.
./onair run --set state.directory=/tmp/state --set page.listen= >"$OUT/first.log" 2>&1 &
onair=$!
until [ -e /tmp/state/speed.json ]; do sleep 0.2; done
kill $onair
wait $onair
./onair run --set "publish.url=$URL" --set publish.key=slow --set state.directory=/tmp/state --set publish.autostart=always \
  --set video.source=camera --set audio.source=tone --set video.size=1280x720 --set video.fps=30 --set page.listen= \
  --set video.bitrate_kbps=2000 --set audio.channels=1 --set audio.bitrate_kbps=64 >"$OUT/log" 2>&1 &
onair=$!
ask() { curl -s --unix-socket /tmp/state/control "http://onair/api/$1"; }
until ask status | holds '"video":"camera"'; do sleep 0.2; done
number=0
while [ $number -lt "$DURATION" ]; do
  sleep 1
  number=$((number + 1))
  ask figures >>"$OUT/figures"
  echo >>"$OUT/figures"
done
kill -INT $onair
wait $onair
END_OF_BOX
run_on_board --steady --timeout $((20 * seconds + 600)) --env "URL=rtmp://10.0.2.2:$rtmp_port/live" \
  --env "DURATION=$((seconds + 5))" --out "$work/out" "$work/box" || miss "the board's script failed ($?)"
expect_received slow --min-seconds $((seconds / 2)) --max-av-ms 3000 --size 1280x720
python3 - "$work/out/figures" >"$work/judged" <<'END_OF_JUDGE'
import json
import sys

seconds = [json.loads(line)["video"] for line in open(sys.argv[1]) if line.strip()]
print("frames:", " ".join(f"{second.get('fps', 0):.0f}" for second in seconds))
print("latest:", " ".join(f"{second.get('delay_ms_max', 0):.0f}" for second in seconds))
print("level:", " ".join(f"{second.get('speed_level', 0):.1f}" for second in seconds))
settled = seconds[5:]
rates = sorted(second["fps"] for second in settled)
print("rate", rates[len(rates) // 2])
interval = 1000 / max(1, rates[len(rates) // 2])
late = [second["delay_ms_max"] for second in settled if second["delay_ms_max"] > 2 * interval]
print("late", len(late))
print("dropped", settled[-1]["dropped_late"] - seconds[4]["dropped_late"])
END_OF_JUDGE
cat "$work/judged"
judged() { sed -n "s/^$1 //p" "$work/judged"; }
figure 'frames a second carried' "$(judged rate)" 5 30
figure 'seconds with a frame later than two intervals' "$(judged late)" 0 0
figure 'frames dropped after the first 5 s' "$(judged dropped)" 0 0
conclude
