#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Overlays that come, move, change and go while live, beside the same broadcast without any: no gap, no keyframe that nothing
# else asks for, the rest of the picture as it was, and no memory that hundreds of texts leave behind. "onair check" tells of
# images that are far too small or too large.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

ffmpeg -v error -y -f lavfi -i color=0xff8000:s=192x108 -frames:v 1 "$work/logo.png"
ffmpeg -v error -y -f lavfi -i color=0x102060:s=640x72 -frames:v 1 "$work/band.png"
patch() { # JSON: changes settings at once
  curl -s -o "$work/answer" -w '%{http_code}' -X PATCH -H 'Content-Type: application/json' -d "$1" \
    --unix-socket "$work/state-$key/control" http://onair/api/settings >"$work/code"
  [[ $(<"$work/code") == 200 ]] || miss "$1: $(<"$work/answer")"
}
sized='video.source=pattern audio.source=tone video.size=640x360 video.fps=30'

# When video packets come, in seconds, and which of them are keyframes.
packets() { ffprobe -v error -select_streams v -show_entries packet=pts_time,flags -of csv=p=0 "$(recording "$1")" </dev/null; }
keyframe_steps() { packets "$1" | awk -F, '$2 ~ /K/ { if (seen++) printf "%.1f\n", $1 - was; was = $1 }' | sort -u | tr '\n' ' '; }
longest_step() { packets "$1" | awk -F, 'NR > 1 && $1 - was > most { most = $1 - was } { was = $1 } END { printf "%d", most * 1000 }'; }
share() { packets "$1" | awk -F, 'NR == 1 { first = $1 } { last = $1; n++ } END { printf "%d", 100 * (n - 1) / (last - first) / 30 }'; }

start_server
# --- Nothing on top ---
key=bare
# shellcheck disable=SC2086  # each is a setting
go_on_air bare $sized
expect_delivered bare
sleep 14
go_off_air

# --- Everything that can happen to an overlay, about three times a second ---
key=live
# shellcheck disable=SC2086
go_on_air live $sized
expect_delivered live
sleep 2
for turn in 1 2 3; do
  patch "{\"overlay.logo.kind\": \"image\", \"overlay.logo.file\": \"$work/logo.png\", \"overlay.logo.x\": 0.3, \"overlay.logo.y\": 0.1}"
  sleep 0.3
  patch '{"overlay.logo.x": 0.35, "overlay.logo.y": 0.2}'
  sleep 0.3
  patch '{"overlay.logo.width": 0.2, "overlay.logo.opacity": 0.5}'
  patch "{\"overlay.band.kind\": \"image\", \"overlay.band.file\": \"$work/band.png\", \"overlay.band.x\": 0.3, \"overlay.band.y\": 0.3, \"overlay.band.width\": 0.4, \"overlay.band.fade_ms\": 0}"
  sleep 0.3
  patch '{"overlay.who.kind": "text", "overlay.who.text": "Anna {time:%H:%M:%S}", "overlay.who.x": 0.32, "overlay.who.y": 0.32, "overlay.who.z": 2}'
  sleep 0.5
  patch "{\"overlay.who.text\": \"turn $turn\", \"overlay.band.enabled\": false}"
  sleep 0.3
  patch '{"overlay.band.enabled": true, "overlay.logo.z": 3}'
  sleep 0.4
  patch '{"overlay.logo.removed": true, "overlay.band.removed": true, "overlay.who.removed": true}'
  sleep 0.6
done
sleep 1
go_off_air

for one in bare live; do
  expect_received "$one" --min-seconds 10 --max-av-ms 1000 --size 640x360
  expect_line "$work/$one.log" '0 packets dropped, 0 reconnect'
  steps=$(keyframe_steps "$one")
  if [[ $steps == '2.0 ' ]]; then ok "$one: a keyframe each 2 s and no other"; else miss "$one: keyframes after $steps s"; fi
  expect_at_least "$one: frames, % of 30 a second" "$(share "$one")" 97
  figure "$one: longest step ms" "$(longest_step "$one")" 30 70
