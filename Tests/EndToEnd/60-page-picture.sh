#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The page in a real browser: a logo is dragged on the live picture and sized by keys, a name comes and goes by a tap, in both
# languages, on a phone and on a desk. Screenshots: .lab/page-picture.
# slots: 2
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../Page/box.sh
. "$root/Tests/Page/box.sh"

check_page picture
go_off_air
expect_received sEcrEtPage
conclude
