#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The test picture and tone at the server: all frames, in order, decodable, as long as each other, in
# the right colours; beep and flash together.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

begin_platform
go_on_air pattern video.source=pattern audio.source=tone
sleep 20
go_off_air
expect_received pattern --min-fps 29.8 --min-seconds 18 --max-gap-ms 100 --max-av-ms 20 --size 1280x720
# Middles of the bars, below the clock.
expect_pixels pattern 5 12 91,500=191,191,191 273,500=191,191,0 455,500=0,191,191 \
  1005,500=191,0,0 1187,500=0,0,191

# In each second the flash begins with the beep: compare when each first shows, to a frame.
file=$(recording pattern)
ffmpeg -v error -i "$file" -vf "crop=40:40:620:70,scale=1:1,format=gray,metadata=print:file=-" -f null - >/dev/null </dev/null
flashes=$(ffmpeg -v error -copyts -i "$file" -vf "crop=40:40:620:70,signalstats,metadata=print:key=lavfi.signalstats.YAVG:file=-" \
  -an -f null - </dev/null | awk -F'pts_time:|=' '/pts_time/ { t = $2 } /YAVG/ { lit = $2 > 128; if (lit && !was && NR > 2) print t; was = lit }')
# Silence ends with the recording too, and that is no beep.
end=$(ffprobe -v error -show_entries format=duration -of csv=p=0 "$file")
beeps=$(ffmpeg -v info -copyts -i "$file" -vn -af "silencedetect=noise=-30dB:duration=0.2" -f null - 2>&1 </dev/null |
  sed -n 's/.*silence_end: \([0-9.]*\).*/\1/p' | awk -v end="$end" '$1 < end - 0.1')
if paste <(tail -n +2 <<<"$flashes") <(tail -n +2 <<<"$beeps") | awk '
  NF == 2 { d = ($1 - $2) * 1000; d -= int(d / 1000 + (d < 0 ? -.5 : .5)) * 1000; n++; sum += d; if (d < 0) d = -d; if (d > worst) worst = d }
  END { printf "%d seconds, flash after beep by %.0f ms on the mean, %.0f ms at most\n", n, n ? sum / n : 0, worst; exit !(n >= 10 && worst <= 45) }' >"$work/sync"
then ok "in step: $(<"$work/sync")"; else miss "beep and flash apart: $(<"$work/sync")"; fi
conclude
