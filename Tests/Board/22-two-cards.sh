#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Two sound cards of the emulated board whose clocks are 200 ppm apart (snd-aloop), one on the left and one on the right of the
# mix: each beeps with each second of the board's clock (beat.c), as the test picture flashes. The samples of the second card
# alone drift by 200 ppm; in the stream neither card drifts, no beep is missing or broken, and each is within 20 ms of the picture.
# One card that is unplugged leaves the other untouched. OnAir that stood still for seconds, STOPS times, hears its card again
# each time, and takes no more of the processor than before. Hours of drift: TwoCardsTests, on a virtual clock.
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
sleep 3
# In hundredths of a second, what OnAir takes of the processor in five seconds.
used() { awk '{ print $14 + $15 }' /proc/$onair/stat; }
before=$(used)
sleep 5
before=$(($(used) - before))
for _ in $(seq "$STOPS"); do
  kill -STOP $onair
  sleep 2
  kill -CONT $onair
  sleep 2
done
after=$(used)
sleep 5
after=$(($(used) - after))
echo "$before $after" >"$OUT/used.txt"
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
run_checks /usr/bin/python3 - "$work" "$seconds" "$stops" <<'END'
import array
import statistics
import sys

work, seconds, stops = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])


def check(is_right, text):
    print("good" if is_right else "WRONG", text)


def beeps(name, channels, side):
    """When each beep begins and how long it lasts, in seconds, by the samples. One with a hole of 2 ms is two."""
    samples, found, last = array.array("h"), [], -48_000
    with open(f"{work}/{name}", "rb") as file:
        samples.frombytes(file.read())
    for i, sample in enumerate(samples[side::channels]):
        if abs(sample) >= 1_000:
            if i - last > 96:
                found.append([i / 48_000, 0])
            found[-1][1] = i / 48_000 - found[-1][0]
            last = i
    return found


def slope(points):
    """The median of the slopes between points that are far apart: some that are off do not count."""
    half = len(points) // 2
    return statistics.median((b[1] - a[1]) / (b[0] - a[0]) for a, b in zip(points[:half], points[-half:]))


def pairs(side):
    """The seconds of each flash with a beep, and how many milliseconds the beep is late."""
    with open(f"{work}/side{side}.pairs") as file:
        lines = [line.split() for line in file]
    return [(float(line[0]), float(line[1])) for line in lines if len(line) == 2]


def check_in_step(name, found, least):
    late = [pair[1] for pair in found]
    worst = max(late, key=abs)
    check(len(found) >= least, f"{name}: {len(found)} flashes with a beep")
    check(abs(worst) <= 20, f"{name}: {late[0]:.1f} ms after the picture at first, {late[-1]:.1f} at last, {worst:.1f} at worst")


def check_unbroken(name, found, least):
    steps = [b[0] - a[0] for a, b in zip(found, found[1:])]
    lengths = [length for _, length in found]
    check(len(found) >= least and all(abs(step - 1) < 0.01 for step in steps) and all(abs(length - 0.1) < 0.005 for length in lengths),
          f"{name}: {len(found)} beeps, {min(steps):.4f} to {max(steps):.4f} s apart, {min(lengths):.4f} to {max(lengths):.4f} s long")


# By its own samples: a beep each second, less what the card's clock lacks.
alone = [begin for begin, _ in beeps("alone.raw", 1, 0)]
ppm = slope([(at, (at - alone[0] - round(at - alone[0])) * 1e6) for at in alone])
check(-260 <= ppm <= -140, f"the second card alone: {ppm:.0f} ppm")

# The first beeps come while the cards are being opened. Nothing else happens in the eight seconds after the loss.
first, second = pairs(0), pairs(1)
start, lost_at = first[0][0] + 3, second[-1][0]
for name, found in ("first", first), ("second", second):
    found = [pair for pair in found if start < pair[0] <= lost_at]
    check_in_step(name, found, seconds * 3 // 4)
    ppm = slope([(at, ms * 1000) for at, ms in found])
    check(abs(ppm) <= 60, f"{name}: {ppm:.0f} ppm in the stream")
check_in_step("first, after the loss of the second", [pair for pair in first if lost_at + 0.5 < pair[0] < lost_at + 7.5], 6)

first, second = beeps("sound.raw", 2, 0), beeps("sound.raw", 2, 1)
start, lost_at = first[0][0] + 3, second[-1][0]
# The loss may cut the last one.
check_unbroken("second", [beep for beep in second[:-1] if beep[0] > start], seconds - 8)
check_unbroken("first, with the loss", [beep for beep in first if start < beep[0] < lost_at + 7.5], seconds)

# A stop takes two or three beeps, and some are heard between two stops.
rest = [begin for begin, _ in first if begin > lost_at + 7.5]
gaps = [(b - a, b) for a, b in zip(rest, rest[1:]) if b - a > 1.5]
longest, heard_at = max(gaps, default=(0, rest[0]))[0], gaps[-1][1] if gaps else rest[0]
check(len(gaps) <= stops and longest < 4.5, f"{len(gaps)} gaps by {stops} stops, the longest of {longest:.2f} s")
check(sum(begin >= heard_at for begin in rest) >= 5, f"{sum(begin >= heard_at for begin in rest)} beeps after the last stop")
with open(f"{work}/out/used.txt") as file:
    before, after = map(int, file.read().split())
check(after <= before * 5 / 4 + 10, f"hundredths of a second of the processor in 5 s, before and after the stops: {before}, {after}")
END
if grep -q 'Sound of second: .*\[code: lost\]' "$work/out/onair.log"; then ok 'the loss is told'; else miss 'nothing of the loss is told'; fi
conclude
