#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The page in a real browser: guests who wait and come on air, their pictures and levels, and the layouts, in both languages, on a
# phone and on a desk. Screenshots: .lab/page-guests.
# slots: 2
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# Two guests, whom the box fetches from the test server. Only its own file may name an address of the box itself.
# shellcheck disable=SC2034
more_settings="[guests]
most = 1
[[guest]]
name = \"anna\"
label = \"Anna\"
url = \"rtmp://127.0.0.1:$first_port/live/anna\"
[[guest]]
name = \"bob\"
url = \"rtmp://127.0.0.1:$first_port/live/bob\"
[[layout]]
name = \"interview\"
panes = \"\"\"
host 0 0 0.6 1
#1 0.62 0.1 0.36 0.4
#2 0.62 0.52 0.36 0.4\"\"\""
# shellcheck source=../Page/box.sh
. "$root/Tests/Page/box.sh"

for one in anna bob; do
  start "$work/$one.log" ffmpeg -nostdin -v error -re -f lavfi -i testsrc2=size=320x180:rate=15 -f lavfi -i sine=frequency=440 \
    -c:v libx264 -preset ultrafast -tune zerolatency -g 15 -b:v 200k -c:a aac -f flv "rtmp://127.0.0.1:$rtmp_port/live/$one"
done
check_page guests
conclude
