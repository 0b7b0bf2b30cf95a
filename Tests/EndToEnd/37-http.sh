#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The HTTP interface: status, commands and events, whose requests are refused, and hostile clients.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

start_server
port=$(free_port $((first_port + 10)))
api=http://127.0.0.1:$port/api
get() { curl -s --max-time "$patience" -H "Authorization: Bearer $token" "$@"; }
code() { curl -s --max-time "$patience" -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $token" "$@"; }
expect() { # NAME WANTED GOT
  if [[ $3 =~ $2 ]]; then ok "$1"; else miss "$1: not $2 but ${3:-nothing}"; fi
}
shows_lamp() { [[ $(get "$api/status") == *"\"lamp\":\"$1\""* ]]; }
lamp_is() { # LAMP
  wait_until shows_lamp "$1"
}
megabytes() { awk -v of="$1:" '$1 == of { printf "%.1f", $2 / 1024 }' "/proc/$program/status"; }

go_on_air secretKey "page.listen=127.0.0.1:$port" video.source=pattern audio.source=tone video.size=640x360
token=$(make_token "$work/state-secretKey")
expect_delivered secretKey
lamp_is live || miss "no lamp: $(get "$api/status")"

# The status.
status=$(get "$api/status")
if python3 - "$status" <<'END'; then ok 'the status has what it should'; else miss "the status: $status"; fi
import json, sys
status = json.loads(sys.argv[1])
assert status["intent"] == {"broadcast": "live", "muted": False, "video_off": False, "audio_off": False}
assert status["video"] == "pattern" and status["audio"] == "tone" and status["lamp"] == "live"
assert status["capture"] == {"camera": "good", "microphone": "good"}
destination, = status["destinations"]
assert destination["state"] == "delivering" and destination["delivered_ms_ago"] >= 0
assert status["encode"]["working"] and status["encode"]["frames"] > 0 and status["encode"]["audio_packets"] > 0
END

# Commands, their replies, and the events that follow.
curl -sN --max-time 300 -H "Authorization: Bearer $token" "$api/events" >"$work/events" &
listener=$!
sleep 1
expect 'pause' '"changed":true.*"saved":true.*"broadcast":"paused"' "$(get -X POST "$api/pause")"
expect 'pause again' '"changed":false' "$(get -X POST "$api/pause")"
if lamp_is paused; then ok 'the lamp says paused'; else miss 'the lamp does not say paused'; fi
expect 'mute' '"muted":true' "$(get -X POST "$api/mute")"
expect 'resume' '"broadcast":"live"' "$(get -X POST "$api/resume")"
expect 'unmute' '"muted":false' "$(get -X POST "$api/unmute")"
expect 'video_off' '"video_off":true.*"video":"video_off_still"' "$(get -X POST "$api/video_off")"
expect 'video_on' '"video_off":false' "$(get -X POST "$api/video_on")"
expect 'audio_off' '"audio_off":true' "$(get -X POST "$api/audio_off")"
expect 'audio_on' '"audio_off":false' "$(get -X POST "$api/audio_on")"
expect 'reconnect' '"ok":true' "$(get -X POST "$api/reconnect")"
has_event() { grep -q "^event: $1\$" "$work/events"; }
wait_until has_event reconnect_succeeded || miss 'no event reconnect_succeeded'
expect_delivered secretKey
lamp_is live || miss 'not live again'
expect 'an unknown command' '^404$' "$(code -X POST "$api/explode")"
expect 'a command by GET' '^405$' "$(code "$api/pause")"
expect 'stop' '"broadcast":"off"' "$(get -X POST "$api/stop")"
expect 'pause off air' '^409$' "$(code -X POST "$api/pause")"
expect 'why not' '"code":"off_air".*start the broadcast first' "$(get -X POST "$api/pause")"
lamp_is off_air || miss 'not off air'
expect 'start' '"broadcast":"live"' "$(get -X POST "$api/start")"
lamp_is live || miss 'not live after the start'
published_twice() { (($(grep -c '^event: publishing$' "$work/events") >= 2)); }
wait_until published_twice || miss 'no second event publishing'
sleep 0.3
kill $listener
codes=$(sed -n 's/^event: //p' "$work/events" | paste -sd ' ')
expect "events: $codes" 'paused muted resumed unmuted video_off video_on audio_off audio_on reconnect_asked reconnect_started connecting connected publishing reconnect_succeeded delivered.* ended started connecting connected .*publishing' "$codes"
ended=$(sed -n '/^event: ended/,/^$/p' "$work/events")
expect 'the end has its totals' \
  '"bytes":[1-9].*"dropped":[0-9].*"frames":[1-9].*"interruptions":1,.*"late":[0-9].*"reached":"main".*"seconds":[1-9]' "$ended"
last=$(sed -n 's/^id: //p' "$work/events" | tail -n 1)
expect 'missed events are replayed' "^$last\$" \
  "$(timeout 60 curl -sN -H "Authorization: Bearer $token" -H "Last-Event-ID: $((last - 1))" "$api/events" | sed -n 's/^id: //p' | head -n 1)"

# Requests from pages of other sites are refused, under whichever name they reached the box.
expect 'another name' '^403$' "$(code -H 'Host: evil.example' "$api/status")"
expect 'another name with the port' '^403$' "$(code -H "Host: evil.example:$port" -X POST "$api/pause")"
expect 'a page of another site' '^403$' "$(code -H 'Origin: http://evil.example' -X POST "$api/pause")"
expect 'a page without an origin' '^403$' "$(code -H 'Origin: null' -X POST "$api/pause")"
expect 'a page of this machine at another port' '^403$' "$(code -H 'Origin: http://127.0.0.1:1' -X POST "$api/pause")"
expect 'its own page' '^200$' "$(code -H "Origin: http://127.0.0.1:$port" -X POST "$api/mute")"
expect 'its own name, where only this machine can ask' '^403$' "$(code -H "Host: $(hostname):$port" "$api/status")"
expect 'an image in a page of another site' '^403$' "$(code -H 'Sec-Fetch-Site: cross-site' "$api/events")"
expect 'the key is nowhere' '^0$' "$(cat "$work/events" <(get "$api/status") | grep -c 'secretKey' || true)"

if [[ $(for _ in {1..300}; do code "$api/status"; done) =~ ^(200){300}$ ]]; then ok '300 requests'; else miss 'some of 300 requests were not answered'; fi
# Memory that requests used is released a moment later.
most=$(for _ in {1..6}; do sleep 0.5; megabytes VmRSS; echo; done | sort -n | head -n 1)
figure 'MB of memory (debug build)' "$most" 0 90
expect_at_most 'MB of memory' "$most" 200

# Hostile clients do not disturb the broadcast.
if python3 - "$port" "$program" "$token" <<'END'; then ok 'hostile clients'; else miss 'a hostile client got through'; fi
import os, socket, sys, time
port, program, token = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3].encode()

