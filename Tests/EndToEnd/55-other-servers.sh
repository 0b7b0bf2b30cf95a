#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Two more servers that share no code with nginx's module or with librtmp: ffmpeg's own, and pyrtmp
# (https://pypi.org/project/pyrtmp/) in a virtual environment that is kept in .lab.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# Checks the stream that a server has written to a file.
check() { # NAME
  local said
  if said=$("$root/board/received" "$work/$1.flv" --check --min-seconds 4 --max-gap-ms 150 --max-av-ms 60 --size 320x180 2>&1); then
    ok "$1: $(head -n 1 <<<"$said")"
  else
    miss "$1: $said"
  fi
}

publish() { # NAME
  go_on_air "$1" video.source=pattern audio.source=tone video.size=320x180 video.fps=15 video.bitrate_kbps=500
  expect_line "$work/$1.log" '127.0.0.1 takes the stream'
  sleep 6
  if grep 'warning: ' "$work/$1.log" | grep -v 'publish.key on the command line'; then miss "$1: there was trouble"; fi
  go_off_air
}

rtmp_port=$(free_port 19360)
start_ffmpeg_server ffmpeg "$rtmp_port"
server=$started
publish ffmpeg
wait_until is_gone "$server" || miss 'ffmpeg does not end'
end_group "$server" INT 5
check ffmpeg

need_pyrtmp
rtmp_port=$(free_port 19370)
start "$work/pyrtmp.said" "$pyrtmp/bin/python" "$root/Tests/pyrtmp-server" "$rtmp_port" "$work"
server=$started
wait_for_line "$work/pyrtmp.said" listening "$patience" || miss "pyrtmp does not start: $(<"$work/pyrtmp.said")"
publish pyrtmp
end_group "$server" TERM 5
check pyrtmp
conclude
