#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# An image and a text are put on the picture, moved and taken away while live; a pause hides those that are not for stills.
# One connection, no gap, no keyframe that nothing asked for; a damaged image is told, and its end. A sticker changes its colour
# twice a second; a text file that is not there is told.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

ffmpeg -v error -y -f lavfi -i color=0xff8000:s=64x36 -frames:v 1 "$work/logo.png"
# Red, and the colour of the logo.
ffmpeg -v error -y -f lavfi -i "nullsrc=s=64x36:r=2:d=1,geq=r=255:g='128*N':b=0,format=rgb24" -plays 0 -f apng "$work/heart.png"
change() { # SETTING=VALUE...
  if ask top set "${@/#/overlay.}" >"$work/answer" 2>&1; then sleep 2; else miss "set $*: $(<"$work/answer")"; fi
}

start_server
go_on_air top video.source=pattern audio.source=tone video.size=640x360
expect_delivered top
sleep 3
# The logo in the middle of the first bar, then of the sixth; the text's box in the middle of the third.
change logo.kind=image "logo.file=$work/logo.png" logo.fade_ms=0 logo.anchor=center logo.x=0.0714 logo.y=0.7 logo.width=0.1
change logo.x=0.786
change who.kind=text who.text='{name} ä مرحبا' who.anchor=center who.x=0.357 who.y=0.7 who.width=0 who.size=0.1 \
  who.box=#0000ff who.fade_ms=0
change who.enabled=false
change heart.kind=sticker "heart.file=$work/heart.png" heart.fade_ms=0 heart.anchor=center heart.x=0.5 heart.y=0.3 \
  heart.width=0.1
sleep 2
change heart.removed=true
ask top pause >/dev/null
sleep 2
change who.enabled=true who.on_stills=true
sleep 2
ask top resume >/dev/null
sleep 2
change logo.removed=true who.removed=true
head -c 60 "$work/logo.png" >"$work/damaged.png"
change bad.kind=image "bad.file=$work/damaged.png"
expect_line "$work/top.log" 'overlay\.bad\.file is damaged.*overlay_unusable'
change bad.removed=true
expect_line "$work/top.log" 'The trouble with overlay.bad.file is over'
change song.kind=text 'song.text={file:song.txt}'
expect_line "$work/top.log" 'overlay\.song\.text names the text file "song.txt", which is not there.*overlay_unusable'
change song.removed=true
expect_line "$work/top.log" 'The trouble with overlay.song.text is over'
sleep 1
go_off_air
expect_received top --min-seconds 15 --max-av-ms 1000 --size 640x360
expect_line "$work/top.log" '0 packets dropped, 0 reconnect'

# What is in the two places of the logo, and in the box above the text.
places() { # X Y: the colours there, one after another
  ffmpeg -v error -i "$(recording top)" -an -vf "fps=5,crop=4:4:$1:$2,scale=1:1,format=rgb24" -f rawvideo - </dev/null |
    od -An -v -tu1 -w3 | awk '
      { name = $1 > 215 && $2 > 100 && $2 < 150 && $3 < 40 ? "logo" : $3 > 215 && $1 < 40 && $2 < 40 ? "box" : "other"
        if (name != was) { if (was) printf " "; printf "%s", name; was = name } }'
}
for place in '44 250 other logo other' '502 250 other logo other logo other' '226 221 other box other box other'; do
  read -r x y wanted <<<"$place"
  got=$(places "$x" "$y")
  if [[ $got == "$wanted" ]]; then ok "at $x,$y: $got"; else miss "at $x,$y: $got, not $wanted"; fi
done
rounds=$(places 318 106 | grep -o logo | wc -l)
if ((rounds >= 3)); then ok "the sticker: $rounds rounds"; else miss "the sticker: $rounds rounds, not 3"; fi
conclude
