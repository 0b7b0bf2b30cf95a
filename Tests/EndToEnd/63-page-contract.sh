#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The API does what openapi.yaml says: schemathesis asks each operation with good and bad data (Tests/Page/valid_data.py has the
# good ones). And /metrics is understood by Prometheus. Which statuses there can be at all: Tests/Page/contract.py.
# Tests/Nightly/63-page-contract.sh asks all that schemathesis can think of: EACH=1, and eight times as many EXAMPLES.
# slots: 2
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

export EACH=${EACH:-10}
examples=${EXAMPLES:-1}
# By default it would be in the current folder.
export HYPOTHESIS_STORAGE_DIRECTORY=$work/hypothesis

need_contract
start_server
port=$(free_port $((first_port + 10)))
api=http://127.0.0.1:$port
# A NetworkManager without a network, on a bus of its own; and as in a box from an image, but with nobody who installs updates.
export DBUS_SYSTEM_BUS_ADDRESS=unix:path=$work/bus
start "$work/bus.log" dbus-daemon --session --nofork --nopidfile --address="$DBUS_SYSTEM_BUS_ADDRESS"
wait_until test -S "$work/bus" || miss 'there is no bus'
start "$work/manager.log" /usr/bin/python3 "$root/Tests/Page/manager.py"
mkdir "$work/updates" "$work/run"
export ONAIR_UPDATES=$work/updates RUNTIME_DIRECTORY=$work/run
go_on_air contract "page.listen=127.0.0.1:$port" publish.play_url=https://example.org/watch video.source=pattern audio.source=tone video.size=320x180
make_tokens "$work/state-contract" >"$work/tokens"
wait_for_page "$port"
token=$(sed -n 's/^admin //p' "$work/tokens")
wait_until is_listening "$port" || miss 'it cannot be reached'
expect_delivered contract
sleep 2
get() { curl -s --max-time "${patience}" -H "Authorization: Bearer $token" "$@"; }

get "$api/metrics" >"$work/metrics"
if promtool check metrics <"$work/metrics" >"$work/promtool" 2>&1 && [[ ! -s $work/promtool ]]; then
  ok "promtool has no objection to $(grep -vc '^#' "$work/metrics") metrics"
else
  miss "promtool: $(head -n 5 "$work/promtool")"
fi

# What never ends, schemathesis would wait for.
begins() { # PATH TYPE BYTES
  curl -sN --max-time "$patience" -H "Authorization: Bearer $token" -D "$work/head" "$api$1" 2>/dev/null | head -c "$3" >"$work/body" || true
  if grep -qi "^content-type: $2" "$work/head" && (($(stat -c %s "$work/body") == $3)); then ok "GET $1: $2"; else
    miss "GET $1: $(head -n 1 "$work/head"), $(stat -c %s "$work/body") bytes"; fi
}
begins /api/preview.mp4 video/mp4 5000
begins '/api/snapshot.jpg?count=3&interval=0.2' multipart/x-mixed-replace 3000
begins /api/snapshot.jpg image/jpeg 500
begins '/api/events?after=0&with=figures,status' text/event-stream 500
if grep -qE '^data: .*"code":.*"number":.*"sentence":.*"time":' "$work/body"; then ok 'events have their fields'; else
  miss "events: $(head -c 400 "$work/body")"; fi

export SOCKET=$work/state-contract/control REQUESTS=$work/run ANSWERS=$work/answers
export URL=rtmp://127.0.0.1:$rtmp_port/live PASSWORD='correct horse battery staple'
export SCHEMATHESIS_HOOKS=valid_data PYTHONPATH=$root/Tests/Page PYTHONDONTWRITEBYTECODE=1
# Changes are limited to 20 at once and 5 a second. The password stays, and the first set-up is over; stills and calendars are no JSON.
conforms() { # WHAT CHECKS OPTION...
  local what=$1 checks=$2
  shift 2
  if "$contract/bin/schemathesis" run "$root/Sources/Page/API/openapi.yaml" --url "$api" -H "Authorization: Bearer $token" \
    --phases examples,coverage,fuzzing --generation-deterministic --generation-with-security-parameters false --no-shrink \
    --continue-on-failure --request-timeout "$patience" --no-color --checks "$checks" "$@" >"$work/$what" 2>&1; then
    ok "$what: $(grep -E '^ +[0-9]+ generated' "$work/$what" | tr -s ' ')"
  else
    miss "$what: $(grep -vE '^ *$' "$work/$what" | grep -vE '^(Reproduce|=)' | cut -c 1-300 | tail -n 60)"
  fi
}
always=not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance
always+=,response_schema_conformance,unsupported_method
conforms questions "$always,negative_data_rejection,positive_data_acceptance" --include-method GET --max-examples $((examples * 3)) \
  --exclude-path /api/events --exclude-path /api/preview.mp4 --exclude-path /api/snapshot.jpg
conforms changes "$always" --exclude-method GET --max-examples "$examples" --rate-limit 10/s \
  --exclude-path /api/setup --exclude-path /api/password --exclude-operation-id putStill --exclude-operation-id importCalendar

run_checks "$contract/bin/python" "$root/Tests/Page/valid_data.py"

# Schemathesis has also stopped and started the broadcast.
if get "$api/api/status" | holds '"lamp"'; then ok 'it still answers'; else miss 'it does not answer any more'; fi
if [[ $(get "$api/healthz") == ok ]]; then ok 'and is healthy'; else miss 'and is not healthy'; fi
go_off_air
conclude
