#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Pictures from another program through a pipe, and a media file with sound, in a loop.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

begin_platform

# A clip of 7 s, of red, green and blue, with a tone: neither length nor size fits what is sent.
ffmpeg -v error -f lavfi -i "color=red:s=640x480:r=25:d=2.4,format=yuv420p" \
  -f lavfi -i "color=0x00c000:s=640x480:r=25:d=2.3,format=yuv420p" \
  -f lavfi -i "color=blue:s=640x480:r=25:d=2.3,format=yuv420p" -f lavfi -i "sine=500:d=7" \
  -filter_complex "[0][1][2]concat=n=3:v=1,setparams=colorspace=smpte170m:range=tv[v]" -map "[v]" -map 3 \
  -c:v libx264 -preset ultrafast -crf 10 -c:a aac "$work/clip.mp4" </dev/null

go_on_air file "video.source=file:$work/clip.mp4" "audio.source=file:$work/clip.mp4" \
  video.size=640x360 video.fps=25
sleep 18
go_off_air
expect_received file --min-fps 24.8 --min-seconds 16 --max-gap-ms 100 --max-sound-gap-ms 30 --max-av-ms 20 --size 640x360
# Bars at the sides, for 4:3 does not fill 16:9; red first and again after a loop.
expect_pixels file 1 20 20,180=0,0,0 320,180=254,0,0
expect_pixels file 3.4 20 320,180=0,192,0
expect_pixels file 8.2 20 320,180=254,0,0 620,180=0,0,0

# Files whose times are nonsense, and what is no file: a sentence at most, and the stream goes on.
ffmpeg -v error -i "$work/clip.mp4" -t 2 -c copy -output_ts_offset 9300000000 "$work/far.nut" </dev/null
ffmpeg -v error -i "$work/clip.mp4" -t 2 -c copy -output_ts_offset 9300000000 "$work/far.mkv" </dev/null
ffmpeg -v error -i "$work/clip.mp4" -t 2 -c copy \
  -bsf:v "setts=pts='if(gt(N,5),PTS+9.3e12,PTS)':dts='if(gt(N,5),DTS+9.3e12,DTS)'" "$work/jump.mkv" </dev/null
ffmpeg -v error -f lavfi -i "sine=500:d=0.00003" "$work/tiny.wav" </dev/null
mkfifo "$work/fifo.mp4"
for file in far.nut far.mkv jump.mkv tiny.wav fifo.mp4 .; do
  go_on_air nonsense "video.source=file:$work/$file" "audio.source=file:$work/$file" video.size=320x180
  sleep 2.5
  if is_running "$program"; then ok "it goes on with $file"; else miss "it died of $file"; fi
  go_off_air
done

# shellcheck disable=SC2016  # expanded by the inner shell
start "$work/pipe.log" bash -c '
  ffmpeg -v error -re -f lavfi -i testsrc2=s=640x360:r=30 -t 15 -pix_fmt yuv420p -f rawvideo - |
    "$0" run --set "publish.url=rtmp://127.0.0.1:$1/live" --set publish.key=pipe \
      --set state.directory="$2" --set video.source=pipe --set audio.source=tone \
      --set video.size=640x360 --set publish.autostart=always' "$onair" "$rtmp_port" "$work/state-pipe"
program=$started
tries=400
while is_running "$program" && ((tries-- > 0)); do sleep 0.05; done
if is_running "$program"; then
  miss 'it goes on although the pipe has ended'
  end_group "$program" KILL 1
else
  ok "it ended with the pipe: $(grep -m 1 'has ended' "$work/pipe.log")"
fi
sleep 0.3
expect_received pipe --min-fps 29.8 --min-seconds 14 --max-gap-ms 100 --max-av-ms 20 --size 640x360

# Sound alone, and pictures alone.
go_on_air radio video.source=none audio.source=tone
sleep 6
go_off_air
if "$root/board/received" "$(recording radio)" --json | grep -q '"frames": 0,.*"sound_rising": true'; then
  ok 'sound alone arrives'
else
  miss 'sound alone does not arrive'
fi
go_on_air mute video.source=pattern audio.source=none video.size=320x180
sleep 6
go_off_air
expect_received mute --min-seconds 4
conclude
