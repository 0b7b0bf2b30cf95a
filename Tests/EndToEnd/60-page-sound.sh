#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The page in a real browser: faders, mutes, scenes, music and alarms of the view "Sound", in both languages, on a phone and on a
# desk. Screenshots: .lab/page-sound.
# slots: 2
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../Page/box.sh
. "$root/Tests/Page/box.sh"

check_page sound
go_off_air
expect_received sEcrEtPage
conclude
