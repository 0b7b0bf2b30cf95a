#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Nothing of a microphone is in the stream, a relay or the preview while the box is paused, with music on: pause.sound = "music"
# and "mute", in PAUSES pauses at random moments. In them alone somebody whistles, so the whistle may never be heard; at last it
# is heard before and after a pause, and the music in it.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

pauses=${PAUSES:-30}
start_server
ffmpeg -v error -f lavfi -i 'sine=440:d=60:r=44100' -af volume=9dB -ac 2 -c:a libmp3lame "$work/song.mp3" </dev/null

# The room: silence, and a whistle of 2 kHz while the file "whistle" is there, in pieces of 20 ms at the pace of time.
mkfifo "$work/room"
cat >"$work/room.py" <<'END'
import array, math, os, sys, time
room, whistle = sys.argv[1:]
tone = array.array("h", (int(16000 * math.sin(2 * math.pi * 2000 * i / 48000)) for i in range(960))).tobytes()
pipe = open(room, "wb", buffering=0)
due = time.monotonic()
while True:
    pipe.write(tone if os.path.exists(whistle) else bytes(len(tone)))
    due += 0.02
    time.sleep(max(0, due - time.monotonic()))
END

# The levels in dBFS of the whistle and of the music in each 100 ms of a file's sound: "SECONDS WHISTLE MUSIC". The preview begins
# a new MP4 within the stream when the format changes, as at a pause: each is decoded by itself.
cat >"$work/levels" <<'END'
import array, math, subprocess, sys
data = open(sys.argv[1], "rb").read()
pieces, at = [], 0
if data[4:8] == b"ftyp":
    while at + 8 <= len(data):
        size = int.from_bytes(data[at:at + 4], "big")
        if at + size > len(data):
            break
        if data[at + 4:at + 8] == b"ftyp":
            pieces.append(b"")
        pieces[-1] += data[at:at + size]
        at += size
else:
    pieces = [data]
RATE, WINDOW = 8000, 800
window = [0.5 - 0.5 * math.cos(2 * math.pi * i / WINDOW) for i in range(WINDOW)]
waves = [[(w * math.cos(2 * math.pi * hertz * i / RATE), w * math.sin(2 * math.pi * hertz * i / RATE))
          for i, w in enumerate(window)] for hertz in (2000, 440)]
