#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Guests who send with programs that are not ours, by RTMP and SRT, in sizes, rates and formats of all kinds: a table of what the
# box has of each. What it cannot decode is told. ALL=yes: all of the table, also GStreamer's, and servers from
# which the box fetches a guest (Tests/Nightly/68-guest-senders.sh).
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../guests
. "$root/Tests/guests"

most=8
listen=$(free_port "$((first_port + 20))")
settings=()
for ((number = 1; number <= most; number++)); do
  settings+=("guest.g$number.key=guest-key-$number" "guest.g$number.srt_port=$((listen + number))")
done
start_server
make_host
go_on_air box "video.source=file:$work/host.mp4" "audio.source=file:$work/host.mp4" video.size=640x360 video.fps=30 \
  "guests.listen=127.0.0.1:$listen" "${settings[@]}"
expect_delivered box
wait_until is_listening "$listen" || miss 'nobody listens for guests'

# What the box has of a guest: codec, size and rate of the picture, codec, rate and channels of the sound, whether there is a frame
# and sound, and the cause if it has nothing.
has_of() { # GUEST
  api guests | /usr/bin/python3 -c '
import json, sys
guest = next(one for one in json.load(sys.stdin)["guests"] if one["name"] == sys.argv[1])
tracks = guest.get("tracks") or {}
video, audio = tracks.get("video"), tracks.get("audio")
print("{codec} {width}x{height}".format(**video) if video else "-", "{codec} {rate} {channels}".format(**audio) if audio else "-",
      "frame" if guest["has_picture"] else "-", "sound" if guest.get("level_db", -100) > -60 else "-", guest.get("cause") or "-",
      sep=" | ")' "$1"
}
is_away() { [[ $(has_of "$1") == '- | - | - | '* ]]; } # GUEST
has_all() { [[ $(has_of "$1") == "$2" ]]; }

picture=(-f lavfi -i 'testsrc2=size=640x360:rate=30') tone=(-f lavfi -i sine=440:r=48000)
small=(-c:v libx264 -preset ultrafast -tune zerolatency -g 30 -pix_fmt yuv420p)
aac=(-c:a aac -b:a 96k)

# Each line of the table: what it is, what the box has, and the sender of the next guest.
rows=() expected=() senders=()
row() { # NAME EXPECTED rtmp|srt COMMAND...
  local number=$((${#rows[@]} % most + 1)) way=$3 address
  case $way in
    rtmp) address="-f flv rtmp://127.0.0.1:$listen/live/guest-key-$number" ;;
    srt) address="-f mpegts srt://127.0.0.1:$((listen + number))?passphrase=guest-key-$number" ;;
    *) address='' ;;
  esac
  rows+=("$1") expected+=("$2")
  shift 3
  senders+=("$(printf '%q ' "$@") $address")
}
ffmpeg_row() { # NAME EXPECTED rtmp|srt OPTIONS...
  row "$1" "$2" "$3" "${sender[@]}" "${@:4}"
}
both='frame | sound | -'
ffmpeg_row 'RTMP, ffmpeg' "h264 640x360 | aac 48000 1 | $both" rtmp "${picture[@]}" "${tone[@]}" "${small[@]}" "${aac[@]}"
ffmpeg_row 'RTMP, sound alone' "- | aac 48000 1 | - | sound | -" rtmp "${tone[@]}" "${aac[@]}"
ffmpeg_row 'SRT, HEVC' "hevc 640x360 | aac 48000 1 | $both" srt "${picture[@]}" "${tone[@]}" -c:v libx265 -preset ultrafast \
  -x265-params log-level=error:keyint=30 -pix_fmt yuv420p "${aac[@]}"
