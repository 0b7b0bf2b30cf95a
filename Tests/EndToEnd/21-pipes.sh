#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Picture and sound from other programs through named pipes: the example of Sources/Page/API/README.md, writers that end and come
# again, and formats that are changed while the stream goes on.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

start_server
frames=$work/frames sound=$work/sound
mkfifo "$frames" "$sound"

# The document's example, with the path of this test's pipe. It fills the frame with orange.
awk '/^```python/ { text = ""; inside = 1; next } /^```/ { if (text ~ /OAF1/) printf "%s", text; inside = 0 }
  inside { text = text $0 "\n" }' "$root/Sources/Page/API/README.md" |
  sed "s|\"/run/frames\"|\"$frames\"|" >"$work/example.py"
grep -q "$frames" "$work/example.py" || miss 'the document has no example'

show_example() { start "$work/example.log" python3 "$work/example.py"; }

# A tone of a frequency, as raw samples at the pace of time.
play() { # FREQUENCY FORMAT RATE CHANNELS
  # shellcheck disable=SC2016  # expanded by the inner shell
  start "$work/play.log" bash -c \
    'exec ffmpeg -nostdin -v error -re -f lavfi -i "sine=$1:r=$3" -ac "$4" -f "$2" - >"$0"' "$sound" "$@"
}

# What is seen in the last frame that was received: red, green and blue of its middle.
colour() {
  ffmpeg -v error -sseof -1 -i "$(recording pipes)" -an -vf 'crop=2:2:159:89,scale=1:1,format=rgb24' -f rawvideo - </dev/null \
    2>/dev/null | od -An -v -tu1 -w3 | tail -n 1
}
is_colour() { # RED GREEN BLUE
  local red green blue
  read -r red green blue < <(colour) || return 1
  ((${red#-} - $1 < 30 && $1 - red < 30 && green - $2 < 30 && $2 - green < 30 && blue - $3 < 30 && $3 - blue < 30))
}
expect_colour() { # RED GREEN BLUE
  if wait_until is_colour "$@"; then ok "the picture is $*"; else miss "the picture is not $* but $(colour)"; fi
}

# The frequency of the last second that was received, by its zero crossings.
frequency() {
  ffmpeg -v error -sseof -1.5 -i "$(recording pipes)" -vn -ac 1 -ar 48000 -f s16le - </dev/null 2>/dev/null | python3 -c '
import array, sys
samples = array.array("h", sys.stdin.buffer.read()[-96000:])
print(sum(a < 0 <= b for a, b in zip(samples, samples[1:])) if len(samples) == 48000 else 0)'
}
is_frequency() { local heard; heard=$(frequency) && ((heard > $1 - 8 && heard < $1 + 8)); }
expect_frequency() { # HERTZ
  if wait_until is_frequency "$1"; then ok "the sound has $1 Hz"; else miss "the sound has $(frequency) Hz, not $1"; fi
}

show_example
example=$started
play 500 s16le 48000 2
player=$started
go_on_air pipes "video.source=pipe:$frames" "audio.source=pipe:$sound" video.size=320x180 video.speed=superfast
expect_delivered pipes
# Not with --set, which would override what is set later.
ask pipes set video.pipe_framed true video.pipe_format rgb24 >/dev/null || miss 'the formats of the picture were not taken'
expect_status pipes '"video":"pipe"'
expect_status pipes '"audio":"pipe"'
expect_colour 255 128 0
expect_frequency 500

# The writers end, each alone; then they come again.
end_group "$example" TERM 5
expect_line "$work/pipes.log" "Picture: (No program writes into|The program that wrote into) the pipe $frames"
expect_status pipes '"lamp":"no_camera"'
show_example
example=$started
expect_colour 255 128 0
end_group "$player" TERM 5
expect_line "$work/pipes.log" "Sound: No program writes into the pipe $sound"
expect_status pipes '"audio":"silence"'
play 700 s16le 48000 2
player=$started
expect_frequency 700
expect_status pipes '"audio":"pipe"'

# Other formats, while the stream goes on. Frames without headers have the size of the broadcast.
end_group "$example" TERM 5
ask pipes set video.pipe_framed false video.pipe_format bgra >/dev/null || miss 'the formats of the picture were not taken'
# shellcheck disable=SC2016  # expanded by the inner shell
start "$work/blue.log" bash -c \
  'exec ffmpeg -nostdin -v error -re -f lavfi -i color=0x2040e0:s=320x180:r=30 -pix_fmt bgra -f rawvideo - >"$0"' "$frames"
expect_colour 32 64 224
end_group "$player" TERM 5
ask pipes set audio.pipe_format F32 audio.pipe_rate 44100 audio.pipe_channels 1 >/dev/null ||
  miss 'the formats of the sound were not taken'
play 600 f32le 44100 1
player=$started
expect_frequency 600
go_off_air
end_group "$player" TERM 5
expect_received pipes --min-seconds 5
figure 'frames per second' "$(received_value pipes fps)" 15 30.5

# What is no pipe is told before the broadcast.
: >"$work/file"
for source in "video.source=pipe:$work/nowhere" "audio.source=pipe:$work/file"; do
  if said=$("$onair" check --set "state.directory=$work/state-check" --set "$source" --set page.listen= 2>&1); then
    miss "$source is right"
  elif grep -q 'pipe' <<<"$said"; then
    ok "$(grep -m 1 pipe <<<"$said")"
  else
    miss "$said"
  fi
done
conclude
