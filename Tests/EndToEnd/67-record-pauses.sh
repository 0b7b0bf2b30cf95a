#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# PAUSES pauses at random moments: while the picture is red and the sound is high, it is paused, and neither is in a recording.
# Tests/Nightly/67-record-pauses.sh does it more often.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

pauses=${PAUSES:-30}
start_server
private=$work/private
mkfifo "$work/frames" "$work/sound"
tell() { curl -sf --max-time "$patience" --unix-socket "$work/state-$mode/control" -X POST "http://onair/api/$1" >/dev/null; }
for mode in still cut; do
  rm -f "$private"
  mkdir "$work/$mode"
  start "$work/frames.log" "$root/Tests/private-room" frames "$work/frames" "$private"
  frames=$started
  start "$work/sound.log" "$root/Tests/private-room" sound "$work/sound" "$private"
  sound=$started
  go_on_air "$mode" "video.source=pipe:$work/frames" "audio.source=pipe:$work/sound" video.size=160x90 \
    video.fps=25 audio.pipe_channels=1 record.start=broadcast "record.directory=$work/$mode" "pause.recording=$mode"
  expect_delivered "$mode"
  expect_status "$mode" '"state":"recording"'
  for ((number = 1; number <= (pauses + 1) / 2; number++)); do
    sleep "0.$((RANDOM % 80 + 10))"
    tell pause || { miss "no pause: $(tail -n 2 "$work/$mode.log")"; break; }
    : >"$private"
    sleep "0.$((RANDOM % 80 + 10))"
    rm "$private"
    # What the pipes and the box still hold of the private time.
    sleep 1
    tell resume || miss 'the pause does not end'
  done
  sleep 1
  go_off_air
  end_group "$frames" TERM 5
  end_group "$sound" TERM 5
  # A pause leaves out what is not written yet: up to a second before it.
  run_checks "$root/Tests/private-room" check "$(find "$work/$mode" -name '[!.]*.mp4')" 10
done
conclude
