#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A guest in the camera's place: his picture is the programme's without being let in, a pause covers it, a lost one has the still
# of a lost camera, and he is back by himself.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../guests
. "$root/Tests/guests"

start_server
guest_url=rtmp://127.0.0.1:$rtmp_port/live/anna
# Blue, with a red edge at the left.
send_guest() {
  start "$work/anna.log" "${sender[@]}" -f lavfi -i color=0x2020e0:size=640x360:rate=30,drawbox=x=0:y=0:w=280:h=ih:color=0xe02020:t=fill \
    -f lavfi -i sine=3000:r=48000 "${coded[@]}" -f flv "$guest_url"
  guest=$started
}
send_guest
go_on_air box video.source=guest:anna audio.source=tone video.size=640x360 video.fps=30 "guest.anna.url=$guest_url"
expect_delivered box
expect_colours 'red blue blue' 'the guest as the camera'
expect_status box '"lamp":"live"'
say set 'guest.anna.crop=45 0 0 45'
expect_colours 'blue blue blue' 'cropped'

say pause
expect_colours 'other other other' 'paused'
say resume
expect_colours 'blue blue blue' 'resumed'

end_group "$guest" KILL 5
expect_status box '"lamp":"no_camera"'
expect_colours 'other other other' 'lost'
send_guest
expect_colours 'blue blue blue' 'back'
expect_status box '"lamp":"live"'
go_off_air
expect_received box
conclude
