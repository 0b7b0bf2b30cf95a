#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The board loses its power CUTS times, at random moments while settings and stills are saved over the API: after each boot
# it has the old ones or the new ones, whole. SEED chooses the moments.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

port=$(free_port $((first_port + 10)))
cat >"$work/cut" <<'END_OF_CUT'
set -u
mkdir -p /tmp/kept
mount -t ext4 /dev/vdc /tmp/kept || exit 1
mkdir -p -m 700 /tmp/kept/state
rm -f /tmp/kept/state/control
./onair run --set state.directory=/tmp/kept/state --set video.source=pattern --set audio.source=tone --set video.size=160x90 \
  --set video.speed=superfast --set page.listen=0.0.0.0:8080 >"$OUT/onair.log" 2>&1 &
tries=300
if [ ! -e /tmp/kept/token ]; then
  until echo 'a test password' | ./onair password --set state.directory=/tmp/kept/state; do
    sleep 0.5
    tries=$((tries - 1))
    [ $tries -gt 0 ] || exit 1
  done
  ./onair token add cuts --scope admin --set state.directory=/tmp/kept/state >/tmp/kept/new && sync
  mv /tmp/kept/new /tmp/kept/token && sync
fi
echo "token $(cat /tmp/kept/token)"
wait
END_OF_CUT
PORT=$port DISK=$work/disk run_checks python3 "$root/Tests/Hostile/kills.py" "$work/box" "${CUTS:-50}" \
  "$root/board/lab" "${board_build[@]}" --timeout 600 --disk "$work/disk" --forward "$port:8080" --out "$work/out" "$work/cut"
conclude
