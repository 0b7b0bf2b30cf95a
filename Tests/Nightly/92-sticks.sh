#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Tests/Board/25-stick.sh with more pulls (PULLS).
PULLS=${PULLS:-20} exec "$(dirname "$0")/../Board/25-stick.sh"
