#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The box by HTTP: status, commands and events, who may ask, and what rude visitors can do.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

begin_platform
port=$(free_port 18181)
api=http://127.0.0.1:$port/api
get() { curl -s --max-time 5 "$@"; }
code() { curl -s --max-time 5 -o /dev/null -w '%{http_code}' "$@"; }
expect() { # NAME WANTED GOT
  if [[ $3 =~ $2 ]]; then ok "$1"; else miss "$1: not $2 but ${3:-nothing}"; fi
}
lamp_is() { # LAMP
  local tries=100
  until [[ $(get "$api/status") == *"\"lamp\":\"$1\""* ]]; do
    ((--tries > 0)) || return 1
    sleep 0.05
  done
}
megabytes() { awk -v of="$1:" '$1 == of { printf "%.1f", $2 / 1024 }' "/proc/$program/status"; }

go_on_air secretKey "page.listen=127.0.0.1:$port" video.source=pattern audio.source=tone
expect_line "$work/secretKey.log" 'The stream arrives' 10
lamp_is live || miss "no lamp: $(get "$api/status")"

# What it is at.
status=$(get "$api/status")
if python3 - "$status" <<'END'; then ok 'the status has what it should'; else miss "the status: $status"; fi
import json, sys
status = json.loads(sys.argv[1])
assert status["intent"] == {"broadcast": "live", "muted": False}
assert status["video"] == "pattern" and status["audio"] == "tone" and status["lamp"] == "live"
assert status["capture"] == {"camera": "good", "microphone": "good"} and status["link"] == "good"
destination, = status["destinations"]
assert destination["state"] == "delivering" and 0 <= destination["delivered_ms_ago"] < 2000
assert status["encode"]["working"] and status["encode"]["frames"] > 0 and status["encode"]["audio_packets"] > 0
assert status["troubles"] == []
END

# Commands, and what is told of them.
curl -sN --max-time 20 "$api/events" >"$work/events" &
listener=$!
sleep 0.3
expect 'pause' '"changed":true.*"saved":true.*"broadcast":"paused"' "$(get -X POST "$api/pause")"
expect 'pause again' '"changed":false' "$(get -X POST "$api/pause")"
if lamp_is paused; then ok 'the lamp says paused'; else miss 'the lamp does not say paused'; fi
expect 'mute' '"muted":true' "$(get -X POST "$api/mute")"
expect 'resume' '"broadcast":"live"' "$(get -X POST "$api/resume")"
expect 'unmute' '"muted":false' "$(get -X POST "$api/unmute")"
expect 'reconnect' '"ok":true' "$(get -X POST "$api/reconnect")"
sleep 0.3
lamp_is live || miss 'not live again'
expect 'an unknown command' '^404$' "$(code -X POST "$api/explode")"
expect 'a command by GET' '^404$' "$(code "$api/pause")"
expect 'stop' '"broadcast":"off"' "$(get -X POST "$api/stop")"
expect 'pause off air' '^409$' "$(code -X POST "$api/pause")"
expect 'why not' '"code":"off_air".*start the broadcast first' "$(get -X POST "$api/pause")"
lamp_is off_air || miss 'not off air'
expect 'start' '"broadcast":"live"' "$(get -X POST "$api/start")"
lamp_is live || miss 'not live after the start'
sleep 0.3
kill $listener
told=$(sed -n 's/^event: //p' "$work/events" | paste -sd ' ')
expect "events: $told" 'paused muted resumed unmuted connecting reconnect_started connected publishing reconnect_succeeded delivered.* ended started connecting connected .*publishing' "$told"
totals=$(sed -n '/^event: ended/,/^$/p' "$work/events" | grep -c '"totals":{"bytes":[1-9][0-9]*,"frames":[1-9][0-9]*,"interruptions":1,"seconds":[1-9]')
expect 'the end has its totals' '^1$' "$totals"
last=$(sed -n 's/^id: //p' "$work/events" | tail -n 1)
expect 'what was missed is told' "^$last\$" \
  "$(timeout 2 curl -sN -H "Last-Event-ID: $((last - 1))" "$api/events" | sed -n 's/^id: //p' | head -n 1)"

# Who may ask. What a page from elsewhere sends is refused, by whichever name it found the way here.
expect 'another name' '^403$' "$(code -H 'Host: evil.example' "$api/status")"
expect 'another name with the port' '^403$' "$(code -H "Host: evil.example:$port" -X POST "$api/pause")"
expect 'a page from elsewhere' '^403$' "$(code -H 'Origin: http://evil.example' -X POST "$api/pause")"
expect 'a page without an origin' '^403$' "$(code -H 'Origin: null' -X POST "$api/pause")"
expect 'a page of this machine at another port' '^403$' "$(code -H 'Origin: http://127.0.0.1:1' -X POST "$api/pause")"
expect 'its own page' '^200$' "$(code -H "Origin: http://127.0.0.1:$port" -X POST "$api/mute")"
expect 'its own name, where only this machine can ask' '^403$' "$(code -H "Host: $(hostname):$port" "$api/status")"
expect 'an image of a page from elsewhere' '^403$' "$(code -H 'Sec-Fetch-Site: cross-site' "$api/events")"
expect 'no word of the key' '^0$' "$(cat "$work/events" <(get "$api/status") | grep -c 'secretKey' || true)"

