#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Tests/EndToEnd/68-guest-boxes.sh with more cuts, and ten minutes together.
CUTS=${CUTS:-10} SECONDS_TOGETHER=${SECONDS_TOGETHER:-600} BUILD=release exec "$(dirname "$0")/../EndToEnd/68-guest-boxes.sh"
