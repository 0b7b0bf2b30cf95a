#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# slots: 2
#
# OnAir records on disks of the emulated board that are slow (dm-delay), fail (dm-flakey), stall (a suspended device) or are full:
# each is told with its cause, ends nothing else, and the recording goes on when the disk is back. The emulated processor is slow:
# only events and their order count. Board/25-stick.sh is about the sticks alone.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

cat >"$work/disks" <<'END'
set -u
failures=0
ok() { echo "ok      44-record-disks: $*"; }
miss() { echo "FAILED  44-record-disks: $*"; failures=$((failures + 1)); }
modprobe -a loop dm-delay dm-flakey || exit 1
mkdir -p /tmp/films /tmp/state
chmod 700 /tmp/state
(umask 077 && echo "$SPEED" >/tmp/state/speed.json)
api() { path=$1; shift; curl -s --max-time 60 --unix-socket /tmp/state/control "$@" "http://onair/api/$path"; }
mark() { mark=$(wc -l </tmp/events); }
found() { tail -n +$((mark + 1)) /tmp/events | grep -m 1 -E -- "$1"; }
await() { # COMMAND...
  tries=1200
  until "$@" >/dev/null 2>&1; do
    sleep 0.5
    tries=$((tries - 1))
    [ $tries -gt 0 ] || return 1
  done
}
expect() { # WHAT CODE [CAUSE]
  if await found "\"code\":\"$2\"" && { [ -z "${3:-}" ] || found "\"cause\":\"$3\""; } >/dev/null; then ok "$1: $2 ${3:-}"; else
    miss "$1: no $2 ${3:-} but $(tail -n +$((mark + 1)) /tmp/events | grep '^data' | tail -n 5)"; fi
}
records() { api status | grep -q '"state":"recording"'; }

# A disk of the device mapper, on which every kind of trouble can be made.
truncate -s 96M /tmp/disk
mke2fs -q -t ext4 -m 0 /tmp/disk
loop=$(losetup -f --show /tmp/disk)
sectors=$(blockdev --getsz "$loop")
good="0 $sectors linear $loop 0"
dmsetup create films --table "$good"
table() { dmsetup suspend --noflush films; dmsetup load films --table "$1"; dmsetup resume films; }
mount /dev/mapper/films /tmp/films

./onair run --set publish.url=rtmp://127.0.0.1/live --set publish.key=none --set publish.autostart=never \
  --set state.directory=/tmp/state --set video.source=pattern --set audio.source=tone --set video.size=160x90 --set video.fps=5 \
  --set video.speed=superfast --set page.listen= --set record.start=always --set record.keep_free_mb=20 \
  --set record.directory=/tmp/films >"$OUT/onair.log" 2>&1 &
onair=$!
: >/tmp/events
mark=0
(until api events --max-time 100000 -N -H 'Last-Event-ID: 0' >/tmp/events; do sleep 0.2; done) &
await records || miss "nothing is recorded: $(api status)"

mark
table "0 $sectors delay $loop 0 300"
sleep 20
if found '"code":"record_failed"'; then miss 'a slow disk counts as failed'; else ok 'a slow disk is recorded on'; fi

mark
table "0 $sectors flakey $loop 0 0 1000 1 error_writes"
expect 'a disk that fails' record_failed
table "$good"
# ext4 has made itself read-only.
umount -l /tmp/films
# Until OnAir has closed its file, the device is in use. 1: errors were corrected.
repair() { e2fsck -p /dev/mapper/films; [ $? -le 1 ]; }
await repair || miss 'the file system is not repaired'
mount /dev/mapper/films /tmp/films
expect 'mounted again' record_back
await records || miss 'it does not record again'

mark
dmsetup suspend --noflush films
expect 'a disk that stalls' record_failed stalled
dmsetup resume films
expect 'it responds again' record_back

mark
dd if=/dev/zero of=/tmp/films/rest bs=64k 2>/dev/null
expect 'a full disk' record_failed full
rm /tmp/films/rest
expect 'room again' record_back
await records || miss 'it does not record after all'
if kill -0 $onair; then ok 'OnAir goes on'; else miss 'OnAir has ended'; fi
kill -INT $onair
wait $onair || miss "OnAir ended with $?"
cp /tmp/films/[!.]*.mp4 "$OUT/"
exit $((failures > 0))
END
run_on_board --timeout 1700 --env "SPEED=$board_speed" --out "$work/out" "$work/disks" || miss "the board's script failed ($?)"
for film in "$work"/out/*.mp4; do
  said=$(wrong_with "$film")
  if [[ -z $said ]]; then ok "${film##*/} plays"; else miss "${film##*/}: $said"; fi
done
conclude
