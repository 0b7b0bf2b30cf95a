#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Tests/Board/10-camera-and-sound.sh over five minutes.
set -euo pipefail
SECONDS_ON_AIR=300 exec "$(dirname "$0")/../Board/10-camera-and-sound.sh"
