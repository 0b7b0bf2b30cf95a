#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# slots: 2
#
# Two hundred media files of odd kinds as sources. The unit tests take a tenth of them.
# shellcheck disable=SC2154  # what board/lib.d/swift sets
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

if ONAIR_MEDIA_FILES=200 swift test --package-path "$root" "${test_build[@]}" \
  --filter MediaMatrixTests >"$work/media.log" 2>&1; then
  ok "$(tail -n 1 "$work/media.log")"
else
  miss "$(grep -A 1 'recorded an issue' "$work/media.log" | head -n 40)"
fi
conclude
