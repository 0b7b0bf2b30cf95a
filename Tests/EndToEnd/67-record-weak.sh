#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A recording with record.what = "programme" on a link that becomes too weak: viewers get a still, the film has the whole
# picture; a pause is the still in both. With record.tracks each source has a sound track. Where the processor has no time for a
# second encoding, the status has to tell so instead.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

api() { # KEY PATH
  curl -s --max-time "$patience" --unix-socket "$work/state-$1/control" "http://onair/api/$2"
}
records() { api weak status | holds "\"what\":\"$1\""; }

start_server
server=$rtmp_port
rtmp_port=$(free_port $((first_port + 10)))
: >"$work/rate"
start "$work/link" "$root/Tests/slow-link" "$rtmp_port" "$server" "$work/rate"
wait_for_line "$work/link" listening "$patience" || miss 'no link'
mkdir "$work/films"
# Sounds that never stop.
for name in one two; do
  ffmpeg -nostdin -v error -f lavfi -i anoisesrc=d=60:a=0.5 -ac 1 "$work/$name.wav"
done
go_on_air weak video.source=pattern "audio.source=file:$work/one.wav" track.desk.source="file:$work/two.wav" \
  video.size=640x360 video.fps=15 video.bitrate_kbps=800 video.speed=superfast network.poor_after_seconds=3 \
  record.start=broadcast record.what=programme record.tracks=true "record.directory=$work/films"
expect_delivered weak
# Whether the whole picture was recorded all the time, as far as it was looked at.
whole=yes
look() { # WHEN
  records programme || whole=no
  records programme || records sent || miss "$1, the status does not tell what is recorded: $(api weak status)"
}
wait_until records programme || whole=no
sleep 3
echo 20 >"$work/rate"
expect_status weak '"video":"poor_network_still"'
for _ in 1 2 3 4 5; do
  sleep 1
  look 'while viewers get a still'
done
: >"$work/rate"
expect_status weak '"video":"pattern"'
sleep 3
look 'afterwards'
ask weak pause >/dev/null
expect_status weak '"lamp":"paused"'
sleep 4
ask weak resume >/dev/null
expect_status weak '"lamp":"live"'
sleep 3
go_off_air

film=$(find "$work/films" -name '[!.]*.mp4' -printf '%T@ %p\n' | sort -n | tail -n 1 | cut -d ' ' -f 2-)
said=$(ffmpeg -nostdin -v error -xerror -i "$film" -fps_mode passthrough -enc_time_base -1 -f rawvideo -y /dev/null -vn -f s16le -y /dev/null 2>&1) || said+=' failed'
if [[ -z $said ]]; then ok 'the film plays'; else miss "the film: $said"; fi
rtmp_port=$server
"$root/Tests/scenes" "$(recording weak)" "$root/Sources/Video/Stills/poor-network.png" >"$work/sent.scenes" || true
if grep -q '^still' "$work/sent.scenes"; then ok 'viewers got the still for a poor network'; else miss "viewers: $(paste -sd ';' "$work/sent.scenes")"; fi
if [[ $whole == yes ]]; then
  # At this size all stills look the same to Tests/scenes.
  "$root/Tests/scenes" "$film" "$root/Sources/Video/Stills/pause.png" >"$work/pause.scenes"
  kinds=$(awk '/^(camera|still)/ { print $1 }' "$work/pause.scenes" | paste -sd ' ')
  expect_equal 'its pictures' "$kinds" 'camera still camera'
  expect_equal 'its sizes' "$(ffprobe -v error -select_streams v -show_entries frame=width -of csv=p=0 "$film" | grep -o '[0-9]*' | sort -u | paste -sd ' ')" 640
  # The still of the pause has 5 a second.
  figure 'most seconds from frame to frame' "$(ffprobe -v error -select_streams v -show_entries packet=pts_time -of csv=p=0 "$film" | sort -n |
    awk -F, 'NR > 1 && $1 - last > most { most = $1 - last } { last = $1 } END { printf "%.3f", most }')" 0 0.6
else
  ok 'this machine has no time to encode a second picture, which the status tells'
fi
tracks=$(ffprobe -v error -select_streams a -show_entries stream=index:stream_tags=handler_name,title -of csv=p=0 "$film" | paste -sd ' ')
expect_equal 'its sound tracks' "$(wc -w <<<"$tracks")" 3
conclude
