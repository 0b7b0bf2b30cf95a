#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Every pixel format that vivid offers of those taken straight, one that libv4l2 converts, and each
# rotation, mirroring and fit, told by the colours of vivid's bars.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

begin_platform
cat >"$work/formats" <<'END'
set -eu
v4l2-ctl -c test_pattern=0,osd_text_mode=2 || true
take() { # KEY SECONDS SETTING…
  key=$1 seconds=$2
  shift 2
  arguments=
  for setting in "$@"; do arguments="$arguments --set $setting"; done
  ./onair run --set "publish.url=$URL" --set "publish.key=$key" --set state.directory=/tmp/state --set publish.autostart=always \
    --set video.source=camera --set audio.source=none --set video.size=640x360 --set video.fps=30 \
    --set video.bitrate_kbps=1000 $arguments &
  onair=$!
  sleep "$seconds"
  kill -INT $onair
  wait $onair
}
take yuyv 12 video.camera_format=yuyv # the first start takes seconds
for format in uyvy nv12 nv21 yu12 other; do take $format 8 video.camera_format=$format; done
take turn90 4 video.rotate=90 video.size=360x640
take turn180 4 video.rotate=180
take turn270 4 video.rotate=270 video.size=360x640
take mirror 4 video.mirror=true
take mirror90 4 video.mirror=true video.rotate=90 video.size=360x640
take fit 4 video.size=480x480
take fill 4 video.size=480x480 video.fit=fill
take stretch 4 video.size=480x480 video.fit=stretch
END
"$root/board/lab" --timeout 400 --env "URL=rtmp://10.0.2.2:$rtmp_port/live" --out "$work/out" \
  "$work/formats" | tee "$work/formats.log" || miss "the board's script failed"
sleep 0.5
white=191,191,191 yellow=191,191,0 blue=0,0,191 black=0,0,0 red=191,0,0 cyan=0,191,191
# Each takes nearly all that the emulated processor has: 28.9 of 30 came once. How many it can be is asked in five
# minutes of 10-camera-and-sound.sh.
for format in yuyv uyvy nv12 nv21 yu12 other; do
  expect_received "$format" --min-seconds 4 --min-fps 26 --max-gap-ms 400 --size 640x360
  expect_pixels "$format" 3 14 40,180=$white 120,180=$yellow 200,180=$cyan 280,180=0,191,0 \
    360,180=191,0,191 440,180=$red 520,180=$blue 600,180=$black
done
if grep -q '360x640 was asked for' "$work/formats.log"; then
  miss 'a turned camera was asked for the size after the turn'
fi
for format in YUYV UYVY NV12 NV21 YU12; do
  grep -q "640x360 $format at 30/s" "$work/formats.log" || miss "$format was not taken"
done
# A quarter turn clockwise brings the left edge to the top.
expect_pixels turn90 1.5 14 180,40=$white 180,120=$yellow 180,520=$blue 180,600=$black
expect_pixels turn180 1.5 14 40,180=$black 120,180=$blue 520,180=$yellow 600,180=$white
expect_pixels turn270 1.5 14 180,40=$black 180,120=$blue 180,520=$yellow 180,600=$white
expect_pixels mirror 1.5 14 40,180=$black 120,180=$blue 520,180=$yellow 600,180=$white
expect_pixels mirror90 1.5 14 180,40=$white 180,120=$yellow 180,520=$blue 180,600=$black
# vivid's nearest to a square is 640x480.
expect_pixels fit 1.5 16 30,30=$black 30,240=$white 90,240=$yellow 390,240=$blue 240,440=$black
expect_pixels fill 1.5 16 40,10=$yellow 440,470=$blue 120,470=$cyan
expect_pixels stretch 1.5 16 30,20=$white 90,460=$yellow 390,240=$blue 450,240=$black
conclude
