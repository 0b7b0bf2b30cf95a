#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What is said when a server of another make refuses the stream (Tests/refusing): the sentence, the state, the lamp.
# Prints the table of sentences.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

rtmp_port=$(free_port "$first_port")
start_fake() {
  start_bound "$work/refusing.said" "$root/Tests/refusing" "$rtmp_port"
  server=$started
  wait_for_line "$work/refusing.said" listening "$patience" || miss "the server does not start: $(<"$work/refusing.said")"
}
start_fake

declare -A programs
publish() { # KEY [SETTING=VALUE…]
  go_on_air "$@" video.source=pattern audio.source=none video.size=320x180 video.fps=15
  programs[$1]=$program
}
# Each with its cause and words of its sentence.
refused=(
  'closes closed_after_start check the stream key, or whether another program sends with it'
  'badauth refused_not_allowed check the stream key'
  'words refused_not_allowed check the stream key'
  'token refused_not_allowed check the stream key'
  'busy refused_stream_in_use stop the other publisher'
)
for line in "${refused[@]}"; do publish "${line%% *}"; done
publish good pause.sound=keep
# A server that closes within the handshake, and never did otherwise: it may want TLS.
closing=$(free_port $((rtmp_port + 1)))
start_bound "$work/closing.said" python3 -c "
import socket
listener = socket.create_server(('127.0.0.1', $closing))
while True:
    listener.accept()[0].close()"
go_on_air never video.source=pattern audio.source=none video.size=320x180 "publish.url=rtmp://127.0.0.1:$closing/live"
programs[never]=$program

expect_delivered good

for line in "${refused[@]}"; do
  read -r key code words <<<"$line"
  expect_code "$key" "$code"
  # A stream in use may be this box's own earlier one: it is a fault after half a minute.
  expect_status "$key" '"lamp":"fault"'
  if grep -qF "$words" "$work/$key.log"; then ok "$key: \"$words\""; else
    miss "$key: \"$words\" is not in $(<"$work/$key.log")"; fi
  if grep -q 'rtmps://' "$work/$key.log"; then miss "$key: it speaks of TLS"; fi
done
expect_line "$work/never.log" 'write rtmps:// in publish.url if it wants TLS'

# Killed: what takes its place closes each connection, as a server that is going down does.
end_group "$server" KILL 5
start_bound "$work/dying.said" python3 -c "
import socket
listener = socket.create_server(('127.0.0.1', $rtmp_port), reuse_port=False)
while True:
    listener.accept()[0].close()"
dying=$started
expect_code good closed_by_server_handshake
if grep -q 'rtmps://' "$work/good.log"; then miss 'good: it speaks of TLS, although the server has worked'; else
  ok 'good: nothing is said of TLS while the server is down'; fi
end_group "$dying" KILL 5
start_fake
expect_delivered good
ask good pause >"$work/said"
expect_status good '"lamp":"paused"'
sleep 2
ask good resume >"$work/said"
expect_status good '"lamp":"live"'
sleep 2
program=${programs[good]}
go_off_air
for key in "${!programs[@]}"; do
  [[ $key == good ]] || { program=${programs[$key]}; go_off_air; }
done
metadata=$(awk '$1 == "good" { print $2 }' "$work/refusing.said" | tail -n 1)
if [[ $metadata == 1 ]]; then ok 'one onMetaData in a stream'; else miss "good: $metadata onMetaData in the last stream"; fi

echo "        The sentences:"
for line in "${refused[@]}" 'never closed_by_server_handshake' 'good closed_by_server_handshake'; do
  read -r key code _ <<<"$line"
  printf '        %-8s %s\n' "$key" "$(grep -m 1 "\[code: $code\]" "$work/$key.log" | cut -d ' ' -f 2-)"
done
conclude
