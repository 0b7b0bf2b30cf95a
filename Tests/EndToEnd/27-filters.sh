#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A privacy mask is there from the first frame on, is switched off and on while live, and turns with the camera; colour is
# taken away and comes back. All of that as a server received it, with one connection and no gap.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

change() { # SETTING=VALUE...
  if ask top set "$@" >"$work/answer" 2>&1; then sleep 2; else miss "set $*: $(<"$work/answer")"; fi
}

start_server
go_on_air top video.source=pattern audio.source=tone video.size=640x360 filter.window.kind=mask filter.window.x=0.42 \
  filter.window.width=0.1 filter.window.y=0.6 filter.window.height=0.2
expect_delivered top
sleep 2
change 'filter.window.cover=#ff8000'
change filter.window.enabled=false
change filter.window.enabled=true
change filter.grey.kind=colour filter.grey.saturation=-100
change filter.grey.saturation=0
change video.rotate=180
change video.rotate=0
# A mask with a mistake is refused, and the one that there is stays.
if ask top set filter.window.x=7 >"$work/answer" 2>&1; then miss 'a mask beyond the picture was taken'; else ok 'refused'; fi
ask top pause >/dev/null
sleep 2
ask top resume >/dev/null
sleep 2
change filter.face.kind=skin filter.sharp.kind=sharpen
go_off_air
expect_received top --min-seconds 18 --max-av-ms 1000 --size 640x360
expect_line "$work/top.log" '0 packets dropped, 0 reconnect'

# The colours in a place, one after another.
places() { # X Y
  ffmpeg -v error -i "$(recording top)" -an -vf "fps=10,crop=4:4:$1:$2,scale=1:1,format=rgb24" -f rawvideo - </dev/null |
    od -An -v -tu1 -w3 | awk '
      function far(a, b) { return a - b > 16 || b - a > 16 }
      { name = $1 > 205 && $2 > 95 && $2 < 160 && $3 < 50 ? "orange" : $1 < 16 && $2 < 16 && $3 < 16 ? "black" : \
          far($1, $2) || far($2, $3) ? "colour" : "grey"
        if (name != was) { if (was) printf " "; printf "%s", name; was = name } }'
}
# The place of the mask; that place with the camera upside down; a bar beside the mask.
while IFS='|' read -r place wanted; do
  read -r x y <<<"$place"
  got=$(places "$x" "$y")
  # shellcheck disable=SC2053 # It is a pattern.
  if [[ $got == $wanted ]]; then ok "at $x,$y: $got"; else miss "at $x,$y: $got, not $wanted"; fi
done <<'END'
298 250|black orange colour orange grey orange colour orange * orange
338 106|*colour orange colour*
226 250|colour grey colour*
END
conclude