def connect(timeout=30):
    return socket.create_connection(("127.0.0.1", port), timeout=timeout)

def say(data, wait=1.0):
    connection = connect()
    connection.settimeout(wait)
    answer = b""
    try:
        connection.sendall(data)
        while piece := connection.recv(65536):
            answer += piece
    except OSError:
        pass
    connection.close()
    return answer

for nonsense in (b"\0" * 100_000, b"GET", os.urandom(4096), b"\x16\x03\x01\x02\x00" + os.urandom(500),
                 b"GET /api/status HTTP/1.1\r\n" + b"A: b\r\n" * 5_000 + b"\r\n",
                 b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\n\r\n",
                 b"POST /api/pause HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n",
                 b"POST /api/pause HTTP/1.1\r\nHost: evil\r\nHost: 127.0.0.1\r\n\r\n",
                 b"POST /api/pause HTTP/1.1\r\n\r\n", b"GET http://127.0.0.1/api/status HTTP/1.1\r\nHost: evil\r\n\r\n",
                 b"POST /api/../api/pause HTTP/1.1\r\nHost: evil\r\n\r\n"):
    assert b"200 OK" not in say(nonsense, 0.5), nonsense[:60]
# More connections than it accepts, all of them silent; then a large body that no request needs.
crowd = []
for _ in range(80):
    try:
        crowd.append(connect(0.1))
    except OSError:
        pass
