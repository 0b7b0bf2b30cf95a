#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The plug-ins of frei0r that OnAir knows: all of them run, at a size whose sides are no multiples of 8, too; each is the same after
# a thousand frames, and its memory does not grow.
# shellcheck source=../lib.sh disable=SC2154  # what board/lib.d/packages sets
. "$(dirname "$0")/../lib.sh"

if [[ -n $(missing_packages "${filter_packages[@]}") ]] && ! (install_packages "$work/install.log" "${filter_packages[@]}"); then
  echo "skipped $name: ${filter_packages[*]} cannot be installed"
  conclude
fi
known=$(grep -o '"[A-Za-z0-9_]*"' "$root/Sources/onair-filter/plugins.h" | wc -l)
for size in 1280x720 854x478; do
  if "$root/Tests/frei0r" "${onair%/*}/onair-filter" "$size" 1000 >"$work/plugins" 2>"$work/plugins.err"; then
    ok "$size: $(tail -n 1 "$work/plugins")"
  else
    miss "$size: $(<"$work/plugins") $(tail -n 3 "$work/plugins.err")"
  fi
  if [[ $(tail -n 1 "$work/plugins") != "$known of $known plug-ins run" ]]; then miss "$size: OnAir knows $known plug-ins"; fi
  while read -r plugin median _; do figure "$plugin ms at $size" "$median" 0 15; done < <(head -n -1 "$work/plugins")
done
conclude
