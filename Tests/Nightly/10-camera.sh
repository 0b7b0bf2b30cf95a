#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# slots: 5
#
# The emulated board for SECONDS_ON_AIR: 640x360 at 30 frames per second from vivid, audio from snd-aloop, to a server on
# this machine. The emulated processor has about a fortieth of the speed of the one that it runs on, hence superfast
# and one channel.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

seconds=${SECONDS_ON_AIR:-120}
start_server
cat >"$work/camera" <<'END'
set -eu
# Without the text overlay only a moving bar changes from frame to frame.
v4l2-ctl -c test_pattern=0,osd_text_mode=2 || true
speaker-test -D hw:Loopback,0,0 -c 2 -r 48000 -F S16_LE -t sine -f 500 >/dev/null 2>&1 &
./onair run --set "publish.url=$URL" --set publish.key=camera --set state.directory=/tmp/state --set publish.autostart=always \
  --set video.source=camera --set audio.source=microphone:hw:Loopback,1,0 \
  --set video.size=640x360 --set video.fps=30 --set video.bitrate_kbps=1000 --set video.gop_seconds=4 --set video.speed=superfast --set audio.channels=1 --set audio.bitrate_kbps=64 &
onair=$!
sleep "$DURATION"
kill -INT $onair
wait $onair
END
run_on_board --timeout $((seconds + 120)) --env "URL=rtmp://10.0.2.2:$rtmp_port/live" \
  --env "DURATION=$((seconds + 5))" --out "$work/out" "$work/camera" || miss "the board's script failed ($?)"
sleep 0.5
expect_received camera --min-seconds $((seconds / 2)) --max-av-ms 3000 --size 640x360
figure 'frames per second' "$(received_value camera fps)" 29.5 30.1
figure 'longest step ms' "$(received_value camera longest_step_ms)" 0 400
figure 'longest audio step ms' "$(received_value camera sound_longest_step_ms)" 0 60
figure 'audio minus video ms' "$(received_value camera sound_minus_picture_ms)" -20 20
# vivid's 75 % bars: white, yellow, cyan, green, magenta, red, blue, black.
expect_pixels camera $((seconds / 2)) 14 40,180=191,191,191 120,180=191,191,0 200,180=0,191,191 \
  280,180=0,191,0 360,180=191,0,191 440,180=191,0,0 520,180=0,0,191 600,180=0,0,0
conclude
