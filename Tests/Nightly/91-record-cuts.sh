#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Tests/Board/21-record-cuts.sh with more cuts (CUTS). To go on where it stopped, give the rest of them and another SEED.
CUTS=${CUTS:-50} exec "$(dirname "$0")/../Board/21-record-cuts.sh"
