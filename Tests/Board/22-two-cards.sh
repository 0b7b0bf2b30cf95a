#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Two sound cards of the emulated board whose clocks are 200 ppm apart (snd-aloop), one on the left and one on the right of the
# mix: each beeps with each second of the board's clock (beat.c), as the test picture flashes. The samples of the second card
# alone drift by 200 ppm; in the stream neither card drifts, and both are within 20 ms of the picture from the first minute's
# beginning to its end. One that is unplugged leaves the other untouched. OnAir that stood still for seconds, STOPS times, hears
# its card again each time, and takes no more of the processor than before. Hours of drift: TwoCardsTests, on a virtual clock.
#
# The board's clock counts its instructions, so the figures do not depend on what else this machine does.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

seconds=${SECONDS_OF_SOUND:-60}
stops=${STOPS:-5}
start_server
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
# The board's usual devices.
devices down camera
devices down sound
modprobe snd-aloop index=0,1 enable=1,1 id=First,Second || exit 1
udevadm settle
# Both halves of a loopback run at the clock of the half that plays. The second loopback of the card goes to no OnAir: what it
# records is what a card with this clock delivers.
for part in 0 1; do
  for side in 0 1; do
    amixer -q -c Second cset "iface=PCM,name='PCM Rate Shift 100000',device=$side,subdevice=$part" 100020 || exit 1
  done
done
long=100000
./beat - hw:First,0,0 $long &
./beat - hw:Second,0,0 $long &
second=$!
./beat - hw:Second,0,1 $long &
other=$!
install -d -m 700 /tmp/state
(umask 077 && echo "$SPEED" >/tmp/state/speed.json)
./onair run --set "publish.url=$URL" --set publish.key=cards --set state.directory=/tmp/state --set page.listen= \
  --set video.source=pattern --set video.size=160x90 --set video.fps=50 --set video.bitrate_kbps=300 --set video.speed=superfast \
  --set audio.channels=2 --set audio.bitrate_kbps=128 --set audio.source=microphone:hw:First,1,0 \
  --set audio.pan=-100 --set track.second.source=microphone:hw:Second,1,0 --set track.second.pan=100 \
  --set publish.autostart=always >"$OUT/onair.log" 2>&1 &
onair=$!
until_status '"lamp":"live"'
arecord -q -D hw:Second,1,1 -f S16_LE -r 48000 -c 1 -d "$SECONDS_OF_SOUND" "$OUT/raw.wav" &
raw=$!
sleep "$SECONDS_OF_SOUND"
wait $raw
kill $second $other
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
run_on_board --steady --timeout $((1500 + stops * 60)) --env "URL=rtmp://10.0.2.2:$rtmp_port/live" --env "SPEED=${board_speed/2 ×/1 ×}" \
  --env "SECONDS_OF_SOUND=$seconds" --env "STOPS=$stops" --out "$work/out" "$work/cards" "$root/Tests/Board/beat.c" ||
  miss "the board's script failed ($?)"
sleep 0.5

file=$(recording cards)
ffmpeg -v error -i "${file:-/nothing/received}" -f s16le -ac 2 -ar 48000 "$work/sound.raw" || miss 'nothing was recorded'
ffmpeg -v error -i "$work/out/raw.wav" -f s16le "$work/alone.raw" || miss 'the card alone was not recorded'
# Each card with the picture: seconds, and milliseconds from the flash to the beep.
for side in 0 1; do
  ffmpeg -v error -i "$file" -c:v copy -af "pan=mono|c0=c$side" -c:a pcm_s16le "$work/side$side.mkv" </dev/null || true
  "$root/board/in-step" "$work/side$side.mkv" --list >"$work/side$side.pairs" 2>&1 || miss "$(tail -n 1 "$work/side$side.pairs")"
done
/usr/bin/python3 - "$work" "$seconds" >"$work/judged" <<'END'
import array
import statistics
import sys

work, seconds = sys.argv[1], int(sys.argv[2])


