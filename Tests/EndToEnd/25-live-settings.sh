#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Each setting that counts at once is changed over the API while live to the server, one after the other: OnAir says "now", the
# connection stays, and the whole recording decodes. The table of figures says how long the answer took and the longest
# step between frames around the change.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

start_server
key=changes
install -m 600 /dev/stdin "$work/$key.key" <<<"$key"
ffmpeg -v error -f lavfi -i color=red:s=320x180 -frames:v 1 "$work/red.png" </dev/null
ffmpeg -v error -f lavfi -i testsrc=s=320x180:r=30:d=30 -c:v libx264 -pix_fmt yuv420p "$work/film.mp4" </dev/null
settings=$work/settings.toml

cat >"$settings" <<END
video.source = "pattern"
audio.source = "tone"
video.size = "640x360"
page.listen = ""
publish.url = "rtmp://127.0.0.1:$rtmp_port/live"
publish.key_file = "$work/$key.key"
publish.autostart = "always"
END
start "$work/$key.log" "$onair" run --config "$settings" --set "state.directory=$work/state-$key"
program=$started
expect_delivered "$key"
sleep 3
began=$(stat -c %.W "$(recording "$key")")

: >"$work/table"
change() { # SETTING=VALUE
  local since said setting=${1%%=*}
  since=$(milliseconds)
  said=$(ask "$key" set "$setting" "${1#*=}" 2>&1) || true
  echo "$setting $(date +%s.%N) $(($(milliseconds) - since))" >>"$work/table"
  if [[ $said == *"$setting is now "* ]]; then ok "$1: now"; else miss "$1: $said"; fi
  sleep 2
}
for setting in video.bitrate_kbps=400 video.fps=20 video.gop_seconds=1 video.size=480x270 \
  video.speed=superfast video.rotate=180 video.mirror=true video.fit=fill audio.bitrate_kbps=64 \
  audio.gain_db=-6 audio.delay_ms=150 audio.delay_ms=-100 pause.image="$work/red.png" pause.sound=keep \
  slate.fps=8 slate.gop_seconds=2 network.mode=fluency network.max_behind_seconds=4 \
  network.poor_after_seconds=5 publish.reconnect_seconds=3 log.level=debug panel.debounce_ms=30 \
  audio.source=silence audio.source=tone video.source="file:$work/film.mp4" \
  video.source=pattern; do
  change "$setting"
done
said=$(ask "$key" set video.fps 1000 audio.gain_db 29 no.such 1 2>&1) && miss "it took a wrong change: $said"
if [[ $said == *video.fps*no.such* || $said == *no.such*video.fps* ]] && ! ask "$key" settings --json | grep -q '"value": 29,'; then
  ok 'all mistakes of a change are named, and nothing is taken'
else
  miss "a wrong change: $said"
fi
said=$(curl -s --unix-socket "$work/state-$key/control" -X PATCH -d '{"video.fps": null, "video.speed": null}' http://onair/api/settings)
if [[ $said == *'"ok":true'* ]]; then ok 'curl unsets through the socket'; else miss "curl: $said"; fi
if status_has "$key" '"reconnects":0'; then ok 'the connection has stayed'; else
  miss "it connected again: $(ask "$key" status --json 2>&1)"; fi

# The still of a pause that is on air is replaced when its file is.
ask "$key" pause >/dev/null
sleep 3
ffmpeg -v error -y -f lavfi -i color=blue:s=320x180 -frames:v 1 "$work/new.png" </dev/null
mv "$work/new.png" "$work/red.png"
sleep 6
go_off_air

file=$(recording "$key")
# The null muxer counts in frames of one rate, and complains of its own rounding when the rate changes.
errors=$(ffmpeg -v error -i "$file" -f null - 2>&1 </dev/null | grep -v 'non monotonically' || true)
if [[ -z $errors ]]; then ok "the recording of $(du -k "$file" | cut -f 1) KiB decodes"; else
  miss "the recording does not decode: $errors"; fi
ffprobe -v error -select_streams v -show_entries packet=pts_time -of csv=p=0 "$file" >"$work/times"
printf '%-28s %10s %22s\n' setting 'answer ms' 'longest step ms'
while read -r setting at answer; do
  awk -v setting="$setting" -v at="$at" -v began="$began" -v answer="$answer" '
    # A packet with a new header has a second line.
    !/^[0-9]/ { next }
    { sub(",.*", ""); if (last && $1 > at - began - 1 && $1 < at - began + 2 && $1 - last > most) most = $1 - last; last = $1 }
    END { printf "%-28s %10d %22.0f\n", setting, answer, most * 1000 }' "$work/times"
done <"$work/table"
sizes=$(ffmpeg -v info -i "$file" -vf showinfo -f null - 2>&1 </dev/null | grep -oE ' s:[0-9]+x[0-9]+' | uniq | paste -sd ' ')
if [[ $sizes == *640x360*480x270* ]]; then ok "frames of$sizes"; else miss "frames of$sizes"; fi
# The middle of the last frame is the new image's.
colour=$(ffmpeg -v error -sseof -1 -i "$file" -frames:v 1 -vf crop=2:2 -f rawvideo -pix_fmt rgb24 - </dev/null | od -An -tu1 -N 3)
read -r red _ blue <<<"$colour"
if ((blue > 200 && red < 60)); then ok 'the replaced image is shown'; else miss "the image on air is $colour"; fi
conclude
