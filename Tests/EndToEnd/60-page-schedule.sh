#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The page in a real browser: broadcasts that begin and end by themselves, calendars, and the warning before the end, in both
# languages, on a phone and on a desk. Screenshots: .lab/page-schedule.
# slots: 2
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../Page/box.sh
. "$root/Tests/Page/box.sh"

check_page schedule
conclude
