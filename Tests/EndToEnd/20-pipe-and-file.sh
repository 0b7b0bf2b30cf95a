#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Raw video from another program through a pipe, and a media file with audio, in a loop.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

start_server

# A clip of 7 s in red, green and blue, with a tone. Neither its length nor its size fits what is sent.
ffmpeg -v error -f lavfi -i "color=red:s=640x480:r=25:d=2.4,format=yuv420p" \
  -f lavfi -i "color=0x00c000:s=640x480:r=25:d=2.3,format=yuv420p" \
  -f lavfi -i "color=blue:s=640x480:r=25:d=2.3,format=yuv420p" -f lavfi -i "sine=500:d=7" \
  -filter_complex "[0][1][2]concat=n=3:v=1,setparams=colorspace=smpte170m:range=tv[v]" -map "[v]" -map 3 \
  -c:v libx264 -preset ultrafast -crf 10 -c:a aac "$work/clip.mp4" </dev/null

go_on_air file "video.source=file:$work/clip.mp4" "audio.source=file:$work/clip.mp4" \
  video.size=640x360 video.fps=25
expect_delivered file
sleep 12
go_off_air
expect_received file --min-seconds 9 --max-av-ms 1000 --size 640x360
figure 'file frames per second' "$(received_value file fps)" 24.8 25.2
figure 'file longest step ms' "$(received_value file longest_step_ms)" 0 100
figure 'file longest audio step ms' "$(received_value file sound_longest_step_ms)" 0 30
# The colours in the order in which they are shown: red again after blue is the loop. 4:3 has bars at the sides in 16:9.
ffmpeg -v error -i "$(recording file)" -vf 'crop=2:2:319:179,scale=1:1,format=rgb24' -f rawvideo - </dev/null |
  od -An -v -tu1 -w3 | awk '
    { colour = $1 > 200 && $2 < 40 ? "red" : $2 > 150 && $1 < 40 ? "green" : $3 > 200 ? "blue" : "other" }
    colour != last { print colour; last = colour }' | grep -v other | uniq | paste -sd ' ' >"$work/colours"
if [[ $(<"$work/colours") =~ 'red green blue red' ]]; then ok "the file loops: $(<"$work/colours")"; else
  miss "the file does not loop: $(<"$work/colours")"; fi
expect_pixels file 3 20 20,180=0,0,0 620,180=0,0,0

# Files with absurd timestamps, and files that are no media: a warning at most, and the stream continues.
ffmpeg -v error -i "$work/clip.mp4" -t 2 -c copy -output_ts_offset 9300000000 "$work/far.nut" </dev/null
ffmpeg -v error -i "$work/clip.mp4" -t 2 -c copy -output_ts_offset 9300000000 "$work/far.mkv" </dev/null
ffmpeg -v error -i "$work/clip.mp4" -t 2 -c copy \
  -bsf:v "setts=pts='if(gt(N,5),PTS+9.3e12,PTS)':dts='if(gt(N,5),DTS+9.3e12,DTS)'" "$work/jump.mkv" </dev/null
ffmpeg -v error -f lavfi -i "sine=500:d=0.00003" "$work/tiny.wav" </dev/null
mkfifo "$work/fifo.mp4"
declare -A programs
for file in far.nut far.mkv jump.mkv tiny.wav fifo.mp4 .; do
  go_on_air "absurd-$file" "video.source=file:$work/$file" "audio.source=file:$work/$file" video.size=320x180
  programs[$file]=$program
done
for file in "${!programs[@]}"; do
  expect_line "$work/absurd-$file.log" 'Connecting to'
done
sleep 4
for file in "${!programs[@]}"; do
  program=${programs[$file]}
  if is_running "$program"; then ok "it continues with $file"; else miss "it died of $file"; fi
  go_off_air
done

know_speed "$work/state-pipe"
# shellcheck disable=SC2016  # expanded by the inner shell
start "$work/pipe.log" bash -c '
  ffmpeg -v error -re -f lavfi -i testsrc2=s=640x360:r=30 -t 8 -pix_fmt yuv420p -f rawvideo - |
    "$0" run --set "publish.url=rtmp://127.0.0.1:$1/live" --set publish.key=pipe --set page.listen= \
      --set state.directory="$2" --set video.source=pipe --set audio.source=tone \
      --set video.size=640x360 --set publish.autostart=always' "$onair" "$rtmp_port" "$work/state-pipe"
if wait_until is_gone "$started"; then
  ok "it ended with the pipe: $(grep -m 1 'has ended' "$work/pipe.log")"
else
  miss 'it continues although the pipe has ended'
  end_group "$started" KILL 1
fi
sleep 0.3
expect_received pipe --min-seconds 5 --max-av-ms 1000 --size 640x360
figure 'pipe frames per second' "$(received_value pipe fps)" 29.5 30.2

# Audio alone, and video alone.
go_on_air radio video.source=none audio.source=tone
radio=$program
go_on_air mute video.source=pattern audio.source=none video.size=320x180
expect_delivered radio
expect_delivered mute
sleep 4
go_off_air
program=$radio
go_off_air
if "$root/board/received" "$(recording radio)" --json | holds '"frames": 0,.*"sound_rising": true'; then
  ok 'audio alone arrives'
else
  miss 'audio alone does not arrive'
fi
expect_received mute --min-seconds 2
conclude
