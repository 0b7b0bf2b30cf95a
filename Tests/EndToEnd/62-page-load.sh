#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Crowds of slow, deaf and nonsensical clients while on air: the broadcast loses nothing, memory stays, and a person is
# answered. The crowds have one core of their own. SEED chooses the random requests.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

need_contract
start_server
port=$(free_port $((first_port + 10)))
go_on_air load "page.listen=127.0.0.1:$port" video.source=pattern audio.source=tone video.size=320x180
make_tokens "$work/state-load" >"$work/tokens"
wait_for_page "$port"
expect_delivered load

wait_until is_listening "$port" || miss 'it cannot be reached'
run_checks taskset -c 0 "$contract/bin/python" "$root/Tests/Hostile/load.py" "$port" \
  --openapi "$root/Sources/Page/API/openapi.yaml" --process "$program" <"$work/tokens"

expect_status load '"lamp":"live"'
expect_delivered load
figure 'longest step of the video, ms' "$(received_value load longest_step_ms)" 0 100
go_off_air
expect_received load --min-seconds 20 --max-gap-ms 400
conclude
