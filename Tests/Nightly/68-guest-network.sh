#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# slots: 5
#
# A guest's line on the emulated board: 100 ms of jitter, 5 % of the packets lost, and 3 seconds without any. The guest is another
# OnAir on the board, over its loopback device; the broadcast itself goes to this machine. What comes is told, the guest comes back
# by himself, and the programme goes on. The board's clock counts the instructions of its processor.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

start_server
cat >"$work/box" <<'END'
set -u
failures=0
ok() { echo "ok      68-guest-network: $*"; }
miss() { echo "FAILED  68-guest-network: $*"; failures=$((failures + 1)); }
mkdir -p /tmp/state /tmp/far
chmod 700 /tmp/state /tmp/far
(umask 077 && echo "$SPEED" >/tmp/state/speed.json && echo "$SPEED" >/tmp/far/speed.json)
api() { curl -s --max-time 60 --unix-socket /tmp/state/control "http://onair/api/$1"; }
small="--set video.source=pattern --set audio.source=tone --set video.size=160x90 --set video.fps=5 --set video.speed=superfast
  --set audio.channels=1 --set audio.bitrate_kbps=64 --set page.listen="
./onair run $small --set "publish.url=$URL" --set publish.key=box --set state.directory=/tmp/state --set publish.autostart=always \
  --set guests.listen=127.0.0.1:1940 --set guest.far.key=key-of-the-far-one --set guest.far.admit=auto >"$OUT/onair.log" 2>&1 &
onair=$!
: >/tmp/events
listen() { curl -sN --max-time 100000 --unix-socket /tmp/state/control -H 'Last-Event-ID: 0' http://onair/api/events >/tmp/events; }
(until listen; do sleep 0.2; done) &
mark() { mark=$(wc -l </tmp/events); }
found() { tail -n +$((mark + 1)) /tmp/events | grep -m 1 -E -- "$1"; }
await() { # COMMAND...
  tries=600
  until "$@" >/dev/null 2>&1; do
    sleep 0.5
    tries=$((tries - 1))
    [ $tries -gt 0 ] || return 1
  done
}
is_on_air() { api guests | grep -q '"state":"on_air"'; }
delivers() { api status | grep -q '"state":"delivering"'; }
await delivers || miss 'there is no broadcast'
mark=0
./onair run $small --set publish.url=rtmp://127.0.0.1:1940/live --set publish.key=key-of-the-far-one \
  --set state.directory=/tmp/far --set publish.autostart=always >"$OUT/far.log" 2>&1 &
far=$!
if await is_on_air; then ok 'the guest is on air'; else miss "no guest: $(api guests)"; fi
await found '"code":"guest_tracks".*"picture":true' || miss 'no picture of the guest was told'
# It grows to what the line needs, unseen.
sleep 10

mark
tc qdisc replace dev lo root netem delay 100ms 100ms loss 5%
sleep 30
if found '"code":"guest_offline"'; then miss 'jitter and losses have ended the guest'; else
  ok 'jitter and losses: the guest stays'; fi
is_on_air || miss "he is not on air: $(api guests)"
tc qdisc del dev lo root
sleep 5

mark
tc qdisc replace dev lo root netem loss 100%
sleep 3
tc qdisc del dev lo root
if await found '"code":"guest_tracks".*"picture":false'; then ok '3 s without packets are told'; else
  miss "3 s are not told: $(tail -n 5 /tmp/events)"; fi
if await found '"code":"guest_tracks".*"picture":true'; then ok 'that he is back is told'; else
  miss "no word that he is back: $(tail -n 5 /tmp/events)"; fi
is_on_air || miss "he is not on air: $(api guests)"
api figures >"$OUT/figures"
kill -INT $far
wait $far
kill -INT $onair
wait $onair || miss "OnAir ended with $?"
exit $((failures > 0))
END
run_on_board --steady --timeout 2400 --env "URL=rtmp://10.0.2.2:$rtmp_port/live" --env "SPEED=$board_speed" --out "$work/out" \
  "$work/box" || miss "the board's script failed ($?)"
expect_equal 'connections to the server' "$(find "$work/platform/recorded" -name 'box-*.flv' | wc -l)" 1
expect_received box --max-av-ms 3000
late=$(grep -aoE '[0-9]+ late' "$work/out/onair.log" | tail -n 1)
figure 'frames late' "${late%% *}" 0 0
conclude