assert len(crowd) > 30
assert len(os.listdir(f"/proc/{program}/fd")) < 120
for client in crowd:
    client.close()
big = connect()
big.settimeout(0.5)
try:
    big.sendall(b"POST /api/nothing HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000000000\r\n\r\n")
    for _ in range(200):
        big.sendall(b"x" * 65536)
except OSError:
    pass
big.close()
# All connections are used by request bodies that never end and never pause: another client is served soon.
slow = []
for _ in range(40):
    try:
        client = connect(0.1)
        client.sendall(b"POST /api/nothing HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n")
        slow.append(client)
    except OSError:
        pass
for _ in range(60):
    time.sleep(1)
    if b"200 OK" in say(b"GET /api/status HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + token + b"\r\n\r\n", 2):
        break
    for client in slow:
        try:
            client.sendall(b"1\r\nx\r\n")
        except OSError:
            pass
else:
    raise AssertionError("no other client gets in")
for client in slow:
    client.close()
END
expect 'it still answers' '"lamp":"live"' "$(get "$api/status")"
# The port is in use: one warning, and everything else works.
know_speed "$work/state-second"
start "$work/second.log" "$onair" run --set "publish.url=rtmp://127.0.0.1:$rtmp_port/live" --set publish.key=second \
  --set "state.directory=$work/state-second" --set "page.listen=127.0.0.1:$port" --set video.source=pattern --set audio.source=tone \
  --set video.size=320x180 --set publish.autostart=always
expect_code second '(page_unavailable|address_in_use)'
expect_delivered second
end_group "$started" INT "$patience"
# A new stream key while on air: by the command, and over HTTP.
renewed=$(free_port $((port + 1)))
received_some() { [[ -n $(recording "$1") && $(stat -c %s "$(recording "$1")") -gt 3000 ]]; }
cat >"$work/box.toml" <<END
state.directory = "$work/state-renewed"
page.listen = "127.0.0.1:$renewed"
video.source = "pattern"
video.size = "320x180"
audio.source = "tone"
publish.autostart = "always"
publish.url = "rtmp://127.0.0.1:$rtmp_port/live"
publish.key = "keyBefore"
END
chmod 600 "$work/box.toml"
know_speed "$work/state-renewed"
start "$work/renewed.log" "$onair" run --config "$work/box.toml"
expect_delivered renewed
sleep 3
token=$(make_token "$work/state-renewed")
"$onair" reload --config "$work/box.toml" >/dev/null || miss 'a reload without a change'
expect 'nothing new by HTTP' '"changed":false' "$(get -X POST "http://127.0.0.1:$renewed/api/reload")"
sed -i 's/keyBefore/keyAfter/' "$work/box.toml"
"$onair" reload --config "$work/box.toml" >/dev/null || miss 'a reload with a new key'
wait_until received_some keyAfter || miss 'nothing under the new key'
sleep 3
sed -i 's/keyAfter/keyLast/' "$work/box.toml"
expect 'a new key by HTTP' '"changed":true' "$(get -X POST "http://127.0.0.1:$renewed/api/reload")"
wait_until received_some keyLast || miss 'nothing under the last key'
sleep 3
echo 'publish.url = 5' >>"$work/box.toml"
expect 'a mistake' '"code":"unfit_settings"' "$(get -X POST "http://127.0.0.1:$renewed/api/reload")"
sleep 1
end_group "$started" INT "$patience"
if grep -q 'key\(Before\|After\|Last\)' "$work/renewed.log"; then miss 'a key in the log'; fi
expect_received keyBefore --min-seconds 1
expect_received keyAfter --min-seconds 1
expect_received keyLast --min-seconds 1

go_off_air
expect_received secretKey --min-seconds 3
conclude
