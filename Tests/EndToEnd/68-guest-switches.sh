#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# SWITCHES changes between the camera alone and layouts with two guests, at random moments. Frames of all three are numbered, and
# their sound marks them: one connection, no new parameter sets, no keyframe forced, no sound missing.
# Tests/Nightly/68-guest-switches.sh does it more often, and holds the times to their limits.
# slots: 2
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../guests
. "$root/Tests/guests"

switches=${SWITCHES:-30}
start_server
listen=$(free_port "$((first_port + 20))")
make_source() { # NAME WIDTH HEIGHT HUE HERTZ
  mkfifo "$work/$1.video" "$work/$1.audio"
  start "$work/$1.source" "$root/Tests/switches" source "$work/$1.video" "$work/$1.audio" "${@:2}"
}
make_source host 640 360 0 7000
go_on_air box "video.source=pipe:$work/host.video" video.pipe_format=i420 "audio.source=pipe:$work/host.audio" audio.pipe_channels=1 \
  video.size=640x360 video.fps=30 video.speed=superfast video.gop_seconds=2 video.bitrate_kbps=3000 network.mode=fixed \
  "guests.listen=127.0.0.1:$listen" guest.anna.key=key-of-anna guest.ben.key=key-of-ben guest.anna.fit=stretch guest.ben.fit=stretch
expect_delivered box
wait_until is_listening "$listen" || miss 'nobody listens for guests'
guest=(-f rawvideo -pix_fmt yuv420p -video_size 320x180 -framerate 30)
number=1
for one in anna ben; do
  make_source "$one" 320 180 "$number" $((1000 + number * 2000))
  start "$work/$one.log" ffmpeg -nostdin -v error "${guest[@]}" -thread_queue_size 512 -i "$work/$one.video" -f s16le -ar 48000 -ac 1 \
    -thread_queue_size 512 -i "$work/$one.audio" "${coded[@]}" -f flv "rtmp://127.0.0.1:$listen/live/key-of-$one"
  number=$((number + 1))
done
is_waiting() { api guests | holds "\"name\":\"$1\"[^}]*\"state\":\"waiting\""; } # NAME
for one in anna ben; do
  wait_until is_waiting "$one" || miss "$one is not there"
  ask box guest admit "$one" >/dev/null || miss "$one is not admitted"
done
layouts=(single side_by_side pip grid guest:anna guest:ben auto)
for layout in "${layouts[@]}"; do
  ask box layout "$layout" >/dev/null || miss "no layout $layout"
  (api layout; echo) >>"$work/panes"
  sleep 1
done
for ((done = 0; done < switches; done++)); do
  ask box layout "${layouts[RANDOM % ${#layouts[@]}]}" >/dev/null || miss 'the layout is refused'
  sleep "0.$((RANDOM % 80 + 10))"
done
sleep 2
go_off_air
expect_equal 'connections to the server' "$(find "$work/platform/recorded" -name 'box-*.flv' | wc -l)" 1
run_checks "$root/Tests/switches" check "$(recording box)" "$work/panes" "${STRICT:-0}"
conclude
