#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Pauses at all sorts of moments, with a real camera and microphone and a network that has room, then
# hardly any: what the server has of each is the still and silence, and each ends.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

pauses=${PAUSES:-12}
begin_platform
cat >"$work/pause" <<'END'
set -eu
ask() { ./onair "$@" --set state.directory=/tmp/state; }
# Noise in the room, all the time.
aplay -q -D hw:Loopback,0,0 -f S16_LE -r 48000 -c 2 /dev/urandom &
noise=$!
sleep 1
./onair run --set "publish.url=$URL" --set publish.key=pause --set state.directory=/tmp/state --set publish.autostart=always \
  --set video.source=camera --set audio.source=microphone:hw:Loopback,1,0 --set video.size=320x180 --set video.fps=15 \
  --set video.bitrate_kbps=400 --set video.speed=superfast --set audio.channels=1 --set audio.bitrate_kbps=64 >"$OUT/pause.log" 2>&1 &
onair=$!
until ask status 2>/dev/null | grep -q '^Lamp *live'; do sleep 0.2; done
sleep 2
# The same moments at each run.
RANDOM=7
for pause in $(seq "$PAUSES"); do
  # Every other third of them over a thin line, on which what waits would be seconds old.
  case $((pause * 6 / PAUSES)) in
    1 | 3 | 5) tc qdisc replace dev eth0 root tbf rate 200kbit burst 6kb limit 30kb ;;
    *) tc qdisc del dev eth0 root 2>/dev/null || true ;;
  esac
  ask pause >/dev/null
  echo "paused $(cut -d ' ' -f 1 /proc/uptime)"
  sleep "$((RANDOM % 3 + 1)).$((RANDOM % 10))"
  ask resume >/dev/null
  sleep "$((RANDOM % 2 + 1)).$((RANDOM % 10))"
done
tc qdisc del dev eth0 root 2>/dev/null || true
sleep 3
ask status | tee "$OUT/status.txt"
kill -INT $onair
wait $onair
kill $noise
END
"$root/board/lab" --timeout 600 --env "URL=rtmp://10.0.2.2:$rtmp_port/live" --env "PAUSES=$pauses" \
  --out "$work/out" "$work/pause" || miss "the board's script failed"
sleep 0.5
cp "$work/out/pause.log" "$work/pause.log"
ffmpeg -v error -i "$root/Sources/Picture/Stills/pause.png" -vf scale=320:180:flags=area "$work/small.png"
files=("$work"/platform/recorded/pause-*.flv)
((${#files[@]} == 1)) || miss "the connection broke: ${#files[@]} recordings"
"$root/Tests/scenes" "${files[0]}" "$work/small.png" >"$work/scenes"
# Each pause is one still between two stretches of camera, and one silence between two of noise: a
# picture or a hundredth of a second too many would be a scene of its own.
wanted=$(for ((pause = 0; pause < pauses; pause++)); do echo 'camera still'; done | paste -sd ' ')
for kinds in 'camera still' 'sound silence'; do
  read -r open private <<<"$kinds"
  got=$(awk -v a="$open" -v b="$private" '$1 == a || $1 == b { print $1 }' "$work/scenes" | paste -sd ' ')
  expected="${wanted//camera/$open}"
  expected="${expected//still/$private} $open"
  # The noise may begin after the broadcast.
  [[ $open != sound ]] || got=${got/#silence sound/sound}
  if [[ $got == "$expected" ]]; then ok "$pauses times $kinds"; else
    miss "not $pauses times $kinds:"$'\n'"$(grep -E "^($open|$private) " "$work/scenes" | paste -sd ';')"; fi
done
if grep -q '^Lamp *live' "$work/out/status.txt"; then ok 'live at the end'; else miss "$(<"$work/out/status.txt")"; fi
conclude
