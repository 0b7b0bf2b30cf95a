#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# `onair devices` on real kernel drivers.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

cat >"$work/devices" <<'END'
set -eu
./onair devices | tee "$OUT/devices.txt"
./onair devices --json >"$OUT/devices.json"
./onair check --config /dev/null || echo "check: $?"
END
"$root/board/lab" --timeout 120 --out "$work/out" "$work/devices" || miss "the board's script failed"
for pattern in '/dev/video0  vivid' 'YUYV' '640x360 at .*30' 'hw:0,0  Loopback' '48000' 'S16_LE' \
  'onair-sim, .* lines' 'button  input' 'lamp-red  '; do
  if grep -qE -- "$pattern" "$work/out/devices.txt"; then ok "$pattern"; else miss "no \"$pattern\""; fi
done
grep -q '"gpioChips" : \[' "$work/out/devices.json" || miss 'no JSON'
conclude
