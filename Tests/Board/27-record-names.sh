#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A recording on vfat keeps its data when the power is cut just after it got its name: when it begins, when it is renamed, and when
# it was deleted and brought back. A copy of what the disk has at that moment is what a power cut leaves.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

cat >"$work/names" <<'END'
set -u
failures=0
ok() { echo "ok      27-record-names: $*"; }
miss() { echo "FAILED  27-record-names: $*"; failures=$((failures + 1)); }
modprobe -a loop vfat nls_cp437 nls_ascii || exit 1
mkdir -p /tmp/films /tmp/after /tmp/state
chmod 700 /tmp/state
(umask 077 && echo "$SPEED" >/tmp/state/speed.json)
truncate -s 64M /tmp/disk
mkfs.vfat /tmp/disk >/dev/null
mount -t vfat -o loop /tmp/disk /tmp/films || exit 1
# What a cut in the middle of a renaming leaves, and somebody's own.
: >/tmp/films/2026-01-01_00-00-00.mp4
: >/tmp/films/empty.mp4
api() { path=$1; shift; curl -s --max-time 60 --unix-socket /tmp/state/control "$@" "http://onair/api/$path"; }
await() { # COMMAND...
  tries=1200
  until "$@" >/dev/null 2>&1; do
    sleep 0.2
    tries=$((tries - 1))
    [ $tries -gt 0 ] || return 1
  done
}
./onair run --set publish.url=rtmp://127.0.0.1/live --set publish.key=none --set publish.autostart=never \
  --set state.directory=/tmp/state --set video.source=pattern --set audio.source=tone --set video.size=160x90 --set video.fps=5 \
  --set video.speed=superfast --set page.listen= --set record.keep_free_mb=1 --set record.directory=/tmp/films >"$OUT/onair.log" 2>&1 &
onair=$!
has_film() { api recordings | grep -q "\"running\":$1"; }
id() { api recordings | sed 's/.*"id":"\([^"]*\)".*/\1/'; }

# What a power cut leaves now: the only film has this name, and data.
cut_power() { # NAME TEXT
  cp /tmp/disk /tmp/copy
  mount -t vfat -o loop,ro /tmp/copy /tmp/after
  found=$(cd /tmp/after && stat -c '%s %n' [!.]*.mp4)
  case $found in
    [1-9]*" "$1) ok "$2: $found" ;;
    *) miss "$2: $found" ;;
  esac
  cuts=$((cuts + 1))
  cp "/tmp/after/${found#* }" "$OUT/cut-$cuts.mp4"
  umount /tmp/after
}
cuts=0
await api status || miss 'OnAir does not answer'
await test ! -e /tmp/films/2026-01-01_00-00-00.mp4 || miss 'an empty film stays'
[ -e /tmp/films/empty.mp4 ] || miss 'a file that is not of OnAir is gone'
rm /tmp/films/empty.mp4
api record/start -X POST >/dev/null
await has_film true || miss "nothing is recorded: $(api status)"
cut_power '2*.mp4' 'a film has begun'
api record/stop -X POST >/dev/null
await has_film false || miss 'the film is not finished'
api "recordings/$(id)" -X PATCH -H 'Content-Type: application/json' -d '{"name":"Service"}' >/dev/null
cut_power 'Service.mp4' 'a film is renamed'
one=$(id)
api "recordings/$one" -X DELETE >/dev/null
api "recordings/$one/undo" -X POST >/dev/null
cut_power 'Service.mp4' 'a film is brought back'
kill -INT $onair
wait $onair || miss "OnAir ended with $?"
exit $((failures > 0))
END
run_on_board --timeout 600 --env "SPEED=$board_speed" --out "$work/out" "$work/names" || miss "the board's script failed ($?)"
for film in "$work"/out/*.mp4; do
  said=$(wrong_with "$film")
  if [[ -z $said ]]; then ok "${film##*/} plays"; else miss "${film##*/}: $said"; fi
done
conclude
