#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Players near by: what the play-out answers, how late a player is, ffmpeg, ffplay, mpv and Chromium with the page's own player;
# settings that change at once; a pause and the end of the broadcast.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

start_server
port=$(free_port $((first_port + 10)))
near=http://127.0.0.1:$port/live/programme
# Audio that never stops.
ffmpeg -v error -f lavfi -i anoisesrc=d=60:a=0.5 -ac 1 "$work/noise.wav"
answer() { curl -s -o /dev/null --max-time "$patience" -w '%{http_code}' "$@"; }
is_answered() { [[ $(answer "$2") == "$1" ]]; }
expect_answer() { # STATUS PATH
  local status
  status=$(answer "$near$2" || true)
  if [[ $status == "$1" ]]; then ok "$2: $1"; else miss "$2: $status, not $1"; fi
}
change() { # JSON
  curl -s -o /dev/null --max-time "$patience" --unix-socket "$work/state-near/control" -X PATCH -d "$1" http://onair/api/settings
}
tell() { curl -s -o /dev/null --max-time "$patience" --unix-socket "$work/state-near/control" -X POST "http://onair/api/$1"; }

go_on_air near video.source=pattern video.size=320x180 "audio.source=file:$work/noise.wav" "playout.listen=127.0.0.1:$port"
expect_delivered near
wait_until is_listening "$port" || miss 'nobody listens'
expect_status near "\"hls\":\"$near.m3u8\""
expect_line "$work/near.log" 'Players near by can watch'
# Who comes first may have a player that does not know parts.
if curl -s --max-time "$patience" "$near.m3u8" | grep -q '^#EXTINF'; then ok 'the first playlist has a whole segment'; else miss 'the first playlist has parts alone'; fi
run_checks "$root/Tests/playout" rules "$port"
run_checks "$root/Tests/playout" delay "$port" 8

# Players: three seconds each, without one complaint.
plays() { # NAME COMMAND...
  local player=$1 status=0
  shift
  timeout "$patience" "$@" >"$work/$player.said" 2>&1 </dev/null || status=$?
  if ((status == 0)) && [[ ! -s $work/$player.said ]]; then ok "$player"; else miss "$player ($status): $(tail -n 5 "$work/$player.said")"; fi
}
for form in flv m3u8; do
  # In the stream's own time base: on a busy machine two frames may be nearer than the frame rate says.
  plays "ffmpeg $form" ffmpeg -v error -i "$near.$form" -t 3 -enc_time_base -1 -f null -
  # Of a stream without an end, ffplay does not always end by itself.
  # shellcheck disable=SC2016  # the inner shell's
  plays "ffplay $form" env SDL_VIDEODRIVER=dummy SDL_AUDIODRIVER=dummy bash -c 'timeout 8 ffplay -v fatal -autoexit "$1" || (($? == 124))' \
    ffplay "$near.$form"
  plays "mpv $form" mpv --no-config --msg-level=all=error --vo=null --ao=null --length=3 "$near.$form"
done
run_checks /usr/bin/python3 "$root/Tests/Page/playout.py" "$port"

# A pause, as a viewer of HTTP-FLV sees it: the same as what the server gets.
start "$work/near.flv" curl -sN "$near.flv"
viewer=$started
expect_status near '"viewers":'
sleep 3
tell pause
expect_status near '"lamp":"paused"'
sleep 6
tell resume
expect_status near '"lamp":"live"'
sleep 3
end_group "$viewer" TERM 5
"$root/Tests/scenes" "$work/near.flv" "$root/Sources/Video/Stills/pause.png" >"$work/near.scenes"
kinds=$(awk '{ print $1 }' "$work/near.scenes" | paste -sd ' ' | sed -E 's/(still|camera) silence sound/\1 sound/')
if [[ $kinds == 'camera still camera sound silence sound' ]]; then ok "$(paste -sd ';' "$work/near.scenes")"; else miss "$(paste -sd ';' "$work/near.scenes")"; fi

# As many as the settings allow, and with a key where there is a secret, both at once.
change '{"playout.max_viewers": 1}'
expect_status near '"max_viewers":1'
wait_until status_has near '"viewers":0' || miss 'viewers who are gone count'
start "$work/one.flv" curl -sN "$near.flv"
viewer=$started
wait_until status_has near '"viewers":1' || miss 'a viewer does not count'
expect_answer 503 .m3u8
end_group "$viewer" TERM 5
wait_until is_answered 200 "$near.m3u8" || miss 'a place does not become free'
change '{"playout.secret": "a secret of this"}'
expect_answer 200 .m3u8
change '{"playout.secret": "0123456789abcdef"}'
expect_status near '"needs_key":true'
expect_answer 403 .m3u8
expect_answer 403 .flv
run_checks "$root/Tests/playout" keys "$port" 0123456789abcdef
change '{"playout.secret": ""}'
if grep -q 0123456789abcdef "$work/near.log"; then miss 'the secret is in the log'; else ok 'the secret is not in the log'; fi

# Viewers end with the broadcast, and there is nothing until the next one.
change '{"playout.max_viewers": 10}'
start "$work/end.flv" curl -sN "$near.flv"
viewer=$started
wait_until test -s "$work/end.flv" || miss 'it does not begin'
tell stop
expect_status near '"lamp":"off_air"'
wait_until is_gone "$viewer" || miss 'a viewer stays after the end'
for file in .flv .m3u8 /index.m3u8 /1.mp4; do expect_answer 404 "$file"; done
expect_line "$work/near.log" 'No player near by watches any more'
tell start
expect_delivered near
wait_until is_answered 200 "$near.m3u8" || miss 'the next broadcast is not played out'
go_off_air
conclude
