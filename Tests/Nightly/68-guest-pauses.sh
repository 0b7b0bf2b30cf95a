#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Tests/EndToEnd/68-guest-pauses.sh with more pauses (PAUSES).
PAUSES=${PAUSES:-300} exec "$(dirname "$0")/../EndToEnd/68-guest-pauses.sh"