done
# A frame that the machine makes too late is missing in both.
expect_at_most 'longest step with overlays, ms' "$(longest_step live)" "$(($(longest_step bare) > 67 ? $(longest_step bare) + 67 : 134))"

# The bars beside the overlays: their least and greatest red, green and blue.
colours() { # KEY X Y
  ffmpeg -v error -ss 1 -i "$(recording "$1")" -an -vf "crop=8:8:$2:$3,scale=1:1,format=rgb24" -f rawvideo - </dev/null |
    od -An -v -tu1 -w3 | awk '
      { for (i = 1; i <= 3; i++) { if (NR == 1 || $i < least[i]) least[i] = $i; if (NR == 1 || $i > most[i]) most[i] = $i } }
      END { print least[1], least[2], least[3], most[1], most[2], most[3] }'
}
for place in '44 80' '44 250' '140 130' '502 130' '502 250' '600 80'; do
  read -r x y <<<"$place"
  read -ra alone <<<"$(colours bare "$x" "$y")"
  read -ra beside <<<"$(colours live "$x" "$y")"
  worst=0
  for i in 0 1 2 3 4 5; do
    difference=$((alone[i] - beside[i]))
    ((${difference#-} <= worst)) || worst=${difference#-}
  done
  expect_at_most "at $x,$y: levels between the two broadcasts" "$worst" 4
done
# And between them there was something.
read -ra shown <<<"$(colours live 250 120)"
if ((shown[3] - shown[0] > 20 || shown[4] - shown[1] > 20 || shown[5] - shown[2] > 20)); then
  ok 'an overlay was seen'
else
  miss "no overlay was seen: ${shown[*]}"
fi

# --- Hundreds of texts leave no memory behind ---
memory() { for pid in $(pgrep -g "$program"); do awk '$1 == "VmRSS:" { print $2 }' "/proc/$pid/status"; done | sort -n | tail -n 1; }
texts() { # FROM TO
  for ((i = $1; i < $2; i++)); do patch "{\"overlay.who.text\": \"text $i of many\"}"; sleep 0.02; done
}
key=many
# shellcheck disable=SC2086
go_on_air many $sized
expect_delivered many
patch '{"overlay.who.kind": "text", "overlay.who.text": "one", "overlay.who.size": 0.1}'
texts 0 100
before=$(memory)
texts 100 400
expect_at_most 'kB of memory more after 300 texts' "$(($(memory) - before))" 4000
go_off_air

# --- What "onair check" says of an image's size ---
check() { "$onair" check --set publish.url=rtmp://127.0.0.1/live --set publish.key=k --set video.source=pattern \
  --set audio.source=tone --set "state.directory=$work/state-check" --set overlay.a.kind=image "$@" 2>&1 || true; }
expect_text() { # WHAT TEXT PATTERN
  if grep -qE -- "$3" <<<"$2"; then ok "$1: $(grep -E -m 1 -- "$3" <<<"$2")"; else miss "$1: no \"$3\" in: $2"; fi
}
said=$(check --set "overlay.a.file=$work/logo.png" --set overlay.a.width=0.5 --set video.size=1280x720)
expect_text 'an image that is far too small' "$said" 'overlay.a.file: .*192x108.*640x360.*blurred. Take one of 640x360 pixels'
said=$(check --set "overlay.a.file=$work/band.png" --set overlay.a.width=0.2 --set video.size=1280x720)
expect_text 'an image that is far too large' "$said" 'overlay.a.file: .*640x72.*256x29.*One of 256x29 pixels'
said=$(check --set "overlay.a.file=$work/band.png" --set overlay.a.width=0.5)
expect_text 'an image that fits' "$said" '^The settings are right'
said=$(check --set "overlay.a.file=$work/none.png")
expect_text 'an image that is not there' "$said" 'overlay.a.file: .*none.png'
conclude
