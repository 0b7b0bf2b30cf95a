#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Tests/Board/50-in-step.sh over an hour, with a sound device that is 200 ppm slow: 720 ms if nothing
# were done about it. SHIFTS=-20 makes it a fast one.
set -euo pipefail
SECONDS_ON_AIR=3600 SHIFTS=${SHIFTS:-20} exec "$(dirname "$0")/../Board/50-in-step.sh"
