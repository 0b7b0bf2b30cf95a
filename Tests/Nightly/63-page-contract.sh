#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Tests/EndToEnd/63-page-contract.sh with all cases that schemathesis lists for an operation, and eight times as many made up
# by chance.
EACH=1 EXAMPLES=8 exec "$(dirname "$0")/../EndToEnd/63-page-contract.sh"