now = 0.0
for piece in pieces:
    samples = array.array("h", subprocess.run(
        ["ffmpeg", "-v", "quiet", "-i", "-", "-vn", "-af", "aresample=async=1:first_pts=0", "-ac", "1", "-ar", str(RATE),
         "-f", "s16le", "-"], input=piece, capture_output=True).stdout)
    for begin in range(0, len(samples) - WINDOW + 1, WINDOW // 2):
        part = samples[begin:begin + WINDOW]
        levels = []
        for wave in waves:
            real = sum(x * c for x, (c, _) in zip(part, wave))
            imaginary = sum(x * s for x, (_, s) in zip(part, wave))
            # A sine of full scale is 0 dB.
            levels.append(20 * math.log10(math.hypot(real, imaginary) / (WINDOW / 4) / 32768 + 1e-6))
        print(f"{now + begin / RATE:.2f} {levels[0]:.1f} {levels[1]:.1f}")
    now += len(samples) / RATE
END

tell() { curl -s -o /dev/null --max-time "$patience" --unix-socket "$work/state-$1/control" -X POST "http://onair/api/$2"; }
for_a_moment() { sleep "$(awk -v seed="$RANDOM" 'BEGIN { srand(seed); printf "%.2f", 0.1 + 0.6 * rand() }')"; }
relay_runs() { ask "$1" relay list --json 2>/dev/null | tr -d ' \n' | holds '"state":"running"'; }
begin() { # KEY SETTING…
  rm -f "$work/whistle"
  start "$work/room-$1.log" python3 "$work/room.py" "$work/room" "$work/whistle"
  room=$started
  go_on_air "$1" video.source=pattern video.size=320x180 video.fps=10 video.speed=superfast video.gop_seconds=1 \
    "audio.source=pipe:$work/room" audio.pipe_channels=1 "music.source=file:$work/song.mp3" music.autostart=true music.loop=true \
    music.duck_db=0 "${@:2}"
  expect_delivered "$1"
  ask "$1" relay add other "rtmp://127.0.0.1:$rtmp_port/live" <<<"relay-$1" >"$work/relay" || miss "a relay: $(<"$work/relay")"
  wait_until relay_runs "$1" || miss 'the relay does not run'
  start "$work/preview-$1.mp4" curl -sN --unix-socket "$work/state-$1/control" http://onair/api/preview.mp4
  preview=$started
  sleep 3
}
finish_all() { # KEY
  end_group "$preview" TERM 5
  go_off_air
  end_group "$room" TERM 5
  python3 "$work/levels" "$(recording "$1")" >"$work/$1.main"
  python3 "$work/levels" "$(recording "relay-$1")" >"$work/$1.relay"
  python3 "$work/levels" "$work/preview-$1.mp4" >"$work/$1.preview"
}
# The loudest or the quietest moment of the whistle (2) or the music (3), in dB.
extreme() { # FILE COLUMN max|min [FROM TO]
  awk -v column="$2" -v kind="$3" -v from="${4:-0}" -v to="${5:-1e9}" '
    $1 >= from && $1 + 0.1 <= to && (!n++ || (kind == "max" ? $column > best : $column < best)) { best = $column }
    END { if (n) print best; else print "nothing" }' "$1"
}
expect_level() { # TEXT LEVEL -le|-ge LIMIT
  if awk -v a="$2" -v b="$4" -v kind="$3" 'BEGIN { exit !(a ~ /^-?[0-9.]+$/ && (kind == "-le" ? a + 0 <= b : a + 0 >= b)) }'; then
    ok "$1: $2 dB"
  else
    miss "$1: $2 dB"
  fi
}

for sound in music mute; do
  begin "$sound" "pause.sound=$sound"
  for ((done = 0; done < pauses / 2; done++)); do
    for_a_moment
    tell "$sound" pause
    wait_until status_has "$sound" '"lamp":"paused"' || miss "$sound: no pause"
    : >"$work/whistle"
    for_a_moment
    rm -f "$work/whistle"
    # Until the last of it has come out of the pipe.
    sleep 0.5
    tell "$sound" resume
    wait_until status_has "$sound" '"lamp":"live"' || miss "$sound: the pause does not end"
  done
  sleep 1
  finish_all "$sound"
  for end in main relay preview; do
    expect_level "$sound, $end: whistles of $((pauses / 2)) pauses" "$(extreme "$work/$sound.$end" 2 max)" -le -55
    if [[ $sound == music && $end == main ]]; then
      # The music begins within a second.
      expect_level "$sound, $end: the music goes on" "$(extreme "$work/$sound.$end" 3 min 3 "$(awk 'END { print $1 - 1 }' "$work/$sound.$end")")" -ge -30
    else
      expect_level "$sound, $end: music" "$(extreme "$work/$sound.$end" 3 max)" -ge -30
    fi
  done
done

# Whistling all the time: heard but in the pause, in which the music goes on; with a new viewer of the preview.
begin long pause.sound=music
: >"$work/whistle"
sleep 2
tell long pause
wait_until status_has long '"lamp":"paused"' || miss 'no pause'
curl -sN --max-time 4 --unix-socket "$work/state-long/control" http://onair/api/preview.mp4 >"$work/joined.mp4" || true
tell long resume
wait_until status_has long '"lamp":"live"' || miss 'the pause does not end'
sleep 3
finish_all long
python3 "$work/levels" "$work/joined.mp4" >"$work/long.joined"
for key in long relay-long; do
  expect_scenes "$key" "$root/Sources/Video/Stills/pause.png" 'camera still camera' video
  read -r from to < <(awk '$1 == "still" { print $2, $3 }' "$work/$key.scenes") || true
  file=$work/long.main
  [[ $key == long ]] || file=$work/long.relay
  # An AAC decoder overlaps packets at a cut by 21 ms. At the end the sound is back before the camera's first frame.
  from=$(awk -v a="${from:-0}" 'BEGIN { print a + 0.05 }') to=$(awk -v a="${to:-0}" 'BEGIN { print a - 0.5 }')
  expect_level "$key: the whistle in the pause" "$(extreme "$file" 2 max "$from" "$to")" -le -55
  expect_level "$key: the music in the pause" "$(extreme "$file" 3 min "$from" "$to")" -ge -30
  expect_level "$key: the whistle before it" "$(extreme "$file" 2 max 0 "$from")" -ge -20
  expect_level "$key: the whistle after it" "$(extreme "$file" 2 max "$to")" -ge -20
done
expect_level 'preview: the whistle is heard at all' "$(extreme "$work/long.preview" 2 max)" -ge -20
expect_level 'preview, opened in the pause: the whistle' "$(extreme "$work/long.joined" 2 max)" -le -55
expect_level 'preview, opened in the pause: the music' "$(extreme "$work/long.joined" 3 max)" -ge -30
conclude
