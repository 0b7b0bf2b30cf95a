#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Attacks on the page and its API, while on air: each is refused, none costs the broadcast a frame, and no secret shows.
# slots: 2
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

need_contract
start_server
port=$(free_port $((first_port + 10)))
# The names of files are no secret, so the key is in none.
key=sEcrEtKey-$RANDOM
state=$work/state-box
install -m 600 /dev/stdin "$work/box.key" <<<"$key"
know_speed "$state"
start "$work/box.log" "$onair" run --set "publish.url=rtmp://127.0.0.1:$rtmp_port/live" --set "publish.key_file=$work/box.key" \
  --set "state.directory=$state" --set publish.autostart=always --set "page.listen=127.0.0.1:$port" --set video.source=pattern \
  --set audio.source=tone --set video.size=320x180
program=$started
make_tokens "$state" >"$work/tokens"
wait_for_page "$port"
expect_delivered box

# A still whose name is a script.
still="$work/<script>alert(1)<"
mkdir -p "$still"
still+="/script>.png"
ffmpeg -v error -f lavfi -i color=red:size=64x36 -frames:v 1 -f image2 -update 1 "$work/still.png" </dev/null
mv "$work/still.png" "$still"

wait_until is_listening "$port" || miss 'it cannot be reached'
run_checks "$contract/bin/python" "$root/Tests/Hostile/attacks.py" "$port" --openapi "$root/Sources/Page/API/openapi.yaml" \
  --process "$program" --state "$state" --log "$work/box.log" --still "$still" --key "$key" <"$work/tokens"

expect_status box '"lamp":"live"'
expect_delivered box
if grep -E 'code: (reconnect|publish|overload|too_slow|frames|undelivered)' "$work/box.log" | grep -v 'code: publishing' >"$work/faults"; then
  miss "the broadcast had to suffer: $(head -n 3 "$work/faults")"
fi
figure 'longest step of the video, ms' "$(received_value "$key" longest_step_ms)" 0 100
go_off_air
# A debug build on a busy machine: the attackers must not cost more than a hiccup.
expect_received "$key" --min-seconds 20 --max-gap-ms 400
conclude
