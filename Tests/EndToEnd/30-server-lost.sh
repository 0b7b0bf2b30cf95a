#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A server that dies and comes back, one that is not there yet, and one that never answers.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# Whether the server has got a picture of a stream by now: its recording holds a video tag.
has_picture() {
  local file
  file=$(recording "$1")
  [[ -n $file && $(stat -c %s "$file") -gt 3000 ]]
}

rtmp_port=$(free_port 19350)
http_port=$(free_port 18080)
go_on_air lost video.source=pattern audio.source=tone video.size=640x360
expect_line "$work/lost.log" 'Nothing listens at 127.0.0.1' 5
sleep 2
for round in 1 2 3; do
  if [[ -d $work/platform/recorded ]]; then rm -f "$work/platform/recorded"/*; fi
  begun=$(date +%s%N)
  begin_platform
  up=$(date +%s%N)
  until has_picture lost || (($(date +%s%N) - up > 10000000000)); do sleep 0.02; done
  took=$((($(date +%s%N) - begun) / 1000000))
  if ((took <= 3500)); then ok "round $round: video $took ms after the start of the server"; else
    miss "round $round: video only $took ms after the start of the server"; fi
  sleep 3
  if ((round < 3)); then kill_platform; else go_off_air; fi
  expect_received lost --min-seconds 2 --max-gap-ms 150
  sleep 1
done
# The good-bye of a person's stop, as the server saw it: the stream ended before the connection did.
said=$work/platform/log/error.log
connection=$(grep "publish: name='lost'" "$said" | tail -n 1 | grep -o '\*[0-9]*' | head -n 1)
if [[ $(grep -F "$connection " "$said" | grep -oE 'deleteStream|disconnect' | head -n 1) == deleteStream ]]; then
  ok 'the server was told good-bye'
else
  miss 'the server was not told good-bye'
fi

# A port at which nothing listens, and a name that nobody has.
go_on_air deaf video.source=pattern audio.source=none video.size=320x180 publish.url=rtmp://127.0.0.1:9/live
expect_line "$work/deaf.log" 'Nothing listens at 127.0.0.1 port 9' 5
go_off_air
go_on_air nowhere video.source=pattern audio.source=none video.size=320x180 publish.url=rtmp://no-such-host.invalid/live
expect_line "$work/nowhere.log" '(no server named|cannot be looked up)' 20
go_off_air
conclude
