#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The page in a real browser: from the first visit to the air, and each view in both languages, looks and sizes. Screenshots:
# .lab/page-views.
# slots: 2
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../Page/box.sh
. "$root/Tests/Page/box.sh"

check_page views
conclude
