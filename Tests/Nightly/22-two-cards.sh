#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Tests/Board/22-two-cards.sh with more stops (STOPS).
STOPS=${STOPS:-50} exec "$(dirname "$0")/../Board/22-two-cards.sh"
