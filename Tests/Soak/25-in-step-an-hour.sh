#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Tests/Board/50-in-step.sh over an hour: sound devices that are 200 ppm slow and fast, 720 ms each if nothing were
# done about it.
set -euo pipefail
SECONDS_ON_AIR=3600 exec "$(dirname "$0")/../Board/50-in-step.sh"
