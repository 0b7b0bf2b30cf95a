#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# slots: 1
#
# On air for MINUTES: memory stays within 1 MB of what it was after two minutes, open files and threads do not grow,
# and nothing is reported. Late frames are figures; those that fall into a standstill of the machine (Tests/standstills)
# are not counted.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

minutes=${MINUTES:-15}

kilobytes() { sed -n 's/^VmRSS:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$program/status"; }
descriptors() { find "/proc/$program/fd" -mindepth 1 | wc -l; }
threads() { find "/proc/$program/task" -mindepth 1 -maxdepth 1 | wc -l; }

start_server
go_on_air hour video.source=pattern audio.source=tone
: >"$work/standstills"
start "$work/standstills.log" "$root/Tests/standstills" "$work/standstills"
since=$SECONDS
sleep 120
memory=$(kilobytes) most=0 open=$(descriptors) running=$(threads)
most=$memory
echo "        after 2 min: $memory kB, $open descriptors, $running threads"
while ((SECONDS - since < minutes * 60)) && is_running "$program"; do
  sleep 10
  now=$(kilobytes)
  ((now <= most)) || most=$now
done
open_at_end=$(descriptors) running_at_end=$(threads)
repeated=$(ask hour status --json | sed -nE 's/.*"repeated" : ([0-9]+).*/\1/p')
go_off_air

if ((most - memory < 1024)); then ok "memory: $memory kB after 2 min, at most $most in $minutes min"; else
  miss "memory grew from $memory kB after 2 min to $most"; fi
if ((open_at_end == open)); then ok "$open descriptors at the start and the end"; else
  miss "$open descriptors after 2 min, $open_at_end at the end"; fi
if ((running_at_end == running)); then ok "$running threads at the start and the end"; else
  miss "$running threads after 2 min, $running_at_end at the end"; fi
# The status counts frames that were repeated because no new one came in time. A standstill of more than 29 ms makes one
# late for each 33 ms, and the next.
stood_still=$(awk '$2 + 5 >= 29 { late += int(($2 + 5) / 33) + 1 } END { print late + 0 }' "$work/standstills")
figure 'late frames by itself' $((repeated > stood_still ? repeated - stood_still : 0)) 0 0
figure 'late frames while the machine stood still' "$stood_still"
if grep -E '(warning|error): ' "$work/hour.log"; then miss 'something was reported'; else ok 'nothing was reported'; fi
expect_received hour --min-seconds $((minutes * 60 - 30)) --max-av-ms 1000
figure 'frames per second' "$(received_value hour fps)" 29.99 30.01
figure 'longest step ms' "$(received_value hour longest_step_ms)" 0 100
figure 'longest audio step ms' "$(received_value hour sound_longest_step_ms)" 0 30
figure 'audio minus video ms' "$(received_value hour sound_minus_picture_ms)" -20 20
conclude