def beeps(name, channels, side):
    """The seconds, by the samples, at which beeps begin."""
    samples, found, quiet = array.array("h"), [], 48_000
    with open(f"{work}/{name}", "rb") as file:
        samples.frombytes(file.read())
    for i in range(side, len(samples), channels):
        if abs(samples[i]) < 3_000:
            quiet += 1
        else:
            if quiet > 24_000:
                found.append(i / channels / 48_000)
            quiet = 0
    return found, len(samples) / channels / 48_000


def slope(points):
    """The median of the slopes between points that are far apart: some that are off do not count."""
    half = len(points) // 2
    return statistics.median((b[1] - a[1]) / (b[0] - a[0]) for a, b in zip(points[:half], points[-half:]))


def pairs(side):
    with open(f"{work}/side{side}.pairs") as file:
        lines = [line.split() for line in file]
    return [(float(line[0]), float(line[1])) for line in lines if len(line) == 2]


# By its own samples: a beep each second, less what the card's clock lacks.
alone, _ = beeps("alone.raw", 1, 0)
told = [(at, (at - alone[0] - round(at - alone[0])) * 1e6) for at in alone]
print("alone", len(alone), f"{slope(told):.0f}", 0, 0, 0)
first, second = pairs(0), pairs(1)
lost_at = second[-1][0]
for name, all_pairs in (("first", first), ("second", second)):
    # The first beeps come while the cards are being opened.
    both = [pair for pair in all_pairs if first[0][0] + 3 < pair[0] <= lost_at]
    late = [pair[1] for pair in both]
    ppm = slope([(at, ms * 1000) for at, ms in both])
    print(name, len(both), f"{ppm:.0f}", f"{statistics.median(late[:9]):.1f}", f"{statistics.median(late[-9:]):.1f}",
          f"{max(map(abs, late)):.1f}")
after = [pair[1] for pair in first if lost_at + 0.5 < pair[0] < lost_at + 18]
print("after", len(after), 0, f"{statistics.median(after):.1f}", f"{statistics.median(after):.1f}", f"{max(map(abs, after)):.1f}")
found, end = beeps("sound.raw", 2, 0)
print("last", sum(end - 8 < time for time in found), 0, 0, 0, 0)
END
cat "$work/judged"
within() { awk -v a="$1" -v low="$2" -v high="$3" 'BEGIN { exit !(a >= low && a <= high) }'; }
while read -r what count ppm begins ends worst; do
  case $what in
    alone)
      if within "$ppm" -260 -140; then ok "the second card alone: $ppm ppm"; else miss "the second card alone is not 200 ppm slow but $ppm ppm"; fi
      ;;
    last)
      if ((count >= 6)); then ok "heard again after $stops stops: $count beeps in 8 s"; else miss "only $count beeps in 8 s after $stops stops"; fi
      ;;
    *)
      least=$((seconds * 3 / 4))
      [[ $what != after ]] || least=14
      if ((count >= least)); then ok "$what: $count beeps with a flash"; else miss "$what: only $count beeps with a flash"; fi
      if within "$ppm" -60 60; then ok "$what: $ppm ppm in the stream"; else miss "$what: $ppm ppm in the stream"; fi
      if within "$begins" -20 20 && within "$ends" -20 20; then ok "$what: $begins ms after the picture at first, $ends ms at last"; else
        miss "$what: $begins ms after the picture at first, $ends ms at last"; fi
      figure "$what: ms from the picture, worst" "$worst" 0 20
      ;;
  esac
done <"$work/judged"
if (($(wc -l <"$work/judged") != 5)); then miss 'not all could be measured'; fi
if grep -q 'Second\|second' "$work/out/onair.log"; then ok 'the loss is told'; else miss 'nothing of the loss is told'; fi
read -r _ before after <"$work/out/used.txt" || true
if ((after <= 2 * before + 50)); then ok "processor before and after the stops: $before and $after"; else
  miss "it takes more of the processor after the stops: $before, then $after"; fi
conclude
