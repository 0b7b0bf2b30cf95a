#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The emulated board on a network that its kernel makes worse: delay with losses, a queue of five seconds, a
# third of all packets lost. How far behind the present what came to the server was, and how soon it was there again.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

begin_platform
relay_port=$(free_port $((rtmp_port + 1))) clock_port=$(free_port $((rtmp_port + 101)))
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
      # Five seconds of what it carries.
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
"$root/board/lab" --timeout 400 --env "URL=rtmp://10.0.2.2:$relay_port/live" --env "CLOCK=$clock_port" \
  --out "$work/out" "$work/box" "$root/Tests/Board/hand.c" "$work/script" || miss "the board's script failed ($?)"
sleep 0.5
"$root/Tests/arrivals" read "$work/arrivals"
if python3 - "$work/arrivals" "$work/out/hand.log" <<'END'; then ok 'in time, whatever the network'; else miss 'too far behind'; fi
import glob, sys

folder, log = sys.argv[1:]
notes = [(float(line.split()[0]), line.split()[2]) for line in open(log) if line.split()[1] == "note"]
pictures, pieces, connections = [], [], []
for path in sorted(glob.glob(f"{folder}/*.times")):
    messages = [(name, int(stamp) / 1000, float(at)) for name, stamp, _, at in map(str.split, open(path))
                if name in ("video", "audio")]
    if not messages:
        continue
    quickest = min(at - stamp for _, stamp, at in messages)
    connections.append(messages[0][2])
    pictures += [(at, at - stamp - quickest) for name, stamp, at in messages if name == "video"]
    pieces += [at for _, _, at in messages]
pieces.sort()
good = True
print(f"{'network':10} {'most behind':>12} {'silence':>9} {'good again':>11} {'reconnects':>11}")
for (begin, name), (end, _) in zip(notes, notes[1:]):
    if name not in ("lossy", "bloat", "heavy"):
        continue
    # What was sent while it was bad may come just after.
    behind = max((behind for at, behind in pictures if begin <= at < end + 3), default=99)
    silence = max(two - one for one, two in zip(pieces, pieces[1:]) if two > begin and one < end + 3)
    again = next((at - end for at, behind in pictures if at >= end and behind < 0.5), 99)
    count = sum(begin <= at < end + 10 for at in connections)
    print(f"{name:10} {behind:10.1f} s {silence:7.1f} s {again:9.1f} s {count:11}")
    # With a third lost, TCP's own timers say how late what it has in hand is, and whether anything passes.
    good &= behind <= {"lossy": 2, "bloat": 3, "heavy": 15}[name] and again <= 5
    if name != "heavy":
        # The link carries the camera's 15 a second: the still's five are for links that do not.
        rate = sum(begin <= at < end for at, _ in pictures) / (end - begin)
        print(f"{name:10} {rate:10.1f} pictures a second")
        good &= rate >= 10
sys.exit(not good)
END
[[ -z ${KEEP:-} ]] || cp -r "$work" "$KEEP"
tail -n 12 "$work/out/onair.log"
conclude
