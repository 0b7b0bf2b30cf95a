#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Tests/Board/20-power-cut.sh with more cuts (CUTS).
set -euo pipefail
CUTS=${CUTS:-8} exec "$(dirname "$0")/../Board/20-power-cut.sh"
