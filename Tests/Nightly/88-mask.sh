#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The privacy mask is in each of 10,000 decoded frames over 300 switches: of the source, its size, rotation and fit, pauses and
# restarts, in ROUNDS broadcasts (30) of ten switches each. Each round chooses its switches by its number. It goes on where it
# was stopped: what is done is in .lab/mask-rounds, until all is. `board/test` runs three rounds (Tests/EndToEnd/28-mask.sh).
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

rounds=${ROUNDS:-30} done_file=${DONE:-$root/.lab/mask-rounds}
mkdir -p "$(dirname "$done_file")"
touch "$done_file"

# Stills of known colours, and a film that has nothing but what the mask must hide.
ffmpeg -v error -y -f lavfi -i color=0x0040ff:s=64x36 -frames:v 1 "$work/pause.png"
ffmpeg -v error -y -f lavfi -i color=0x00c0c0:s=64x36 -frames:v 1 "$work/away.png"
ffmpeg -v error -y -f lavfi -i color=0xff00ff:s=320x240:r=30 -t 4 -c:v libx264 -pix_fmt yuv420p "$work/wide.mp4"
ffmpeg -v error -y -f lavfi -i color=0xff00ff:s=240x320:r=30 -t 4 -c:v libx264 -pix_fmt yuv420p "$work/high.mp4"

switch() { # NUMBER
  local step=
  case $((RANDOM % 10)) in
    0 | 1 | 2)
      local sources=(pattern "file:$work/wide.mp4" "file:$work/high.mp4")
      step=video.source=${sources[RANDOM % 3]}
      ;;
    3) step=video.rotate=$((RANDOM % 4 * 90)) ;;
    4) step=video.mirror=$( ((RANDOM % 2)) && echo true || echo false) ;;
    5) local fits=(fit fill stretch) && step=video.fit=${fits[RANDOM % 3]} ;;
    6) local sizes=(640x360 480x270 320x180) && step=video.size=${sizes[RANDOM % 3]} ;;
    7) step=filter.c.enabled=$( ((RANDOM % 2)) && echo true || echo false) ;;
    *)
      ask mask pause >/dev/null 2>&1
      sleep 0.3
      ask mask resume >/dev/null 2>&1
      return
      ;;
  esac
  ask mask set "$step" >"$work/answer" 2>&1 || miss "set $step: $(<"$work/answer")"
}

# What is in the middle of each frame: orange is the mask.
colours() {
  ffmpeg -v error -i "$(recording mask)" -an -fps_mode passthrough -vf 'crop=8:8:iw/2-4:ih/2-4,scale=1:1,format=rgb24,setpts=N/30/TB' \
    -f rawvideo - </dev/null | od -An -v -tu1 -w3 | awk '
      function near(r, g, b) { return ($1 - r) ^ 2 + ($2 - g) ^ 2 + ($3 - b) ^ 2 < 3600 }
      { name = near(255, 128, 0) ? "mask" : near(0, 64, 255) || near(0, 192, 192) ? "still" : near(0, 0, 0) ? "black" : "OPEN"
        count[name]++
        if (name == "OPEN" && ++shown < 4) print "# frame", NR, $1, $2, $3 > "/dev/stderr" }
      END { printf "%d %d %d\n", count["mask"], count["still"] + count["black"], count["OPEN"] }'
}

start_server
for ((round = $(wc -l <"$done_file") + 1; round <= rounds; round++)); do
  RANDOM=$round
  rm -rf "$work/state-mask"
  go_on_air mask video.source=pattern audio.source=none video.size=640x360 "pause.image=$work/pause.png" \
    "slate.camera_image=$work/away.png" filter.m.kind=mask filter.m.x=0.3 filter.m.width=0.4 filter.m.y=0.3 \
    filter.m.height=0.4 'filter.m.cover=#ff8000' filter.a.kind=sharpen filter.c.kind=skin
  expect_delivered mask
  for step in {1..10}; do
    switch
    sleep 1.3
  done
  kill -INT -- "-$program" 2>/dev/null
  wait_until is_gone "$program"
  sleep 0.3
  read -r covered others open <<<"$(colours)"
  echo "$round $covered $others $open" >>"$done_file"
  rm -rf "$work/platform/recorded"/mask-*
done
read -r covered others open <<<"$(awk '{ m += $2; o += $3; n += $4 } END { print m + 0, o + 0, n + 0 }' "$done_file")"
figure 'covered frames' "$covered" $((rounds * 330))
figure 'stills and black' "$others"
if ((open == 0)); then
  ok "$covered frames over $((rounds * 10)) switches: all are covered"
else
  miss "$open frames are not covered: $(awk '$4 > 0' "$done_file")"
fi
rm -f "$done_file"
conclude
