#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Relays: a main server and four others, of which one is frozen, one is mute, one refuses and one works. The main server misses no
# frame, whatever they do; they are added, stopped, paused, started and removed during the broadcast; and a pause of the
# broadcast hides the picture from each of them.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

relay_has() { # KEY NAME STATE
  ask "$1" relay list --json 2>/dev/null | tr -d ' \n' | holds -E "\"name\":\"$2\"[^}]*\"state\":\"($3)\""
}
expect_relay() { # KEY NAME STATE
  if wait_until relay_has "$@"; then ok "$1: the relay $2 is $3"; else miss "$1: the relay $2 is not $3: $(ask "$1" relay list)"; fi
}
has_recording() { [[ -n $(recording "$1") && $(stat -c %s "$(recording "$1")") -gt 3000 ]]; }
expect_recording() { if wait_until has_recording "$1"; then ok "$1 has a picture"; else miss "$1 has no picture"; fi; }

start_server
# A second server, which is frozen later; and one that accepts connections and says nothing.
other_port=$(free_port $((first_port + 40)))
mkdir -p "$work/other"
start_bound "$work/other.log" "$root/board/platform" "$work/other" --rtmp "$other_port" --http "$((other_port + 5))" --record
other_group=$started
mute_port=$(free_port $((first_port + 60)))
start_bound "$work/mute.log" python3 -c "
import socket, time
server = socket.create_server(('127.0.0.1', $mute_port))
held = []
while True: held.append(server.accept())"
wait_until test -s "$work/other/nginx.pid" || fail 70 'The second server does not start.'

go_on_air main video.source=pattern audio.source=tone video.size=320x180 video.fps=25 video.bitrate_kbps=600
expect_delivered main
ask main relay add good "rtmp://127.0.0.1:$rtmp_port/live" <<<relay-good || miss 'a relay is not added'
expect_relay main good running
expect_recording relay-good
ask main relay add frozen "rtmp://127.0.0.1:$other_port/live" <<<relay-frozen || miss 'a relay is not added'
expect_relay main frozen running
ask main relay add mute "rtmp://127.0.0.1:$mute_port/live" <<<relay-mute || miss 'a relay is not added'
ask main relay add refusing 'rtmp://127.0.0.1:9/live' <<<relay-refusing || miss 'a relay is not added'
if ask main relay add fifth "rtmp://127.0.0.1:$rtmp_port/live" <<<x >"$work/fifth" 2>&1; then miss 'a fifth relay is taken'; else ok "a fifth is refused: $(<"$work/fifth")"; fi
expect_relay main refusing failure
# All of the second server's processes stop: its kernel still takes what fits into the socket's buffers.
kill -STOP -- "-$other_group"
sleep 12
expect_relay main frozen 'failure|connecting'
expect_relay main mute 'failure|connecting'
expect_relay main good running
expect_delivered main
if ask main status | grep '^Relay' | tee "$work/lines" | holds 'refusing'; then ok "$(tr '\n' ';' <"$work/lines")"; else miss "$(ask main status)"; fi

ask main pause >/dev/null
sleep 4
ask main resume >/dev/null
sleep 2
ask main relay stop good >/dev/null || miss 'a relay is not stopped'
expect_relay main good idle
sleep 1
expect_scenes relay-good "$root/Sources/Video/Stills/pause.png" 'camera still camera' video
ask main relay start good >/dev/null || miss 'a relay is not started'
expect_relay main good running
kill -CONT -- "-$other_group"
expect_relay main frozen running
if ask main relay remove frozen | holds 'frozen is removed'; then ok 'a relay is removed'; else miss 'a relay is not removed'; fi
if ask main relay add keyless rtmp://127.0.0.1:9/live </dev/null | holds 'has no stream key, so nothing is sent'; then ok 'a missing key is told'; else miss 'a missing key is not told'; fi

# The whole set by HTTP: what stays goes on untouched.
answer_of() { # METHOD PATH [BODY]
  curl -s -o "$work/answer" -w '%{http_code}' --unix-socket "$work/state-main/control" -X "$1" \
    -H 'Content-Type: application/json' ${3:+-d "$3"} "http://onair/api/relays$2"
}
expect_answer() { # CODE METHOD PATH [BODY]
  local code
  code=$(answer_of "${@:2}")
  if [[ $code == "$1" ]]; then ok "$2 /api/relays$3: $code"; else miss "$2 /api/relays$3: $code, not $1: $(<"$work/answer")"; fi
}
sent() { ask main relay list --json | python3 -c 'import json, sys
for one in json.load(sys.stdin):
    if one["name"] == "good": print(one["sent_bytes"] if one["reconnects"] == 0 else "it was connected anew")'; }
expect_answer 409 POST '' '{"name": "good", "url": "rtmp://127.0.0.1:9/live", "key": "x"}'
expect_answer 400 POST '' '{"name": "main", "url": "rtmp://127.0.0.1:9/live", "key": "x"}'
expect_answer 404 PATCH /nobody '{"enabled": false}'
expect_answer 404 POST /nobody/stop
before=$(sent)
expect_answer 200 PUT '' '[{"name": "good"}, {"name": "second", "url": "rtmp://127.0.0.1:'"$rtmp_port"'/live", "key": "relay-second"}]'
expect_relay main second running
after=$(sent)
if ((after > before)); then ok "good goes on untouched: $before to $after bytes"; else miss "good: $before, then $after"; fi
if [[ $(ask main relay list | cut -d , -f 1 | xargs) == 'good second' ]]; then ok 'those that are missing have ended'; else miss "$(ask main relay list)"; fi

ask main relay pause >/dev/null || miss 'relays are not paused'
expect_relay main good idle
ask main relay resume good >/dev/null
expect_relay main good running
sleep 3
lost=$(ask main status --json | python3 -c 'import json, sys
main = json.load(sys.stdin)["destinations"][0]
print(main["dropped"] + main["reconnects"])')
go_off_air
expect_received main --min-seconds 30 --max-gap-ms 200 --max-av-ms 100 --size 320x180
if [[ $lost == 0 ]]; then ok 'the main server has lost nothing'; else miss "the main server has lost something ($lost)"; fi
if grep -E 'warning: ' "$work/main.log" | grep -vE 'Relay |key'; then miss 'there was other trouble'; fi
conclude
