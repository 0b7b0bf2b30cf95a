#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# slots: 5
#
# The emulated board on a network that its kernel impairs: delay with losses, a queue of five seconds, a third of all
# packets lost. Figures: how late frames reached the server, and how soon they came in time again.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

start_server
relay_port=$(free_port $((first_port + 20))) clock_port=$(free_port $((first_port + 30)))
mkdir "$work/arrivals"
start_bound "$work/relay.log" "$root/Tests/arrivals" listen "$relay_port" "$rtmp_port" "$clock_port" "$work/arrivals"

cat >"$work/script" <<'END'
note begin
wait 15000
note lossy
wait 20000
note clear
wait 12000
note bloat
wait 20000
note clear
wait 15000
note heavy
wait 10000
note clear
wait 20000
note end
END
cat >"$work/box" <<'END'
set -eu
./onair run --set "publish.url=$URL" --set publish.key=weak --set state.directory=/tmp/state --set publish.autostart=always \
  --set video.source=camera --set audio.source=microphone:hw:Loopback,1,0 --set video.size=320x180 --set video.fps=15 \
  --set video.bitrate_kbps=400 --set video.speed=superfast --set audio.channels=1 --set audio.bitrate_kbps=64 >"$OUT/onair.log" 2>&1 &
onair=$!
./hand - - 10.0.2.2 "$CLOCK" <./script >/tmp/hand.log &
hand=$!
last=
while kill -0 $hand 2>/dev/null; do
  now=$(sed -n 's/.* note //p' /tmp/hand.log | tail -n 1)
  if [ "$now" != "$last" ]; then
    last=$now
    case $now in
      lossy) tc qdisc replace dev eth0 root netem delay 100ms loss 3% ;;
      # A queue of five seconds.
      bloat) tc qdisc replace dev eth0 root netem rate 250kbit limit 105 ;;
      heavy) tc qdisc replace dev eth0 root netem loss 30% ;;
      *) tc qdisc del dev eth0 root 2>/dev/null || true ;;
    esac
  fi
  sleep 0.1
done
cp /tmp/hand.log "$OUT"
kill -INT $onair
wait $onair
END
run_on_board --timeout 400 --env "URL=rtmp://10.0.2.2:$relay_port/live" --env "CLOCK=$clock_port" \
  --out "$work/out" "$work/box" "$root/Tests/Board/hand.c" "$work/script" || miss "the board's script failed ($?)"
sleep 0.5
"$root/Tests/arrivals" read "$work/arrivals"
python3 - "$work/arrivals" "$work/out/hand.log" >"$work/values" <<'END' || miss 'the arrivals cannot be read'
import glob, sys

folder, log = sys.argv[1:]
notes = [(float(line.split()[0]), line.split()[2]) for line in open(log) if line.split()[1] == "note"]
frames, packets, connections = [], [], []
for path in sorted(glob.glob(f"{folder}/*.times")):
    messages = [(name, int(stamp) / 1000, float(at)) for name, stamp, _, at in map(str.split, open(path))
                if name in ("video", "audio")]
    if not messages:
        continue
    quickest = min(at - stamp for _, stamp, at in messages)
    connections.append(messages[0][2])
    frames += [(at, at - stamp - quickest) for name, stamp, at in messages if name == "video"]
    packets += [at for _, _, at in messages]
packets.sort()
# With a third lost, TCP's own retransmission timers decide how late packets are.
limits = {"lossy": 2, "bloat": 3, "heavy": 15}
for (begin, name), (end, _) in zip(notes, notes[1:]):
    if name not in limits:
        continue
    # What was sent on the impaired network may arrive just after it.
    late = max((late for at, late in frames if begin <= at < end + 3), default=99)
    silence = max((two - one for one, two in zip(packets, packets[1:]) if two > begin and one < end + 3), default=99)
    again = next((at - end for at, late in frames if at >= end and late < 0.5), 99)
    count = sum(begin <= at < end + 10 for at in connections)
    rate = sum(begin <= at < end for at, _ in frames) / (end - begin)
    print(f"{name}: seconds late at most,{late:.1f},0,{limits[name]}")
    print(f"{name}: seconds without any packet,{silence:.1f},0,99")
    print(f"{name}: seconds until in time again,{again:.1f},0,5")
    print(f"{name}: reconnects,{count},0,99")
    # The link carries the camera's 15 frames per second; the still's 5 are for links that do not.
    print(f"{name}: frames per second,{rate:.1f},{0 if name == 'heavy' else 10},16")
END
while IFS=, read -r title value low high; do figure "$title" "$value" "$low" "$high"; done <"$work/values"
file=$(find "$work/arrivals" -name '*.flv' -size +10k | sort | tail -n 1)
if "$root/board/received" "${file:-/nothing/received}" >"$work/said" 2>&1; then ok "$(head -n 1 "$work/said")"; else
  miss "the server received nothing: $(<"$work/said")"; fi
conclude
