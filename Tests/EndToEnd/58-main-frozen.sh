#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The main server stops reading, until its connection is given up: the viewers of a relay see the picture all the while, and
# status and lamp tell the truth about both.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# What the server's kernel still takes has to be full first.

relay_runs() { ask main relay list --json 2>/dev/null | tr -d ' \n' | holds '"state":"running"'; }
tells_outage() { ask main status | holds '^Broadcast *on the air at 1 relay, but not at the first server'; }

start_server
frozen_port=$(free_port $((first_port + 40)))
mkdir -p "$work/frozen"
start_bound "$work/frozen.log" "$root/board/platform" "$work/frozen" --rtmp "$frozen_port" --http "$((frozen_port + 5))"
frozen_group=$started
wait_until test -s "$work/frozen/nginx.pid" || fail 70 'The main server does not start.'

relay_port=$rtmp_port
rtmp_port=$frozen_port
go_on_air main video.source=pattern audio.source=tone video.size=320x180 video.fps=25 video.bitrate_kbps=600 \
  audio.bitrate_kbps=320 network.poor_after_seconds=2
expect_delivered main
ask main relay add good "rtmp://127.0.0.1:$relay_port/live" <<<relay-good || miss 'a relay is not added'
if wait_until relay_runs; then ok 'the relay runs'; else miss "$(ask main relay list)"; fi
kill -STOP -- "-$frozen_group"
if wait_until tells_outage; then ok "$(ask main status | head -n 2 | paste -sd ';')"; else miss "$(ask main status)"; fi
sleep 20
if wait_until relay_runs; then ok 'the relay still runs'; else miss "the relay does not run: $(ask main relay list)"; fi
if ask main status | holds -E '^Lamp.*\(live\)'; then miss 'the lamp says live'; else ok "$(ask main status | grep '^Lamp')"; fi
kill -CONT -- "-$frozen_group"
expect_delivered main
go_off_air
expect_received relay-good --min-seconds 20 --max-gap-ms 500
expect_scenes relay-good "$root/Sources/Video/Stills/poor-network.png" 'camera' video
conclude
