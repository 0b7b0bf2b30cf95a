#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Tests/EndToEnd/68-guest-hostile.sh with 1,000 guests, 200 of them at once.
GUESTS=${GUESTS:-1000} AT_ONCE=${AT_ONCE:-200} STRICT=1 BUILD=release exec "$(dirname "$0")/../EndToEnd/68-guest-hostile.sh"
