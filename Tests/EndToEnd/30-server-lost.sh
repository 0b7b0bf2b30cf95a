#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A server that starts late, a server that is killed and restarted, a host name that does not exist.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# Whether the server has received video by now: a header alone is shorter.
has_video() {
  local file
  file=$(recording "$1")
  [[ -n $file && $(stat -c %s "$file") -gt 3000 ]]
}

rtmp_port=$(free_port "$first_port")
go_on_air lost video.source=pattern audio.source=tone video.size=640x360
expect_code lost connection_refused
for round in 1 2 3; do
  if [[ -d $work/platform/recorded ]]; then rm -f "$work/platform/recorded"/*; fi
  since=$(milliseconds)
  start_server
  if wait_until has_video lost; then
    ok "round $round: the server receives video"
    figure "video ms after the server's start, round $round" $(($(milliseconds) - since)) 0 3500
  else
    miss "round $round: no video within $patience s"
  fi
  sleep 4
  if ((round < 3)); then kill_server; else go_off_air; fi
  expect_received lost --min-seconds 1
  sleep 1
done
# nginx logs whether the stream was closed (deleteStream) before the connection was.
said=$work/platform/log/error.log
connection=$(grep "publish: name='lost'" "$said" | tail -n 1 | grep -o '\*[0-9]*' | head -n 1)
if [[ $(grep -F "$connection " "$said" | grep -oE 'deleteStream|disconnect' | head -n 1) == deleteStream ]]; then
  ok 'the stream was closed before the connection'
else
  miss 'the connection was closed before the stream'
fi

# A port on which nothing listens, and a name that does not exist.
go_on_air deaf video.source=pattern audio.source=none video.size=320x180 publish.url=rtmp://127.0.0.1:9/live
deaf=$program
go_on_air nowhere video.source=pattern audio.source=none video.size=320x180 publish.url=rtmp://no-such-host.invalid/live
expect_code deaf connection_refused
# A machine without a network cannot tell that the name does not exist.
expect_code nowhere '(name_not_found|name_server_unreachable)'
go_off_air
program=$deaf
go_off_air
conclude
