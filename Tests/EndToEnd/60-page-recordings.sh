#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The page in a real browser: recordings are watched, downloaded, renamed, marked and deleted, the stick, and 10,000 of them, in both
# languages, on a phone and on a desk. Screenshots: .lab/page-recordings.
# slots: 2
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

mkdir "$work/recordings"
more_settings="[record]
directory = \"$work/recordings\""
# shellcheck source=../Page/box.sh
. "$root/Tests/Page/box.sh"

check_page recordings
conclude
