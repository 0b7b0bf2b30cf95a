#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# PAUSES pauses at random moments with a guest beside the camera: in them both rooms are red and have a high tone. Neither is at the
# server, at a relay, in the recording, in the play-out or in the preview. Before, in and after each pause one layout fades into another.
# Tests/Nightly/68-guest-pauses.sh does it more often.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../guests
. "$root/Tests/guests"

pauses=${PAUSES:-30}
start_server
listen=$(free_port "$((first_port + 20))")
playout=$(free_port "$((first_port + 25))")
private=$work/private
mkdir "$work/films"
for one in host guest; do
  mkfifo "$work/$one.video" "$work/$one.audio"
  start "$work/$one.frames" "$root/Tests/private-room" frames "$work/$one.video" "$private"
  start "$work/$one.sound" "$root/Tests/private-room" sound "$work/$one.audio" "$private"
done
go_on_air box "video.source=pipe:$work/host.video" "audio.source=pipe:$work/host.audio" audio.pipe_channels=1 video.size=160x90 \
  video.fps=25 video.speed=superfast video.gop_seconds=1 record.start=broadcast "record.directory=$work/films" \
  "playout.listen=127.0.0.1:$playout" "relay.second.url=rtmp://127.0.0.1:$rtmp_port/live" relay.second.key=second \
  "guests.listen=127.0.0.1:$listen" guest.anna.key=key-of-guest guest.anna.admit=auto \
  guests.transition=fade
expect_delivered box
expect_status box '"state":"recording"'
wait_until is_listening "$listen" || miss 'nobody listens for guests'
# Nothing is read ahead: what is private must not come later than the way takes.
live=(-probesize 32 -analyzeduration 0 -fflags nobuffer)
start "$work/guest.log" ffmpeg -nostdin -v error "${live[@]}" -use_wallclock_as_timestamps 1 -f rawvideo -pix_fmt yuv420p -video_size 160x90 \
  -framerate 25 -i "$work/guest.video" "${live[@]}" -use_wallclock_as_timestamps 1 -f s16le -ar 48000 -ac 1 -i "$work/guest.audio" \
  -af aresample=async=1 "${coded[@]}" -f flv "rtmp://127.0.0.1:$listen/live/key-of-guest"
expect_guest '"state":"on_air"'
wait_until is_listening "$playout" || miss 'nobody listens'
start "$work/playout.flv" curl -sN "http://127.0.0.1:$playout/live/programme.flv"
start "$work/preview.mp4" curl -sN --unix-socket "$work/state-box/control" http://onair/api/preview.mp4
sleep 2
tell() { curl -sf --max-time "$patience" --unix-socket "$work/state-box/control" -X POST "http://onair/api/$1" "${@:2}" >/dev/null; }
layouts=(side_by_side pip grid guest single)
fade() { # to any layout
  tell layout -H 'Content-Type: application/json' -d "{\"layout\":\"${layouts[RANDOM % ${#layouts[@]}]}\"}" || miss 'no layout'
}
for ((number = 1; number <= pauses; number++)); do
  fade
  sleep "0.$((RANDOM % 25 + 1))"
  tell pause || { miss "no pause: $(tail -n 2 "$work/box.log")"; break; }
  : >"$private"
  sleep "0.$((RANDOM % 80 + 10))"
  fade
  rm "$private"
  # What the pipes, the guest's line and the box still hold of the private time.
  sleep 2
  tell resume || miss 'the pause does not end'
  fade
  sleep "0.$((RANDOM % 80 + 10))"
done
sleep 1
go_off_air
# The recording leaves out what is not written yet when a pause begins: up to a second.
run_checks "$root/Tests/private-room" check "$(find "$work/films" -name '[!.]*.mp4')" 10
for film in "$(recording box)" "$(recording second)" "$work/playout.flv" "$work/preview.mp4"; do
  run_checks "$root/Tests/private-room" check "$film" "$pauses"
done
# Whoever looks would see it: the guest is there, in the right half.
colour=$(ffmpeg -nostdin -v error -ss 2 -i "$(recording box)" -frames:v 1 -vf 'crop=iw/4:ih/4:iw*5/8:ih*3/8,scale=1:1,format=rgb24' -f rawvideo - |
  od -An -v -tu1)
read -r red green _ <<<"$colour"
if ((green > 100 && red < 80)); then ok "the guest's room is green: $colour"; else miss "the guest's room is not seen: $colour"; fi
conclude
