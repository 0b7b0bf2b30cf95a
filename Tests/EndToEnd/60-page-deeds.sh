#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The page in a real browser: what its controls do, off the air and on it, as seen at the server. Screenshots: .lab/page-deeds.
# slots: 2
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../Page/box.sh
. "$root/Tests/Page/box.sh"

check_page deeds
go_off_air
expect_received sEcrEtPage
conclude
