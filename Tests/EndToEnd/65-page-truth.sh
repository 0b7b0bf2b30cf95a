#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The page beside a box that is killed, stopped, reset, paused, muted, without a server, with a relay alone, without camera and
# microphone: it never says what is not so, and the privacy key is on the screen at every size. Screenshots: .lab/truth.
# slots: 2
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

start_server
port=$(free_port $((first_port + 10)))
pictures=$root/.lab/truth
rm -rf "$pictures"
know_speed "$work/state"
run_checks /usr/bin/python3 "$root/Tests/Page/truth.py" "$onair" "$work" "$port" \
  --url "rtmp://127.0.0.1:$rtmp_port/live" --out "$pictures"
conclude
