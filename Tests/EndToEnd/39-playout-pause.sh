#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Nothing private is played out: in PAUSES pauses at random moments, and in them alone, the room is green and somebody whistles.
# Neither is in HTTP-FLV, in Low-Latency HLS, or in either for a viewer who comes in a pause.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

pauses=${PAUSES:-30}
start_server
port=$(free_port $((first_port + 10)))
mkfifo "$work/picture" "$work/sound"
# The room at the pace of time: grey and silent; green, with a whistle of 2 kHz, while the file "private" is there.
cat >"$work/room.py" <<'END'
import array, math, os, sys, threading, time
picture, sound, private = sys.argv[1:]
WIDTH, HEIGHT = 160, 90
area = WIDTH * HEIGHT
grey, green = (bytes([y]) * area + bytes([u]) * (area // 4) + bytes([v]) * (area // 4) for y, u, v in ((100, 128, 128), (145, 54, 34)))
tone = array.array("h", (int(16000 * math.sin(2 * math.pi * 2000 * i / 48000)) for i in range(960))).tobytes()
def play(path, seconds, usual, hidden):
    pipe = open(path, "wb", buffering=0)
    due = time.monotonic()
    while True:
        try:
            pipe.write(hidden if os.path.exists(private) else usual)
        except BrokenPipeError:
            # The next broadcast opens it again.
            pipe, due = open(path, "wb", buffering=0), time.monotonic()
        due += seconds
        time.sleep(max(0, due - time.monotonic()))
threading.Thread(target=play, args=(picture, 0.1, grey, green), daemon=True).start()
play(sound, 0.02, bytes(len(tone)), tone)
END
tell() { curl -s -o /dev/null --max-time "$patience" --unix-socket "$work/state-near/control" -X POST "http://onair/api/$1"; }
# A viewer who comes in a pause, for some seconds. On a slow machine nothing may come in that time: then once more.
join() { # FILE
  for _ in 1 2 3 4 5; do
    case $1 in
      *.flv) { curl -sN --max-time 2 "http://127.0.0.1:$port/live/programme.flv" || true; } >"$1" ;;
      *.mp4) { timeout 3 "$root/Tests/playout" record "$port" "$1" || true; } 2>/dev/null ;;
    esac
    ! ffprobe -v error -select_streams v -show_entries packet=pts "$1" 2>/dev/null | holds pts || return 0
  done
}
for_a_moment() { sleep "$(awk -v seed="$RANDOM" 'BEGIN { srand(seed); printf "%.2f", 0.1 + 0.9 * rand() }')"; }

start "$work/room.log" python3 "$work/room.py" "$work/picture" "$work/sound" "$work/private"
room=$started
go_on_air near "video.source=pipe:$work/picture" video.pipe_format=i420 video.size=160x90 video.fps=10 video.speed=superfast \
  video.gop_seconds=1 "audio.source=pipe:$work/sound" audio.pipe_channels=1 "playout.listen=127.0.0.1:$port" playout.max_viewers=50
expect_delivered near
wait_until is_listening "$port" || miss 'nobody listens'
start "$work/all.flv" curl -sN "http://127.0.0.1:$port/live/programme.flv"
start "$work/hls.log" "$root/Tests/playout" record "$port" "$work/all.mp4"
hls=$started
wait_until test -s "$work/all.mp4" || miss 'HLS does not begin'
for ((done = 0; done < pauses; done++)); do
  for_a_moment
  tell pause
  wait_until status_has near '"lamp":"paused"' || miss 'no pause'
  : >"$work/private"
  # Some come while it is private.
  if ((done % 5 == 0)); then
    join "$work/joined-$done.flv"
    join "$work/joined-$done.mp4"
  fi
  for_a_moment
  rm -f "$work/private"
  # Until the last of it has come out of the pipes.
  sleep 0.7
  tell resume
  wait_until status_has near '"lamp":"live"' || miss 'the pause does not end'
done
sleep 2
end_group "$hls" TERM 5
go_off_air
# Nobody would notice an empty room: the same room is found where it is not private.
: >"$work/private"
go_on_air open "video.source=pipe:$work/picture" video.pipe_format=i420 video.size=160x90 video.fps=10 video.speed=superfast \
  "audio.source=pipe:$work/sound" audio.pipe_channels=1 "playout.listen=127.0.0.1:$port"
expect_delivered open
wait_until is_listening "$port" || miss 'nobody listens'
{ curl -sN --max-time 5 "http://127.0.0.1:$port/live/programme.flv" || true; } >"$work/open.flv"
go_off_air
end_group "$room" TERM 5
run_checks "$root/Tests/playout" private "$work/open.flv" "$work"/all.flv "$work"/all.mp4 "$work"/joined-*
conclude
