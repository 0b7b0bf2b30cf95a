#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# slots: 6
#
# What relays do to the main destination: four that are frozen, mute, slow and refusing, and a thin line that all share.
# shellcheck disable=SC2154  # what board/lib.sh sets
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

become_root 'for network namespaces'
run_checks "${sudo[@]}" "$root/Tests/relays" "$onair" "$work" --seconds "${SECONDS_EACH:-120}"
conclude
