#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Guests who send to the box, by RTMP and by SRT: a wrong key does not get in, the right one waits, and is on air when it is
# admitted; a second connection with the same key replaces the first one; whoever ends the stream is gone at once.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../guests
. "$root/Tests/guests"

start_server
listen=$(free_port "$((first_port + 20))")
srt=$(free_port "$((listen + 1))")
make_host
send_rtmp() { # KEY COLOUR
  start "$work/$1.log" "${sender[@]}" -f lavfi -i "color=$2:size=640x360:rate=30" -f lavfi -i sine=3000:r=48000 "${coded[@]}" \
    -f flv "rtmp://127.0.0.1:$listen/live/$1"
}
send_srt() { # KEY COLOUR
  start "$work/$1.log" "${sender[@]}" -f lavfi -i "color=$2:size=640x360:rate=30" -f lavfi -i sine=3000:r=48000 "${coded[@]}" \
    -f mpegts "srt://127.0.0.1:$srt?passphrase=$1"
}

go_on_air box "video.source=file:$work/host.mp4" "audio.source=file:$work/host.mp4" video.size=640x360 video.fps=30 \
  "guests.listen=127.0.0.1:$listen" guests.lost_seconds=2 guest.anna.key=anna-key-1 guest.ben.key=ben-key-22 \
  "guest.ben.srt_port=$srt"
expect_delivered box
wait_until is_listening "$listen" || miss 'nobody listens for guests'
start "$work/events" curl -sN --unix-socket "$work/state-box/control" http://onair/api/events

# A wrong key.
send_rtmp anna-key-2 0x2020e0
if wait_until is_gone "$started"; then ok 'RTMP with a wrong key is refused'; else miss 'a wrong key is not refused'; fi
expect_line "$work/box.log" 'A sender at 127.0.0.1 was refused as a guest: no guest has the key'
send_srt ben-key-23 0x2020e0
wrong=$started
sleep 3
if [[ $(api guests) == *'"state":"waiting"'* ]]; then miss "somebody waits: $(api guests)"; else ok 'nobody is there'; fi
end_group "$wrong" KILL 5

# RTMP.
send_rtmp anna-key-1 0x2020e0
first=$started
expect_guest '"state":"waiting"'
expect_colours 'green green green' 'before she is admitted'
say guest admit anna
expect_colours 'green blue other' 'RTMP, side by side'
expect_band 3000 loud 'RTMP'
send_rtmp anna-key-1 0xe02020
second=$started
expect_colours 'green red other' 'a second connection has replaced the first one'
if wait_until is_gone "$first"; then ok 'the first one has ended'; else miss 'the first one goes on'; fi
kill -INT "$second"
expect_colours 'green green green' 'she has ended her stream'
for cause in replaced quit; do
  if grep -a '"code":"guest_offline"' "$work/events" | holds "\"cause\":\"$cause\""; then ok "gone: $cause"; else miss "no event: $cause"; fi
done

# SRT.
send_srt ben-key-22 0x2020e0
expect_guest '"state":"waiting"'
say guest admit ben
expect_colours 'green blue other' 'SRT, side by side'
expect_band 3000 loud 'SRT'
end_group "$started" KILL 5
expect_colours 'green green green' 'he is lost'
send_srt ben-key-22 0x2020e0
say guest admit ben
expect_colours 'green blue other' 'SRT again'
say guest kick ben
expect_colours 'green green green' 'removed'
if wait_until is_gone "$started"; then ok 'his sender has ended'; else miss 'his sender goes on'; fi

go_off_air
expect_equal 'connections to the server' "$(find "$work/platform/recorded" -name 'box-*.flv' | wc -l)" 1
expect_received box --max-gap-ms 600
conclude
