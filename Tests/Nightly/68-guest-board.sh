#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# slots: 5
#
# What the emulated board carries with 0 to 3 guests of 640x360 in a programme of 640x360, 15 frames a second each: how many frames
# a second viewers get, and how many the programme loses in SECONDS_EACH, 5 seconds after a guest has come. The board's
# clock counts the instructions of its processor, so that a stall of this machine makes no frame late.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

seconds=${SECONDS_EACH:-15}
start_server
mkdir "$work/films"
for number in 1 2 3; do
  # As HLS, which the box reads at the pace of its own clock.
  ffmpeg -nostdin -v error -f lavfi -i "testsrc2=size=640x360:rate=15:d=300" -f lavfi -i "sine=$((500 * number)):r=48000:d=300" \
    -c:v libx264 -preset veryfast -tune zerolatency -g 15 -b:v 800k -pix_fmt yuv420p -c:a aac -b:a 64k \
    -f hls -hls_time 4 -hls_playlist_type vod "$work/films/$number.m3u8"
done
port=$(free_port $((first_port + 20)))
start "$work/films.log" python3 -m http.server --bind 127.0.0.1 --directory "$work/films" "$port"
wait_until is_listening "$port" || miss 'nobody has the films'
cat >"$work/box" <<'END'
set -eu
mkdir -p /tmp/state
chmod 700 /tmp/state
(umask 077 && echo "$SPEED" >/tmp/state/speed.json)
ask() { curl -s --unix-socket /tmp/state/control "http://onair/api/$1"; }
./onair run --set "publish.url=$URL" --set publish.key=box --set state.directory=/tmp/state --set publish.autostart=always \
  --set video.source=pattern --set audio.source=tone --set video.size=640x360 --set video.fps=15 --set page.listen= \
  --set video.bitrate_kbps=1000 --set audio.channels=1 --set audio.bitrate_kbps=64 \
  --set guests.layout=grid >"$OUT/onair.log" 2>&1 &
onair=$!
until ask status | grep -q '"state":"delivering"'; do sleep 0.5; done
count=0
while :; do
  sleep 5
  number=0
  while [ $number -lt "$EACH" ]; do
    sleep 1
    number=$((number + 1))
    echo "$count $(ask figures)" >>"$OUT/figures"
  done
  count=$((count + 1))
  [ $count -le 3 ] || break
  guest="{\"name\":\"g$count\",\"url\":\"$FILMS/$count.m3u8\",\"admit\":\"auto\"}"
  curl -s --unix-socket /tmp/state/control -H 'Content-Type: application/json' -d "$guest" http://onair/api/guests >>"$OUT/said"
  tries=100
  until [ "$(ask guests | grep -o '"state":"on_air"' | wc -l)" -eq $count ]; do
    sleep 1
    tries=$((tries - 1))
    [ $tries -gt 0 ] || break
  done
  ask guests >>"$OUT/guests"
  echo >>"$OUT/guests"
done
kill -INT $onair
wait $onair
END
run_on_board --steady --timeout $((400 * seconds + 900)) --env "URL=rtmp://10.0.2.2:$rtmp_port/live" --env "SPEED=$board_speed" \
  --env "FILMS=http://10.0.2.2:$port" --env "EACH=$seconds" --out "$work/out" "$work/box" || miss "the board's script failed ($?)"
/usr/bin/python3 - "$work/out/figures" >"$work/judged" <<'END'
import collections
import json
import sys

phases = collections.defaultdict(list)
for line in open(sys.argv[1]):
    count, figures = line.split(" ", 1)
    phases[int(count)].append(json.loads(figures)["video"])
for count, all in sorted(phases.items()):
    rates = sorted(one.get("fps", 0) for one in all)
    print(count, rates[len(rates) // 2], all[-1]["dropped_late"] - all[0]["dropped_late"], all[-1].get("speed_level", 0))
END
while read -r count rate dropped level; do
  figure "$count guests: frames a second" "$rate"
  figure "$count guests: level of the encoder's effort" "$level"
  figure "$count guests: frames that the programme lost" "$dropped" 0 0
done <"$work/judged"
expect_equal 'numbers of guests that were measured' "$(wc -l <"$work/judged")" 4
expect_equal 'guests on air at the end' "$(tail -n 1 "$work/out/guests" | grep -o '"state":"on_air"' | wc -l)" 3
conclude
