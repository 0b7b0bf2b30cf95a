#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# PAUSES pauses at random moments: while the picture is red and the sound is high, it is paused, and neither is in a recording.
# Tests/Nightly/67-record-pauses.sh does it more often.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

pauses=${PAUSES:-30}
start_server
private=$work/private
mkfifo "$work/frames" "$work/sound"
# Green frames and a low sound; red and high while the room is private. Both programs read the file for each frame, so what the
# box holds back is at most as old as its own delay.
cat >"$work/frames.py" <<'END'
import os, sys, time
path, private = sys.argv[1:]
size = 160 * 90
def frame(y, u, v): return bytes([y]) * size + bytes([u]) * (size // 4) + bytes([v]) * (size // 4)
green, red = frame(150, 44, 21), frame(76, 84, 255)
with open(path, "wb", buffering=0) as pipe:
    due = time.monotonic()
    while True:
        pipe.write(red if os.path.exists(private) else green)
        due += 1 / 25
        time.sleep(max(0, due - time.monotonic()))
END
cat >"$work/sound.py" <<'END'
import array, math, os, sys, time
path, private = sys.argv[1:]
def tone(hertz): return array.array("h", (int(9000 * math.sin(2 * math.pi * hertz * n / 48000)) for n in range(960))).tobytes()
low, high = tone(400), tone(4000)
with open(path, "wb", buffering=0) as pipe:
    due = time.monotonic()
    while True:
        pipe.write(high if os.path.exists(private) else low)
        due += 0.02
        time.sleep(max(0, due - time.monotonic()))
END

# Nothing private, and a frame of the room for each time that it was shown.
check() { # FILE
  python3 - "$1" $(((pauses + 1) / 2)) <<'END'
import array, subprocess, sys
def run(*options): return subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", sys.argv[1], *options], check=True, capture_output=True).stdout
frames = run("-vf", "scale=1:1:flags=area,format=rgb24", "-fps_mode", "passthrough", "-f", "rawvideo", "-")
pixels = [frames[i:i + 3] for i in range(0, len(frames), 3)]
red = sum(r > 150 and g < 100 for r, g, b in pixels)
green = sum(g > 100 and r < 80 for r, g, b in pixels)
sound = array.array("h", run("-vn", "-ac", "1", "-ar", "48000", "-f", "s16le", "-"))
# The share of each 20 ms at 4,000 Hz, by a sum over 12 samples a period: a filter of one frequency.
high = 0
for start in range(0, len(sound) - 960, 960):
    block = sound[start:start + 960]
    if sum(abs(a - b) for a, b in zip(block, block[6:])) > 960 * 4000: high += 1
print(f"{'good' if red == 0 and green >= int(sys.argv[2]) else 'WRONG'} {len(pixels)} frames: {green} of the room, {red} private ones")
print(f"{'good' if high == 0 and len(sound) > 48000 else 'WRONG'} {len(sound) // 48000} s of sound, {high * 20} ms private")
END
}

for mode in still cut; do
  rm -f "$private"
  mkdir "$work/$mode"
  start "$work/frames.log" python3 "$work/frames.py" "$work/frames" "$private"
  frames=$started
  start "$work/sound.log" python3 "$work/sound.py" "$work/sound" "$private"
  sound=$started
  go_on_air "$mode" "video.source=pipe:$work/frames" "audio.source=pipe:$work/sound" video.size=160x90 \
    video.fps=25 audio.pipe_channels=1 record.start=broadcast "record.directory=$work/$mode" "pause.recording=$mode"
  expect_delivered "$mode"
  expect_status "$mode" '"state":"recording"'
  for ((number = 1; number <= (pauses + 1) / 2; number++)); do
    sleep "0.$((RANDOM % 80 + 10))"
    curl -s --unix-socket "$work/state-$mode/control" -X POST http://onair/api/pause >/dev/null
    : >"$private"
    sleep "0.$((RANDOM % 80 + 10))"
    rm "$private"
    # What the pipes and the box still hold of the private time.
    sleep 1
    curl -s --unix-socket "$work/state-$mode/control" -X POST http://onair/api/resume >/dev/null
  done
  sleep 1
  go_off_air
  end_group "$frames" TERM 5
  end_group "$sound" TERM 5
  run_checks check "$(find "$work/$mode" -name '[!.]*.mp4')"
done
conclude
