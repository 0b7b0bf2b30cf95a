#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Attacks on the page and its API, while on air: each is refused, none costs the broadcast a frame, and no secret shows.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

need_contract
start_server
port=$(free_port $((first_port + 10)))
key=sEcrEtKey-$RANDOM
go_on_air "$key" "page.listen=127.0.0.1:$port" video.source=pattern audio.source=tone video.size=320x180
state=$work/state-$key
make_tokens "$state" >"$work/tokens"
expect_delivered "$key"

# A still whose name is a script.
still="$work/<script>alert(1)<"
mkdir -p "$still"
still+="/script>.png"
ffmpeg -v error -f lavfi -i color=red:size=64x36 -frames:v 1 -f image2 -update 1 "$work/still.png" </dev/null
mv "$work/still.png" "$still"

run_checks "$contract/bin/python" "$root/Tests/Hostile/attacks.py" "$port" --openapi "$root/Sources/Page/Assets/openapi.yaml" \
  --process "$program" --state "$state" --log "$work/$key.log" --still "$still" --key "$key" <"$work/tokens"

expect_status "$key" '"lamp":"live"'
expect_delivered "$key"
go_off_air
# A debug build on a busy machine: the attackers must not cost more than a hiccup.
expect_received "$key" --min-seconds 20 --max-gap-ms 400
conclude
