#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Tests/EndToEnd/38-stop-while-asked.sh with more ends (ENDS).
ENDS=${ENDS:-50} exec "$(dirname "$0")/../EndToEnd/38-stop-while-asked.sh"
