#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Two sound cards of the emulated board whose clocks are 200 ppm apart (snd-aloop), one on the left and one on the right: a beep
# each second from both. Neither loses one, both stay in step with the board's own clock, and one that is unplugged leaves the
# other untouched. OnAir that stood still for seconds, again and again, hears its card again each time, and takes no more of the
# processor than before. Tests of the drift over hours are in InStepTests, on a virtual clock.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

seconds=${SECONDS_OF_SOUND:-60}
stops=${STOPS:-5}
start_server
# Beeps that say nothing but when they are.
ffmpeg -v error -f lavfi -i "aevalsrc=0.5*sin(2000*PI*t)*lt(mod(t\,1)\,0.02):s=48000:d=$((seconds * 2 + 60 + stops * 6)),pan=stereo|c0=c0|c1=c0" \
  "$work/beeps.wav"
cat >"$work/cards" <<'END'
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
modprobe snd-aloop index=0,1 enable=1,1 id=First,Second || exit 1
udevadm settle
# Both halves of a loopback run at the clock of the half that plays.
for side in 0 1; do
  amixer -q -c Second cset "iface=PCM,name='PCM Rate Shift 100000',device=$side,subdevice=0" 100020 || exit 1
done
amixer -c Second contents >"$OUT/controls.txt"
aplay -q -D plughw:First,0,0 ./beeps.wav &
aplay -q -D plughw:Second,0,0 ./beeps.wav &
second=$!
install -d -m 700 /tmp/state
(umask 077 && echo "$SPEED" >/tmp/state/speed.json)
./onair run --set "publish.url=$URL" --set publish.key=cards --set state.directory=/tmp/state --set page.listen= \
  --set video.source=none --set audio.channels=2 --set audio.bitrate_kbps=128 --set audio.source=microphone:hw:First,1,0 \
  --set audio.pan=-100 --set track.second.source=microphone:hw:Second,1,0 --set track.second.pan=100 \
  --set publish.autostart=always >"$OUT/onair.log" 2>&1 &
onair=$!
until_status '"lamp":"live"'
sleep "$SECONDS_OF_SOUND"
kill $second
echo snd_aloop.1 >/sys/bus/platform/drivers/snd_aloop/unbind
sleep 10
# In hundredths of a second.
used() { awk '{ print $14 + $15 }' /proc/$onair/stat; }
before=$(used)
sleep 10
before=$(($(used) - before))
for _ in $(seq "$STOPS"); do
  kill -STOP $onair
  sleep 2
  kill -CONT $onair
  sleep 2
done
after=$(used)
sleep 10
after=$(($(used) - after))
echo "processor $before $after" >"$OUT/used.txt"
kill -INT $onair
wait $onair
END
run_on_board --timeout 1200 --env "URL=rtmp://10.0.2.2:$rtmp_port/live" --env "SPEED=$board_speed" \
  --env "SECONDS_OF_SOUND=$seconds" --env "STOPS=$stops" --out "$work/out" "$work/cards" "$work/beeps.wav" || miss "the board's script failed ($?)"
sleep 0.5

file=$(find "$work/platform/recorded" -name 'cards-*.flv' | head -n 1)
ffmpeg -v error -i "$file" -f s16le -ac 2 -ar 48000 "$work/sound.raw" || miss 'nothing was recorded'
/usr/bin/python3 - "$work/sound.raw" "$seconds" >"$work/beeps" <<'END'
import array
import sys

path, seconds = sys.argv[1], int(sys.argv[2])
samples = array.array("h")
with open(path, "rb") as file:
    samples.frombytes(file.read())


def beeps(side):
    """The seconds at which beeps begin."""
    found, quiet = [], 48_000
    for i in range(side, len(samples), 2):
        if abs(samples[i]) < 3_000:
            quiet += 1
        else:
            if quiet > 24_000:
                found.append(i / 2 / 48_000)
            quiet = 0
    return found


def line(times):
    """The interval between two beeps, and the largest distance of one from where it should be."""
    mean, middle = sum(times) / len(times), (len(times) - 1) / 2
    slope = sum((i - middle) * (time - mean) for i, time in enumerate(times)) / sum((i - middle) ** 2 for i in range(len(times)))
    return slope, max(abs(time - mean - (i - middle) * slope) for i, time in enumerate(times))


first, second = beeps(0), beeps(1)
# The first beeps come while the cards are being opened.
for name, times in (("first", first[1:]), ("second", second[1:-1])):
    slope, worst = line(times)
    print(name, len(times), f"{(slope - 1) * 1e6:.0f}", f"{worst * 1000:.1f}")
print("after", sum(second[-1] + 0.5 < time < second[-1] + 18 for time in first), 0, 0)
end = len(samples) / 2 / 48_000
print("last", sum(end - 8 < time for time in first), 0, 0)
END
cat "$work/beeps"
while read -r name count ppm worst; do
  case $name in
    after)
      if ((count >= 14)); then ok "the other card goes on: $count beeps"; else miss "the other card has $count beeps after the loss"; fi
      ;;
    last)
      if ((count >= 6)); then ok "heard again after $stops stops: $count beeps in 8 s"; else miss "only $count beeps in 8 s after $stops stops"; fi
      ;;
    *)
      if ((count >= seconds - 5)); then ok "$name card: $count beeps"; else miss "$name card: only $count beeps"; fi
      figure "$name card: ms out of step, worst" "$worst" 0 20
      echo "$name card: $ppm ppm"
      ;;
  esac
done <"$work/beeps"
if grep -q 'Second\|second' "$work/out/onair.log"; then ok 'the loss is told'; else miss 'nothing of the loss is told'; fi
read -r _ before after <"$work/out/used.txt" || true
if ((after <= 2 * before + 50)); then ok "processor before and after the stops: $before and $after"; else
  miss "it takes more of the processor after the stops: $before, then $after"; fi
conclude
