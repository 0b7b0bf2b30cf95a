#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# slots: 2
#
# The unit tests that repeat something often, with their full counts: board/test repeats it a tenth as often
# (Tests/TestSupport/FullCount.swift).
# shellcheck disable=SC2154  # what board/lib.d/swift sets
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

suites=$(cd "$root/Tests" && grep -lE '\b(often\(|countsAreFull)' ./*Tests -r | sed 's,.*/,,; s,\.swift$,,' | paste -sd '|')

if ONAIR_FULL=1 swift test "${test_build[@]}" --package-path "$root" --filter "$suites" >"$work/full.log" 2>&1; then
  ok "$(tail -n 1 "$work/full.log")"
else
  miss "$(grep -A 1 'recorded an issue' "$work/full.log" | head -n 40)"
fi
conclude
