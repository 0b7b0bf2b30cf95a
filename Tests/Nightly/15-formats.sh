#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# slots: 5
#
# Every pixel format of vivid that OnAir takes directly, and one that libv4l2 converts, recognised by the colours of
# vivid's bars. (Tests/VideoTests has rotation, mirroring and fit.)
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

start_server
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
END
run_on_board --timeout 400 --env "URL=rtmp://10.0.2.2:$rtmp_port/live" --out "$work/out" \
  "$work/formats" | tee "$work/formats.log" || miss "the board's script failed"
sleep 0.5
white=191,191,191 yellow=191,191,0 blue=0,0,191 black=0,0,0 red=191,0,0 cyan=0,191,191
for format in yuyv uyvy nv12 nv21 yu12 other; do
  expect_received "$format" --min-seconds 2 --size 640x360
  figure "$format: frames per second" "$(received_value "$format" fps)" 28 30.1
  expect_pixels "$format" 1.5 14 40,180=$white 120,180=$yellow 200,180=$cyan 280,180=0,191,0 \
    360,180=191,0,191 440,180=$red 520,180=$blue 600,180=$black
done
for format in YUYV UYVY NV12 NV21 YU12; do
  grep -q "640x360 $format at 30/s" "$work/formats.log" || miss "$format was not taken"
done
conclude