ffmpeg_row 'SRT, a codec that is not decoded' "- | - | - | - | unsupported" srt "${picture[@]}" -c:v mpeg4
if [[ ${ALL:-no} == yes ]]; then
  ffmpeg_row 'RTMP, 1280x720, 60 a second' "h264 1280x720 | aac 48000 1 | $both" rtmp -f lavfi -i testsrc2=size=1280x720:rate=60 \
    "${tone[@]}" "${small[@]}" "${aac[@]}"
  ffmpeg_row 'RTMP, portrait, 25 a second' "h264 360x640 | aac 48000 1 | $both" rtmp -f lavfi -i testsrc2=size=360x640:rate=25 \
    "${tone[@]}" "${small[@]}" "${aac[@]}"
  ffmpeg_row 'RTMP, variable rate' "h264 640x360 | aac 48000 1 | $both" rtmp "${picture[@]}" "${tone[@]}" \
    -vf "select='gt(random(0),0.4)'" -fps_mode vfr "${small[@]}" "${aac[@]}"
  ffmpeg_row 'RTMP, B-frames' "h264 640x360 | aac 48000 1 | $both" rtmp "${picture[@]}" "${tone[@]}" -c:v libx264 \
    -preset ultrafast -bf 3 -b_strategy 0 -g 30 -pix_fmt yuv420p "${aac[@]}"
  ffmpeg_row 'RTMP, picture alone' "h264 640x360 | - | frame | - | -" rtmp "${picture[@]}" "${small[@]}"
  ffmpeg_row 'RTMP, 44.1 kHz' "h264 640x360 | aac 44100 2 | $both" rtmp "${picture[@]}" -f lavfi -i sine=440:r=44100 "${small[@]}" \
    "${aac[@]}" -ac 2
  ffmpeg_row 'SRT, ffmpeg' "h264 640x360 | aac 48000 1 | $both" srt "${picture[@]}" "${tone[@]}" "${small[@]}" "${aac[@]}"
  ffmpeg_row 'SRT, 5.1' "h264 640x360 | aac 48000 6 | $both" srt "${picture[@]}" "${tone[@]}" "${small[@]}" "${aac[@]}" -ac 6
  ffmpeg_row 'SRT, MP2 and MPEG-2' "mpeg2video 640x360 | mp2 48000 1 | $both" srt "${picture[@]}" "${tone[@]}" \
    -c:v mpeg2video -c:a mp2
  flash=(gst-launch-1.0 -q -e videotestsrc is-live=true ! 'video/x-raw,width=640,height=360,framerate=30/1' ! x264enc
    tune=zerolatency speed-preset=ultrafast key-int-max=30)
  wave=(audiotestsrc is-live=true ! 'audio/x-raw,rate=48000,channels=2' ! voaacenc ! aacparse)
  gst_row() { # NAME EXPECTED COMMAND...
    row "$1" "$2" '' "${@:3}"
  }
  number=$((${#rows[@]} % most + 1))
  gst_row 'RTMP, GStreamer rtmp2sink' "h264 640x360 | aac 48000 2 | $both" "${flash[@]}" ! h264parse ! flvmux name=m \
    streamable=true ! rtmp2sink "location=rtmp://127.0.0.1:$listen/live/guest-key-$number" "${wave[@]}" ! m.
  number=$((${#rows[@]} % most + 1))
  # A message of SRT has at most 1,316 bytes: seven packets of MPEG-TS. Without that, srtsink loses all keyframes.
  gst_row 'SRT, GStreamer srtsink' "h264 640x360 | aac 48000 2 | $both" "${flash[@]}" ! h264parse config-interval=-1 ! \
    mpegtsmux name=m alignment=7 ! srtsink "uri=srt://127.0.0.1:$((listen + number))" "passphrase=guest-key-$number" "${wave[@]}" ! m.
fi

for ((first = 0; first < ${#rows[@]}; first += most)); do
  running=()
  for ((index = first; index < first + most && index < ${#rows[@]}; index++)); do
    start "$work/sender-$index.log" bash -c "exec ${senders[index]}"
    running+=("$started")
  done
  for ((index = first; index < first + most && index < ${#rows[@]}; index++)); do
    guest=g$((index - first + 1))
    if wait_until has_all "$guest" "${expected[index]}"; then ok "${rows[index]}: ${expected[index]}"; else
      miss "${rows[index]}: $(has_of "$guest"), not ${expected[index]}: $(tail -n 2 "$work/sender-$index.log")"; fi
  done
  for one in "${running[@]}"; do end_group "$one" KILL 5; done
  for ((number = 1; number <= most; number++)); do wait_until is_away "g$number"; done
done
go_off_air

# The others are fetched, from servers that are not ours.
if [[ ${ALL:-no} == yes ]]; then
  rows=() expected=() addresses=()
  fetched_row() { # NAME EXPECTED ADDRESS
    rows+=("$1") expected+=("$2") addresses+=("$3")
  }
  rtsp=$(free_port "$((listen + 20))")
  srt=$((rtsp + 1))
  start "$work/rtsp.log" "$root/Tests/rtsp-server" "$rtsp"
  start "$work/camera.log" "${sender[@]}" "${picture[@]}" "${tone[@]}" "${small[@]}" "${aac[@]}" -f flv \
    "rtmp://127.0.0.1:$rtmp_port/live/camera"
  # Carries what it receives by UDP on to whoever calls.
  start "$work/transmit.log" srt-live-transmit -q "udp://127.0.0.1:$((rtsp + 2))" "srt://:$srt?mode=listener"
  start "$work/mpegts.log" "${sender[@]}" "${picture[@]}" "${tone[@]}" "${small[@]}" "${aac[@]}" -f mpegts \
    "udp://127.0.0.1:$((rtsp + 2))?pkt_size=1316"
  start "$work/flv.log" "${sender[@]}" "${picture[@]}" "${tone[@]}" "${small[@]}" "${aac[@]}" -f flv -listen 1 \
    "http://127.0.0.1:$((rtsp + 3))/camera.flv"
  wait_until is_listening "$rtsp" || miss "no RTSP server: $(<"$work/rtsp.log")"
  fetched_row 'RTSP, H.264' "h264 640x360 | aac 48000 2 | $both" "rtsp://127.0.0.1:$rtsp/h264"
  fetched_row 'RTSP, HEVC' "hevc 640x360 | aac 48000 2 | $both" "rtsp://127.0.0.1:$rtsp/h265"
  fetched_row 'RTMP, nginx' "h264 640x360 | aac 48000 1 | $both" "rtmp://127.0.0.1:$rtmp_port/live/camera"
  fetched_row 'HLS, nginx' "h264 640x360 | aac 48000 1 | $both" "http://127.0.0.1:$http_port/hls/camera.m3u8"
  fetched_row 'HTTP-FLV, ffmpeg' "h264 640x360 | aac 48000 1 | $both" "http://127.0.0.1:$((rtsp + 3))/camera.flv"
  fetched_row 'SRT, srt-live-transmit' "h264 640x360 | aac 48000 1 | $both" "srt://127.0.0.1:$srt"
  settings=()
  for index in "${!rows[@]}"; do settings+=("guest.g$((index + 1)).url=${addresses[index]}"); done
  go_on_air box "video.source=file:$work/host.mp4" "audio.source=file:$work/host.mp4" video.size=640x360 video.fps=30 "${settings[@]}"
  expect_delivered box
  for index in "${!rows[@]}"; do
    if wait_until has_all "g$((index + 1))" "${expected[index]}"; then ok "${rows[index]}: ${expected[index]}"; else
      miss "${rows[index]}: $(has_of "g$((index + 1))"), not ${expected[index]}"; fi
  done
  go_off_air
fi
conclude
