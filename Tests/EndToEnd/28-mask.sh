#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A tenth of Tests/Nightly/88-mask.sh: the privacy mask over 30 switches.
folder=$(cd "$(dirname "$0")" && pwd)
DONE=$(mktemp -u)
BUILD=${BUILD:-debug} ROUNDS=3 DONE=$DONE exec "$folder/../Nightly/88-mask.sh"
