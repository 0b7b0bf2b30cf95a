#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Each setting that counts at once, as the box itself lists them, is changed while live to a server: what the server gets
# changes, or what else the setting is about (Tests/live-settings has the checks, and the exceptions with their reasons).
# A change with mistakes changes nothing, the connection stays until its address changes, and the whole recording decodes.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

start_server
key=changes
install -m 600 /dev/stdin "$work/$key.key" <<<"$key"
make() { ffmpeg -v error -y "$@" </dev/null; }
for colour in red blue; do make -f lavfi -i "color=$colour:s=320x180" -frames:v 1 "$work/$colour.png"; done
quarter() { echo "color=$1:s=160x120:r=30"; }
# 4:3 with a colour in each quarter: red, green, blue, white.
make -f lavfi -i "$(quarter red)" -f lavfi -i "$(quarter green)" -f lavfi -i "$(quarter blue)" -f lavfi -i "$(quarter white)" \
  -filter_complex '[0][1]hstack[a];[2][3]hstack[b];[a][b]vstack' -t 5 -c:v libx264 -pix_fmt yuv420p "$work/quarters.mp4"
make -f lavfi -i testsrc=s=640x360:r=30 -vf noise=alls=40:allf=t -t 4 -c:v libx264 -crf 30 -preset ultrafast -pix_fmt yuv420p \
  "$work/noise.mp4"
make -f lavfi -i anoisesrc=color=pink:amplitude=0.5:r=48000 -t 5 "$work/noise.wav"
settings=$work/settings.toml

cat >"$settings" <<END
video.source = "pattern"
audio.source = "tone"
video.size = "640x360"
video.speed = "superfast"
page.listen = ""
publish.url = "rtmp://127.0.0.1:$rtmp_port/live"
publish.key_file = "$work/$key.key"
publish.autostart = "always"
END
know_speed "$work/state-$key"
start "$work/$key.log" "$onair" run --config "$settings" --set "state.directory=$work/state-$key"
program=$started
expect_delivered "$key"

said=$(ask "$key" set video.fps 1000 audio.gain_db 29 no.such 1 2>&1) && miss "it took a wrong change: $said"
if [[ $said == *video.fps*no.such* || $said == *no.such*video.fps* ]] && ! ask "$key" settings --json | holds '"value": 29,'; then
  ok 'all mistakes of a change are named, and nothing is taken'
else
  miss "a wrong change: $said"
fi
said=$(curl -s --unix-socket "$work/state-$key/control" -X PATCH -d '{"video.fps": null, "video.gop_seconds": null}' http://onair/api/settings)
if [[ $said == *'"ok":true'* ]]; then ok 'curl unsets through the socket'; else miss "curl: $said"; fi

# The still of a pause that is on air is replaced when its file is.
cp "$work/red.png" "$work/pause.png"
said=$(ask "$key" set pause.image "$work/pause.png" 2>&1) || miss "pause.image: $said"
ask "$key" pause >/dev/null
sleep 3
cp "$work/blue.png" "$work/new.png"
mv "$work/new.png" "$work/pause.png"
sleep 6
file=$(recording "$key")
colour=$(ffmpeg -v error -sseof -1 -i "$file" -vf crop=2:2 -f rawvideo -pix_fmt rgb24 - </dev/null 2>/dev/null | tail -c 3 | od -An -tu1)
read -r red _ blue <<<"$colour"
if ((blue > 200 && red < 60)); then ok 'the replaced image is shown'; else miss "the image on air is $colour"; fi
ask "$key" resume >/dev/null
ask "$key" unset pause.image >/dev/null

run_checks "$root/Tests/live-settings" "$work/state-$key/control" "$work/platform/recorded" "$key" "$work" "$rtmp_port"
go_off_air

# The null muxer counts in frames of one rate, and complains of its own rounding when the rate changes.
errors=$(ffmpeg -v repeat+error -i "$file" -f null - 2>&1 </dev/null | grep -v 'non monotonically' || true)
if [[ -z $errors ]]; then ok "the recording of $(du -k "$file" | cut -f 1) KiB decodes"; else
  miss "the recording does not decode: $errors"; fi
conclude
