#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The test pattern and tone at the server: every frame decodes, in order, in the right colours, with audio of the
# same length; the beep comes with the flash.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

start_server
go_on_air pattern video.source=pattern audio.source=tone
expect_delivered pattern
sleep 9
go_off_air
expect_received pattern --min-seconds 6 --max-av-ms 1000 --size 1280x720
figure 'frames per second' "$(received_value pattern fps)" 29.8 30.2
figure 'longest step ms' "$(received_value pattern longest_step_ms)" 0 100
figure 'audio minus video ms' "$(received_value pattern sound_minus_picture_ms)" -20 20
# The middles of the colour bars, below the clock.
expect_pixels pattern 3 12 91,500=191,191,191 273,500=191,191,0 455,500=0,191,191 \
  1005,500=191,0,0 1187,500=0,0,191

# Each second begins with a flash and a beep: compare the times at which each first shows.
file=$(recording pattern)
flashes=$(ffmpeg -v error -copyts -i "$file" -vf "crop=40:40:620:70,signalstats,metadata=print:key=lavfi.signalstats.YAVG:file=-" \
  -an -f null - </dev/null | awk -F'pts_time:|=' '/pts_time/ { t = $2 } /YAVG/ { lit = $2 > 128; if (lit && !was && NR > 2) print t; was = lit }')
# silencedetect also reports the end of the recording, which is no beep.
end=$(ffprobe -v error -show_entries format=duration -of csv=p=0 "$file")
beeps=$(ffmpeg -v info -copyts -i "$file" -vn -af "silencedetect=noise=-30dB:duration=0.2" -f null - 2>&1 </dev/null |
  sed -n 's/.*silence_end: \([0-9.]*\).*/\1/p' | awk -v end="$end" '$1 < end - 0.1')
# A busy machine may show single flashes late, but not most of them.
paste <(tail -n +2 <<<"$flashes") <(tail -n +2 <<<"$beeps") | awk '
  NF == 2 { d = ($1 - $2) * 1000; d -= int(d / 1000 + (d < 0 ? -.5 : .5)) * 1000; print d < 0 ? -d : d }' |
  sort -n >"$work/apart"
count=$(wc -l <"$work/apart")
median=$(awk -v middle="$(((count + 1) / 2))" 'NR == middle { printf "%.0f", $1 }' "$work/apart")
if ((count >= 4 && median <= 45)); then ok "flash and beep $median ms apart in most of $count seconds"; else
  miss "flash and beep are ${median:-unknown} ms apart in $count seconds: $(paste -sd ' ' "$work/apart")"; fi
figure 'flash and beep at most ms apart' "$(tail -n 1 "$work/apart")" 0 45
conclude
