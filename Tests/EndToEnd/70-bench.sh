#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# board/bench works: all four deliver the same work, and those of OnAir's figures hold that no busy
# machine can spoil.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

status=0
ONAIR=$onair "$root/board/bench" --rounds 1 --seconds 4 --smoke >"$work/table" 2>"$work/bench.log" ||
  status=$?
while IFS= read -r line; do
  case $line in
    'ok '*) ok "${line#ok    }" ;;
    FAILED*) miss "${line#FAILED }" ;;
  esac
done <"$work/table"
((status == 0 || misses > 0)) || miss "board/bench ended with $status: $(tail -n 15 "$work/bench.log")"
cat "$work/table"
conclude
