#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A film with a pause, several encoders and three sound tracks, as OnAir leaves it: Firefox and VLC find its length, play it and
# seek in it within a second; so does VLC with the same film after a power cut, before anything has mended it.
# FILM_SECONDS is its length. Chromium plays films in 60-page-recordings.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

seconds=${FILM_SECONDS:-180}
players=(firefox-esr vlc-bin vlc-plugin-base)
if [[ -n $(missing_packages "${players[@]}") ]]; then install_packages "$work/install.log" "${players[@]}"; fi
start_server
mkdir "$work/films"
ffmpeg -nostdin -v error -f lavfi -i anoisesrc=d=60:a=0.5 -ac 1 "$work/noise.wav"
go_on_air film video.source=pattern "audio.source=file:$work/noise.wav" "track.desk.source=file:$work/noise.wav" video.size=640x360 \
  record.start=broadcast record.tracks=true "record.directory=$work/films"
expect_delivered film
expect_status film '"state":"recording"'
sleep $((seconds / 2))
ask film pause >/dev/null
sleep 5
ask film resume >/dev/null
sleep $((seconds / 2))
cp "$(find "$work/films" -name '[!.]*.mp4')" "$work/cut.mp4"
go_off_air
film=$(find "$work/films" -name '[!.]*.mp4')
length=$(ffprobe -v error -show_entries format=duration -of csv=p=0 "$film")
expect_at_least 'seconds of the film' "$length" "$seconds"

read -r found seeks < <("$root/Tests/firefox-plays" "$film" "$(free_port $((first_port + 20)))" 2>&1) || true
if awk -v a="$found" -v b="$length" 'BEGIN { exit !(a > b - 1 && a < b + 1) }'; then ok "Firefox plays it: $found s"; else miss "Firefox: $found $seeks, not $length"; fi
for seek in $seeks; do figure 'seconds of a seek in Firefox' "$seek" 0 1; done

# VLC refuses to run as root. It plays the last seconds as fast as it can.
player=$(id -un 65534 2>/dev/null || echo nobody)
play_with_vlc() { # FILM FROM
  local began
  chmod -R a+rX "$work"
  began=$(milliseconds)
  HOME=/nonexistent setpriv --reuid "$player" --regid nogroup --clear-groups -- timeout 120 cvlc --no-video-title-show --play-and-exit \
    --start-time "$2" --sout '#transcode{vcodec=I420,acodec=s16l,width=64,height=36}:std{access=file,mux=dummy,dst=/dev/null}' -vv "$1" >"$work/vlc" 2>&1 || return
  echo $(($(milliseconds) - began))
}
for name in film cut; do
  file=$film
  [[ $name == film ]] || file=$work/cut.mp4
  if took=$(play_with_vlc "$file" $((seconds - 10))); then ok "VLC plays the end of the $name in $took ms"; else miss "VLC with the $name: $(tail -n 5 "$work/vlc")"; fi
  if grep -qiE 'cannot (seek|peek)|no suitable (demux|decoder|access)|moov.*(missing|broken)' "$work/vlc"; then miss "VLC: $(grep -iE 'cannot|suitable|broken' "$work/vlc" | head -n 3)"; fi
done
conclude
