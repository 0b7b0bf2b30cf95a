#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# 2,000 damaged images, stickers and fonts of each kind, and 400 hostile texts (Tests/OverlayTests/HostileInputTests.swift).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
ONAIR_HOSTILE=${1:-2000} exec swift test --filter HostileInputTests
