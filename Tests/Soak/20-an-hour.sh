#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# An hour on air (MINUTES): memory stays within 1 MB of what it was after the second minute, descriptors and
# threads are as many at the end as then, no picture is late, and sound and picture end together.
#
# Where the machine itself stood still (Tests/standstills), the pictures that fell into that time are excused.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

minutes=${MINUTES:-60}

kilobytes() { sed -n 's/^VmRSS:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$program/status"; }
descriptors() { find "/proc/$program/fd" -mindepth 1 | wc -l; }
threads() { find "/proc/$program/task" -mindepth 1 -maxdepth 1 | wc -l; }

rtmp_port=$(free_port 19350)
http_port=$(free_port 18080)
begin_platform
go_on_air hour video.source=pattern audio.source=tone
: >"$work/standstills"
start "$work/standstills.log" "$root/Tests/standstills" "$work/standstills"
begun=$SECONDS
sleep 120
memory=$(kilobytes) most=0 open=$(descriptors) running=$(threads)
most=$memory
echo "        after 2 min: $memory kB, $open descriptors, $running threads"
while ((SECONDS - begun < minutes * 60)) && is_running "$program"; do
  sleep 10
  now=$(kilobytes)
  ((now <= most)) || most=$now
done
open_at_end=$(descriptors) running_at_end=$(threads)
go_off_air

if ((most - memory < 1024)); then ok "memory: $memory kB after 2 min, at most $most in $minutes min"; else
  miss "memory grew from $memory kB after 2 min to $most"; fi
if ((open_at_end == open)); then ok "$open descriptors at the start and the end"; else
  miss "$open descriptors after 2 min, $open_at_end at the end"; fi
if ((running_at_end == running)); then ok "$running threads at the start and the end"; else
  miss "$running threads after 2 min, $running_at_end at the end"; fi
# Pictures that came late in a minute are excused as far as the machine stood still in it: by as many as fall into a
# standstill, and the next. The last picture is shown again 29 ms after another was due; a standstill may be 5 ms
# longer than was noticed. The worst of a second counts, for processors may stand still together.
if excuses=$(awk '
  function seconds(clock,  part) { split(clock, part, ":"); return part[1] * 3600 + part[2] * 60 + part[3] }
  FILENAME == ARGV[1] {
    pictures = $2 + 5 >= 29 ? int(($2 + 5) / 33) + 1 : 0
    if (pictures > excuse[seconds($1)]) excuse[seconds($1)] = pictures
    next
  }
  /Counters: .*pictures/ {
    match($0, /\([0-9]+ shown again[^)]*\)/)
    split(substr($0, RSTART + 1, RLENGTH - 2), counts, ", ")
    sum = excused = 0
    for (i in counts) sum += counts[i]
    for (at = before; at <= seconds($1) + 1; at++) excused += excuse[at]
    if (sum > told) print $1 ": " sum - told " late, " excused " excused by the machine"
    if (sum - told > excused) failed = 1
    told = sum; before = seconds($1)
  }
  END { exit failed }' "$work/standstills" "$work/hour.log"); then ok "no picture late by itself${excuses:+ (${excuses//$'\n'/, })}"; else
  miss "pictures were late: ${excuses//$'\n'/, }"; fi
if grep -E '(warning|error): ' "$work/hour.log"; then miss 'something was the matter'; else ok 'nothing was the matter'; fi
told=$(grep "Counters: " "$work/hour.log" | tail -n 1)
if grep -q '(0 failed, 0 samples too late' <<<"$told"; then ok "$told"; else miss "sound was late: $told"; fi
late=$(grep -oE '[0-9]+ (shown again|left out|broken|overtaken)' <<<"${told%%kbit/s*}" | awk '{ sum += $1 } END { print sum + 0 }')
expect_received hour --min-fps 29.99 --min-seconds $((minutes * 60 - 5)) --max-gaps "$late" --max-sound-gap-ms 30 --max-av-ms 20
conclude
