#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# slots: 2
#
# Recording at 1280x720, and disks that are slow, stall, fail or are full (Tests/slow-disk): the broadcast loses no frame, and its
# delay to the server grows by at most 5 ms (p99). What the recording takes of processor and memory. SECONDS_EACH for each state.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

seconds=${SECONDS_EACH:-60}
[[ $EUID == 0 ]] || fail 69 'This test mounts a file system: it needs root.'
/usr/bin/python3 -c 'import fusepy' 2>/dev/null || install_packages "$work/install.log" python3-fusepy fuse3
mkdir "$work/disk" "$work/behind"
echo good >"$work/mode"
trap 'echo good >"$work/mode"; umount -l "$work/disk" 2>/dev/null; finish' EXIT
start "$work/slow-disk" "$root/Tests/slow-disk" "$work/behind" "$work/disk" "$work/mode"
is_mounted() { mountpoint -q "$work/disk"; }
wait_until is_mounted || fail 1 "no file system: $(<"$work/slow-disk")"

api() { curl -s --max-time 20 --unix-socket "$work/state-disk/control" "http://onair/api/$1" "${@:2}"; }
process() { pgrep -g "$program" -x onair | head -n 1; }
# The p99 of the time from the capture of a frame until the server has acknowledged it, in ms, asked each second.
delay() { # SECONDS
  local end=$((SECONDS + $1))
  while ((SECONDS < end)); do
    (api figures; echo) | sed -n 's/.*"capture_to_acknowledged_ms":\([0-9.]*\).*/\1/p'
    sleep 1
  done | sort -n | awk '{ value[NR] = $1 } END { if (NR) print value[int(NR * 0.99 + 0.99)] }'
}
# Processor time in hundredths of a second.
used() { awk '{ print $14 + $15 }' "/proc/$(process)/stat"; }
# Of the recorder's own thread.
used_by_recorder() {
  local task
  for task in "/proc/$(process)"/task/*; do
    [[ $(<"$task/comm") != recorder ]] || awk '{ print $14 + $15 }' "$task/stat"
  done
}
memory() { awk '/^VmRSS/ { print int($2 / 1024) }' "/proc/$(process)/status"; }

start_server
go_on_air disk video.source=pattern audio.source=tone video.size=1280x720 video.bitrate_kbps=3000 network.mode=fixed \
  video.speed=superfast record.keep_free_mb=1 "record.directory=$work/disk"
expect_delivered disk
sleep 10
# For the same time without and with a recording, in turn.
without=0 with=0 own=0
memory_without=$(memory)
alone=$(delay "$seconds")
for _ in 1 2 3; do
  before=$(used)
  sleep $((seconds / 3))
  without=$((without + $(used) - before))
  api record/start -X POST >/dev/null
  expect_status disk '"state":"recording"'
  before=$(used) own_before=$(used_by_recorder)
  sleep $((seconds / 3))
  with=$((with + $(used) - before)) own=$((own + $(used_by_recorder) - own_before))
  memory_with=$(memory)
  api record/stop -X POST >/dev/null
  expect_line "$work/disk.log" "The recording has ended"
  sleep 2
done
figure '% of a core that all of OnAir takes without a recording' "$(awk -v t="$without" -v s="$seconds" 'BEGIN { print t / s }')"
figure '% of a core that all of OnAir takes more with one' "$(awk -v a="$with" -v b="$without" -v s="$seconds" 'BEGIN { print (a - b) / s }')"
figure "% of a core that the recorder's thread takes" "$(awk -v t="$own" -v s="$seconds" 'BEGIN { print t / s }')" 0 2
figure 'MB of memory more while it is recorded' $((memory_with - memory_without)) 0 8

api record/start -X POST >/dev/null
expect_status disk '"state":"recording"'
good=$(delay "$seconds")
figure 'p99 ms from capture to the server, without a recording' "$alone"
figure 'p99 ms from capture to the server, with one' "$good"
expect_at_most 'p99 ms more with a recording' "$(awk -v a="$good" -v b="$alone" 'BEGIN { print a - b }')" 5
for state in slow stall fail full; do
  echo $state >"$work/mode"
  bad=$(delay "$seconds")
  figure "p99 ms from capture to the server, $state" "$bad"
  expect_at_most "p99 ms more: $state" "$(awk -v a="$bad" -v b="$alone" 'BEGIN { print a - b }')" 5
  figure "MB of memory more: $state" $(($(memory) - memory_without)) 0 32
  case $state in
    stall) expect_status disk '"cause":"stalled"' ;;
    fail) expect_status disk '"cause":"disk_failed"' ;;
    full) expect_status disk '"cause":"full"' ;;
  esac
  echo good >"$work/mode"
  expect_status disk '"state":"recording"'
done
expect_status disk '"late":0'
expect_status disk '"dropped":0'
api record/stop -X POST >/dev/null
expect_line "$work/disk.log" 'Parts are missing in it'
go_off_air
expect_received disk --max-gap-ms 200
# What a failed disk has left unfinished is mended at the next start.
go_on_air next video.source=pattern audio.source=tone record.start=hand "record.directory=$work/disk"
expect_line "$work/next.log" 'had not been finished'
go_off_air
for film in "$work"/behind/[!.]*.mp4; do
  said=$(wrong_with "$film")
  if [[ -z $said ]]; then ok "${film##*/} plays"; else miss "${film##*/}: $said"; fi
done
conclude
