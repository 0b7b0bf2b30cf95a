#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The test of the connection before a broadcast, by the command line: its result, what the server received, its refusals,
# and a broadcast that is started during one.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

start_server
key=uplinkKey
# No device is opened by the test: the camera is one that does not exist.
go_on_air $key publish.autostart=never video.source=camera:/dev/nowhere audio.source=tone video.size=640x360
box() { "$onair" "$@" --set "state.directory=$work/state-$key"; }
expect() { # NAME WANTED GOT
  if [[ $3 =~ $2 ]]; then ok "$1"; else miss "$1: not $2 but ${3:-nothing}"; fi
}
is_off_air() { box status --json 2>/dev/null | holds '"broadcast" : "off"'; }
wait_until is_off_air || miss 'not off air'

result=$(box uplink --json) || miss "no result: $result"
if python3 - "$result" <<'END'; then ok 'a result'; else miss "the result: $result"; fi
import json, sys
result = json.loads(sys.argv[1])
assert result["state"] == "done" and result["throughput_kbps"] > 400, result
assert 100 <= result["recommended_kbps"] <= 1600, result
assert "Mbit/s" in result["sentence"] or "kbit/s" in result["sentence"], result
END
expect_received $key --min-seconds 2
expect 'the log has the result' 'Uplink test: The connection carries' "$(cat "$work/$key.log")"

# A broadcast that is started ends the test.
box uplink >"$work/second" 2>&1 &
second=$!
runs() { [[ $(grep -c 'An uplink test to' "$work/$key.log") == 2 ]]; }
wait_until runs || miss 'no second test'
box start >/dev/null || miss 'no start during a test'
if wait $second; then miss 'a test that was stopped succeeds'; fi
expect 'a broadcast ends the test' 'stopped before it had a result' "$(<"$work/second")"
expect_delivered $key
refusal=$(box uplink 2>&1) && miss 'a test on air'
expect 'not on air' 'on the air already' "$refusal"
box stop >/dev/null

# A server that cannot be reached.
kill_server
is_over() { box status --json 2>/dev/null | holds '"lamp" : "off_air"'; }
wait_until is_over || miss 'not off air again'
refusal=$(box uplink 2>&1) && miss 'a test without a server'
expect 'no server' 'Nothing listens at' "$refusal"
if grep -q $key <(box status --json) "$work/$key.log"; then miss 'the key in a log or the status'; fi
go_off_air
conclude
