#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Measures by how much picture and sound are apart: the flashes of the test picture and the beeps of the test tone, on the air,
# and those of recorded films whose sound is 200 ms early or late, which is found within 5 ms.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

start_server
box=beat
go_on_air beat video.source=pattern audio.source=tone video.size=320x180 video.fps=50 video.speed=superfast
expect_delivered beat

call() { curl -s --max-time "$patience" --unix-socket "$work/state-$box/control" "$@"; }
measured() { call http://onair/api/lipsync; }
# A field of the last measurement.
field() { measured | python3 -c 'import json, sys; print(json.load(sys.stdin).get(sys.argv[1]))' "$1"; }
is_over() { [[ $(field state) != running ]]; }

# The flash is in a square above the middle.
measure() { # [FIELDS]
  call -X POST -d '{'"${1-}"'"x": 0.47, "y": 0.09, "width": 0.06, "height": 0.14}' http://onair/api/lipsync >"$work/begun"
  grep -q '"running"' "$work/begun" || miss "it does not begin: $(<"$work/begun")"
}
expect_offset() { # MILLISECONDS [WITHIN]
  if ! wait_until is_over || [[ $(field state) != 'done' ]]; then
    miss "no result: $(measured)"
  elif awk -v seen="$(field sound_after_ms)" -v due="$1" -v within="${2:-25}" \
    'BEGIN { exit !(seen - due < within && due - seen < within) }'; then
    ok "$(field sentence)"
  else
    miss "not about $1 ms: $(measured)"
  fi
}

[[ $(field state) == none ]] || miss "there was a measurement: $(measured)"
measure
if said=$(ask beat lipsync 2>&1); then miss 'a second measurement'; elif grep -q 'runs already' <<<"$said"; then ok "$said"; else miss "$said"; fi
expect_offset 0
figure 'offset of the test picture ms' "$(field sound_after_ms)" -12 12
# What viewers get has the delay, and what is proposed takes its place.
ask beat set audio.delay_ms 150 >/dev/null
measure
expect_offset 150
if (($(field delay_ms) < 25 && $(field delay_ms) > -25)); then ok 'the delay that is proposed is of the sources'; else
  miss "the delay is $(field delay_ms)"; fi
# A phone shows only whether both are far apart.
expect_verdict() { # WORD
  measure '"by": "phone", '
  if wait_until is_over && [[ $(field verdict) == "$1" && $(field delay_ms) == None && $(field sound_after_ms) == None ]]; then
    ok "$(field sentence)"
  else
    miss "not $1: $(measured)"
  fi
}
expect_verdict late
ask beat set audio.delay_ms 0 >/dev/null
expect_verdict together
# An area that has no pixel, or is none.
for body in '{"x": 1, "y": 0, "width": 1, "height": 1}' '{"x": 0}' '{"by": "moon"}' '[]' '{"x": 0, "y": 0, "width": 1, "height": 1, "z": 1}'; do
  code=$(call -o "$work/answer" -w '%{http_code}' -X POST -d "$body" http://onair/api/lipsync)
  if ((code == 400)); then ok "$body is refused"; else miss "$body: $code $(<"$work/answer")"; fi
done
go_off_air

# The beats are a second and the golden section of a frame apart, so that they are spread evenly over the phases of a frame.
beat='(1+0.618034/30)'
film() { # FILE OFFSET-IN-SECONDS ENCODER-OF-SOUND
  local since="mod(t+5*$beat-($2)\\,$beat)"
  ffmpeg -v error -f lavfi -i "nullsrc=s=320x180:r=30:d=70,geq=lum='if(lt(mod(T,$beat),0.1),235,60)':cb=128:cr=128" \
    -f lavfi -i "aevalsrc=0.5*sin(2*PI*2700*$since)*lt($since\\,0.1):s=48000:d=70" \
    -c:v libx264 -preset ultrafast -crf 18 -pix_fmt yuv420p -c:a "$3" "$1" </dev/null
}
film "$work/early.mkv" -0.2 flac
film "$work/late.mp4" 0.2 aac
for one in 'early.mkv -200' 'late.mp4 200'; do
  read -r name_of_film due <<<"$one"
  box=${name_of_film%.*}
  go_on_air "$box" "video.source=file:$work/$name_of_film" "audio.source=file:$work/$name_of_film" video.size=320x180 \
    video.fps=30 video.speed=superfast
  expect_delivered "$box"
  call -X POST -d '{}' http://onair/api/lipsync >"$work/begun"
  grep -q '"running"' "$work/begun" || miss "it does not begin: $(<"$work/begun")"
  expect_offset "$due" 5
  figure "offset of a film, ms from $due" "$(awk -v seen="$(field sound_after_ms)" -v due="$due" 'BEGIN { print seen - due }')" -5 5
  go_off_air
done
conclude
