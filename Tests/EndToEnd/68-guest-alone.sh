#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The host's camera is lost while a guest is on air: a still takes the camera's place, and viewers go on seeing and hearing the
# guest. Without him the still is all that they see.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../guests
. "$root/Tests/guests"

start_server
guest_url=rtmp://127.0.0.1:$rtmp_port/live/anna
start "$work/anna.log" "${sender[@]}" -f lavfi -i color=0x2020e0:size=640x360:rate=30 -f lavfi -i sine=3000:r=48000 "${coded[@]}" \
  -f flv "$guest_url"
mkfifo "$work/frames"
# The camera: green.
open_camera() {
  start "$work/camera.log" ffmpeg -nostdin -v error -y -re -f lavfi -i color=0x20c020:size=640x360:rate=30 -pix_fmt yuv420p -f rawvideo \
    "$work/frames"
  camera=$started
}
open_camera
go_on_air box "video.source=pipe:$work/frames" audio.source=tone video.size=640x360 \
  video.fps=30 "guest.anna.url=$guest_url"
expect_delivered box
expect_guest '"state":"waiting"'
say guest admit anna
expect_colours 'green blue other' 'side by side'

end_group "$camera" KILL 5
expect_status box '"lamp":"no_camera"'
expect_colours 'other blue other' 'without a camera'
expect_band 3000 loud 'without a camera'
told=$(ask box status)
if [[ $told == *'Viewers see a still and the guests'* ]]; then ok 'the status tells it'; else miss "the status: $told"; fi
say guest hide anna
expect_colours 'other other other' 'the still alone'
say guest admit anna
expect_colours 'other blue other' 'with the guest again'
open_camera
expect_colours 'green blue other' 'with the camera again'
expect_status box '"lamp":"live"'
go_off_air
expect_received box --max-gap-ms 600
conclude