if [[ $(for _ in {1..300}; do code "$api/status"; done) =~ ^(200){300}$ ]]; then ok '300 requests'; else miss 'not each of 300 requests was answered'; fi
# What a request took goes back a moment later.
most=$(for _ in {1..6}; do sleep 0.5; megabytes VmRSS; echo; done | sort -n | head -n 1)
if awk -v m="$most" 'BEGIN { exit !(m <= 80) }'; then ok "$most MB of memory, at most $(megabytes VmHWM) so far"; else miss "$most MB of memory"; fi

# Rude visitors: the broadcast does not notice.
if python3 - "$port" "$program" <<'END'; then ok 'rude visitors'; else miss 'a rude visitor got through'; fi
import os, socket, sys, time
port, program = map(int, sys.argv[1:])

def connect(timeout=5):
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
# More than it takes, all of them silent, and then a big body that nobody asked for.
crowd = []
for _ in range(80):
    try:
        crowd.append(connect(0.1))
    except OSError:
        pass
assert len(crowd) > 30
assert len(os.listdir(f"/proc/{program}/fd")) < 70
for visitor in crowd:
    visitor.close()
big = connect()
big.settimeout(0.5)
try:
    big.sendall(b"POST /api/nothing HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000000000\r\n\r\n")
    for _ in range(200):
        big.sendall(b"x" * 65536)
except OSError:
    pass
big.close()
# All places taken by bodies that never end, none of them idle: somebody else gets in before long.
slow = []
for _ in range(40):
    try:
        visitor = connect(0.1)
        visitor.sendall(b"POST /api/nothing HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n")
        slow.append(visitor)
    except OSError:
        pass
for _ in range(14):
    time.sleep(1)
    for visitor in slow:
        try:
            visitor.sendall(b"1\r\nx\r\n")
        except OSError:
            pass
assert b"200 OK" in say(b"GET /api/status HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 2), "no place left"
for visitor in slow:
    visitor.close()
END
expect 'it still answers' '"lamp":"live"' "$(get "$api/status")"
# The place is taken: one warning, and the box works on.
mkdir "$work/state-second"
start "$work/second.log" "$onair" run --set "publish.url=rtmp://127.0.0.1:$rtmp_port/live" --set publish.key=second \
  --set "state.directory=$work/state-second" --set "page.listen=127.0.0.1:$port" --set video.source=pattern --set audio.source=tone \
  --set video.size=320x180 --set publish.autostart=always
expect_line "$work/second.log" 'cannot be reached by HTTP at 127.0.0.1:[0-9]* \(Address already in use\)' 5
expect_line "$work/second.log" 'The stream arrives' 10
end_group "$started" INT 3
# A new address to publish to, while it is on the air: by the command, and over HTTP.
renewed=$(free_port $((port + 1)))
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
mkdir "$work/state-renewed"
start "$work/renewed.log" "$onair" run --config "$work/box.toml"
expect_line "$work/renewed.log" 'The stream arrives' 10
sleep 2
expect 'nothing new' 'Nothing has changed' "$("$onair" reload --config "$work/box.toml")"
sed -i 's/keyBefore/keyAfter/' "$work/box.toml"
expect 'a new key' 'publish.key: now' "$("$onair" reload --config "$work/box.toml")"
sleep 3
sed -i 's/keyAfter/keyLast/' "$work/box.toml"
expect 'a new key by HTTP' '"changed":true' "$(get -X POST "http://127.0.0.1:$renewed/api/reload")"
sleep 3
echo 'publish.url = 5' >>"$work/box.toml"
expect 'a mistake' '"code":"unfit_settings"' "$(get -X POST "http://127.0.0.1:$renewed/api/reload")"
sleep 1
end_group "$started" INT 3
expect_line "$work/renewed.log" 'Counters: .*pictures \(0 shown again' 1
if grep -q 'key\(Before\|After\|Last\)' "$work/renewed.log"; then miss 'a key in the log'; fi
expect_received keyBefore --min-seconds 1.5 --max-gap-ms 150
expect_received keyAfter --min-seconds 2 --max-gap-ms 150
expect_received keyLast --min-seconds 3 --max-gap-ms 150

go_off_air
expect_received secretKey --min-seconds 3 --max-gap-ms 150
conclude
