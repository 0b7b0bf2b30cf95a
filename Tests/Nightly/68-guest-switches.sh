#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# slots: 6
#
# Tests/EndToEnd/68-guest-switches.sh with more changes (SWITCHES), on a machine that does nothing else: times have limits.
SWITCHES=${SWITCHES:-300} STRICT=1 BUILD=release exec "$(dirname "$0")/../EndToEnd/68-guest-switches.sh"
