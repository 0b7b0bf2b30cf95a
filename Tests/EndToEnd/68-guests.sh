#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A guest whose stream the box fetches: nothing of him is sent before he is admitted, then viewers see both side by side and hear
# both; he is gone with one command, and comes back when he is lost. The broadcast keeps its connection and its parameter sets.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../guests
. "$root/Tests/guests"

start_server
guest_url=rtmp://127.0.0.1:$rtmp_port/live/anna

# The guest: blue, and 3,000 Hz. The host: green, and 500 Hz.
send_guest() {
  start "$work/anna.log" "${sender[@]}" -f lavfi -i color=0x2020e0:size=640x360:rate=30 -f lavfi -i sine=3000:r=48000 "${coded[@]}" \
    -f flv "$guest_url"
  guest=$started
}
make_host
# The second guest is not there.
go_on_air box "video.source=file:$work/host.mp4" "audio.source=file:$work/host.mp4" video.size=640x360 video.fps=30 \
  guests.lost_seconds=3 "guest.anna.url=$guest_url" guest.anna.label=Anna "guest.ben.url=rtmp://127.0.0.1:$rtmp_port/live/ben"
expect_delivered box
expect_guest '"state":"connecting"'
start "$work/events" curl -sN --unix-socket "$work/state-box/control" http://onair/api/events

send_guest
expect_guest '"state":"waiting"'
sleep 3
expect_colours 'green green green' 'before he is admitted'
expect_band 3000 quiet 'before he is admitted'

say guest admit anna
expect_guest '"state":"on_air"'
expect_colours 'green blue other' 'side by side'
expect_band 3000 loud 'the guest'
expect_band 500 loud 'the host'

say layout pip
expect_colours 'green green blue' 'small in the corner'
say layout guest
expect_colours 'blue blue blue' 'the guest alone'
say layout auto
expect_colours 'green blue other' 'side by side again'

# A pause hides him from everybody.
say pause
expect_band 3000 quiet 'in a pause'
say resume
expect_colours 'green blue other' 'after the pause'

# His line breaks: his place is kept for a moment, and then he is gone; he has to be admitted anew.
end_group "$guest" KILL 5
expect_colours 'green green green' 'he is lost'
expect_guest '"state":"connecting"'
send_guest
expect_guest '"state":"waiting"'
say guest admit anna
expect_colours 'green blue other' 'back'

say guest kick anna
expect_colours 'green green green' 'removed'
expect_band 3000 quiet 'removed'
expect_guest '"state":"removed"'
say guest allow anna
expect_guest '"state":"waiting"'

for code in guest_waiting guest_online guest_tracks guest_offline; do
  if grep -qa "\"code\":\"$code\"" "$work/events"; then ok "the event $code"; else miss "no event $code"; fi
done
# Switches at random moments: no parameter sets are sent again.
described() { # How often the recording has parameter sets.
  /usr/bin/python3 - "$(recording box)" <<'PYTHON'
import sys
data, at, found = open(sys.argv[1], "rb").read(), 13, 0
while at + 11 <= len(data):
    kind, size = data[at] & 31, int.from_bytes(data[at + 1:at + 4], "big")
    found += kind == 9 and data[at + 11] & 15 == 7 and data[at + 12] == 0
    at += 11 + size + 4
print(found)
PYTHON
}
before=$(described)
for ((number = 0; number < ${SWITCHES:-10}; number++)); do
  ask box guest admit anna >/dev/null 2>&1 || miss 'not admitted'
  sleep "0.$((RANDOM % 80 + 10))"
  ask box guest hide anna >/dev/null 2>&1 || miss 'not hidden'
  sleep "0.$((RANDOM % 80 + 10))"
done
expect_equal 'parameter sets after the switches' "$(described)" "$before"
box=$(pgrep -g "$program" -x onair | head -n 1)
readers=$(pgrep -P "$box" -f guest-reader)
expect_equal 'readers' "$(wc -w <<<"$readers")" 2
go_off_air
for reader in $readers; do
  if wait_until is_gone "$reader"; then ok "reader $reader has ended"; else miss "reader $reader runs on"; fi
done
expect_equal 'connections to the server' "$(find "$work/platform/recorded" -name 'box-*.flv' | wc -l)" 1
expect_received box --max-gap-ms 600
conclude
