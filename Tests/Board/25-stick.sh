#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
# needs: board/setup
#
# Sticks on the emulated board: systemd/onair-media with the board's udev, its file systems and a USB stick that the board
# plays itself. Each format is mounted for OnAir's user and removed safely; one that is pulled while it is written, PULLS
# times for each format, comes back with all that was flushed; what cannot be used is told, and what is not a stick is left
# alone. Tests/Board/stick runs on the board.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

"$root/board/lab" --binary none --timeout 1700 --env "PULLS=${PULLS:-1}" --out "$work/out" "$root/Tests/Board/stick" \
  "$root/systemd/onair-media" "$root/systemd/onair-media.udev.rules" || miss "the board's script failed ($?)"
conclude
