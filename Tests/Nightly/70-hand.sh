#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# slots: 5
#
# Many presses of the pause button, while the room shows something private during each pause: nothing private may reach
# the server. Figures: how soon the still and the camera came, and what the lamps showed. First on a good network, then
# on one that is limited to 100 kbit/s or cut. PAUSES and TROUBLED_PAUSES may be set.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

pauses=${PAUSES:-12} troubled=${TROUBLED_PAUSES:-12}
start_server
relay_port=$(free_port $((first_port + 20))) clock_port=$(free_port $((first_port + 30)))
mkdir "$work/arrivals"
start_bound "$work/relay.log" "$root/Tests/arrivals" listen "$relay_port" "$rtmp_port" "$clock_port" "$work/arrivals"

# The presses. Each pauses at once; the room becomes private a moment later, and public again before the pause ends. The
# same in each run.
RANDOM=11
press() { # NOTE MS NOTE
  echo "note $1"
  echo 'down button'
  echo "wait $2"
  echo "note $3"
  echo 'up button'
}
pause() { # LEAST MOST
  local length=$((RANDOM % 1700 + 50)) rest=$((RANDOM % ($2 - $1) + $1))
  echo 'note pause'
  echo 'down button'
  if ((length > 60)); then
    printf '%s\n' 'wait 60' private "wait $((length - 60))" 'up button'
  else
    printf '%s\n' "wait $length" 'up button' 'wait 20' private
  fi
  printf '%s\n' "wait $rest" public 'wait 400'
  press press $((RANDOM % 1700 + 50)) resume
  echo "wait $((RANDOM % 2000 + 1500))"
}
{
  press hold 2300 begin
  echo 'wait 6000'
  # Outside a pause the private picture and tone do reach the server: Tests/pressed can recognise them.
  printf '%s\n' 'note control' private 'wait 1200' public 'wait 800' 'note guarded'
  for ((i = 0; i < pauses; i++)); do pause 2500 4000; done
  if ((troubled > 0)); then
    printf '%s\n' 'note trouble' 'wait 500'
    for ((i = 0; i < troubled; i++)); do
      pause 100 4000
      # Now and then the broadcast ends and begins again.
      if ((i % 20 == 9)); then
        press hold 2300 end
        echo 'wait 1500'
        press hold 2300 begin
        echo 'wait 3000'
      fi
    done
    printf '%s\n' 'note over' 'wait 12000'
  fi
} >"$work/script"

cat >"$work/hands" <<'END'
set -eu
ask() { ./onair "$@" --set state.directory=/tmp/state; }
wires=
for line in button lamp-red lamp-green lamp-blue; do wires="$wires $line=$(devices folder $line)"; done
./onair run --set "publish.url=$URL" --set publish.key=hand --set state.directory=/tmp/state \
  --set panel.chip=onair-sim --set panel.button=button --set panel.lamp_red=lamp-red --set panel.lamp_green=lamp-green \
  --set panel.lamp_blue=lamp-blue \
  --set video.source=camera --set audio.source=microphone:hw:Loopback,1,0 --set video.size=320x180 --set video.fps=15 \
  --set video.bitrate_kbps=400 --set video.speed=superfast --set audio.channels=1 --set audio.bitrate_kbps=64 >"$OUT/hand-onair.log" 2>&1 &
onair=$!
until ask status >/dev/null 2>&1; do sleep 0.1; done
sleep 0.5
./hand /dev/video0 hw:Loopback,0,0 10.0.2.2 "$CLOCK" $wires <./script >/tmp/hand.log &
hand=$!
turn=0
while kill -0 $hand 2>/dev/null; do
  if grep -q 'note over' /tmp/hand.log; then
    tc qdisc del dev eth0 root 2>/dev/null || true
    ip link set eth0 up
  elif grep -q 'note trouble' /tmp/hand.log; then
    turn=$((turn + 1))
    case $((turn % 5)) in
      1 | 3) tc qdisc replace dev eth0 root tbf rate 100kbit burst 6kb limit 30kb ;;
      2) tc qdisc replace dev eth0 root netem loss 100% ;;
      *) tc qdisc del dev eth0 root 2>/dev/null || true ;;
    esac
    # Longer ones as well, so that OnAir gives up the connection.
    sleep $((turn % 7 == 2 ? 9 : 3))
    continue
  fi
  sleep 0.5
done
wait $hand
cp /tmp/hand.log "$OUT"
ask status | tee "$OUT/status.txt"
kill -INT $onair
wait $onair
END
run_on_board --timeout $(((pauses + troubled) * 12 + 240)) --env "URL=rtmp://10.0.2.2:$relay_port/live" --env "CLOCK=$clock_port" \
  --out "$work/out" "$work/hands" "$root/Tests/Board/hand.c" "$work/script" || miss "the board's script failed ($?)"
sleep 0.5
"$root/Tests/arrivals" read "$work/arrivals"
ffmpeg -v error -i "$root/Sources/Video/Stills/pause.png" -vf scale=320:180:flags=area "$work/small.png"
if "$root/Tests/pressed" "$work/arrivals" "$work/out/hand.log" "$work/small.png" >"$work/verdict" 2>&1; then
  cat "$work/verdict"
else
  miss "$(<"$work/verdict")"
  tail -n 20 "$work/out/hand-onair.log"
fi
if grep -q '^Lamp .*(live)$' "$work/out/status.txt"; then ok 'live at the end'; else miss "$(<"$work/out/status.txt")"; fi
conclude
