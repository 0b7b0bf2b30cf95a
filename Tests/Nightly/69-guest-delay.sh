#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# slots: 6
#
# How long a guest's frame takes from the end of his encoder to the server, beside the host in a broadcast of 1280x720: he sends by
# RTMP, he sends by SRT with its 120 ms, the box fetches him by RTSP, and from an RTMP server, as ffmpeg and GStreamer do with the same
# mix in the same run. Frames are numbered. SECONDS_EACH for each way; WAYS chooses less.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../guests
. "$root/Tests/guests"

seconds=${SECONDS_EACH:-20}
read -ra ways <<<"${WAYS:-rtmp srt rtsp server ffmpeg gstreamer}"
# shellcheck disable=SC2154  # board/lib.d/packages has them
packages=("${bench_packages[@]}" "${guest_packages[@]}")
if [[ -n $(missing_packages "${packages[@]}") ]]; then install_packages "$work/install.log" "${packages[@]}"; fi
start_server
server=rtmp://127.0.0.1:$rtmp_port/live
relay=$(free_port $((first_port + 20)))
mkdir "$work/arrivals"
start_bound "$work/relay.log" "$root/Tests/arrivals" listen "$relay" "$rtmp_port" "$((relay + 1))" "$work/arrivals"
make_host
# What leaves the guest's encoder passes here, and is noted.
start_tap() { # PORT-OF-THE-TARGET
  rm -rf "$work/tap"
  mkdir "$work/tap"
  start_bound "$work/tap.log" "$root/Tests/arrivals" listen "$tap" "$1" "$((tap + 1))" "$work/tap"
  tapping=$started
  wait_until is_listening "$tap" || miss 'no tap'
}
listen=$((relay + 2)) srt=$((relay + 3)) rtsp=$((relay + 4)) rtp=$((relay + 6)) tap=$((relay + 8))

# A copy of a stream that goes elsewhere.
copy="[f=flv:flush_packets=1]rtmp://127.0.0.1:$tap/live/copy"
# The guest's encoder writes to OUTPUT.
send_numbers() { # OPTION... OUTPUT
  rm -f "$work/guest.video" "$work/guest.audio"
  mkfifo "$work/guest.video" "$work/guest.audio"
  start "$work/source.log" "$root/Tests/switches" source "$work/guest.video" "$work/guest.audio" 640 360 1 3000
  source=$started
  start "$work/guest.log" ffmpeg -nostdin -v error -f rawvideo -pix_fmt yuv420p -video_size 640x360 -framerate 30 -thread_queue_size 64 \
    -i "$work/guest.video" -f s16le -ar 48000 -ac 1 -thread_queue_size 64 -i "$work/guest.audio" "${coded[@]}" \
    -flags +global_header -flush_packets 1 "$@"
  guest=$started
}
end_numbers() { for one in "$guest" "$source"; do end_group "$one" KILL 5; done; }
start_box() { # SETTING...
  rtmp_port=$relay go_on_air box "video.source=file:$work/host.mp4" "audio.source=file:$work/host.mp4" video.size=1280x720 video.fps=30 \
    video.speed=superfast video.bitrate_kbps=3000 network.mode=fixed guests.layout=grid guest.anna.admit=auto guest.anna.fit=stretch "$@"
  expect_delivered box
}
pane_of_guest() {
  api layout | /usr/bin/python3 -c '
import json, sys
print(*next((p["x"], p["y"], p["width"], p["height"]) for p in json.load(sys.stdin)["panes"] if p["source"] == "guest:anna"))'
}
is_on_air() { guest_has '"state":"on_air"'; }

declare -A delay
for way in "${ways[@]}"; do
  limit='' pane='0.5 0.25 0.5 0.5'
  rm -f "$work"/arrivals/*
  case $way in
    rtmp)
      limit=150
      start_box "guests.listen=127.0.0.1:$listen" guest.anna.key=key-of-anna
      wait_until is_listening "$listen" || miss 'nobody listens for guests'
      start_tap "$listen"
      send_numbers -f flv "rtmp://127.0.0.1:$tap/live/key-of-anna"
      ;;
    srt)
      limit=320
      start_box "guests.listen=127.0.0.1:$listen" guest.anna.key=key-of-anna "guest.anna.srt_port=$srt"
      start_tap "$rtmp_port"
      # ffmpeg would collect audio for a quarter of a second.
      send_numbers -map 0:v -map 1:a -f tee \
        "[f=mpegts:pes_payload_size=0:flush_packets=1]srt://127.0.0.1:$srt?passphrase=key-of-anna&latency=120000|$copy"
      ;;
    rtsp)
      limit=150
      start "$work/rtsp.log" "$root/Tests/rtsp-server" "$rtsp" "$rtp"
      start_tap "$rtmp_port"
      send_numbers -map 0:v -map 1:a -f tee "[f=rtp:select=v:payload_type=96:bsfs/v=dump_extra]rtp://127.0.0.1:$rtp|$copy"
      wait_until is_listening "$rtsp" || miss 'no RTSP server'
      start_box "guest.anna.url=rtsp://127.0.0.1:$rtsp/passed"
      ;;
    server)
      start_tap "$rtmp_port"
      send_numbers -f flv "rtmp://127.0.0.1:$tap/live/guest1"
      start_box "guest.anna.url=$server/guest1"
      ;;
    *)
      start_tap "$rtmp_port"
      send_numbers -f flv "rtmp://127.0.0.1:$tap/live/guest1"
      sleep 2
      "mix_by_$way" 1 "rtmp://127.0.0.1:$relay/live/by-$way"
      mixer=$started
      ;;
  esac
  if [[ -v mixer ]]; then
    sleep $((seconds + 6))
    is_running "$mixer" || miss "$way: $(tail -n 3 "$work/$way.log")"
    end_group "$mixer" KILL 5
    unset mixer
  else
    wait_until is_on_air || miss "$way: the guest is not on air: $(api guests) $(tail -n 3 "$work/guest.log")"
    sleep "$seconds"
    pane=$(pane_of_guest)
    go_off_air
  fi
  end_numbers
  end_group "$tapping" TERM 5
  "$root/Tests/arrivals" read "$work/tap"
  own=$(find "$work/tap" -name '*.flv' -size +10k | sort | tail -n 1)
  if ! "$root/Tests/switches" sent "$own" "${own%.flv}.times" >"$work/sent" 2>/dev/null; then
    miss "$way: nothing has left the guest's encoder"
    continue
  fi
  "$root/Tests/arrivals" read "$work/arrivals"
  stream=$(find "$work/arrivals" -name '*.flv' -size +10k | sort | tail -n 1)
  # shellcheck disable=SC2086  # four numbers
  if ! found=$("$root/Tests/switches" delays "$stream" "${stream%.flv}.times" "$work/sent" $pane 2>"$work/delays.log"); then
    miss "$way: $(tail -n 1 "$work/delays.log")"
    continue
  fi
  read -r middle late count first <<<"$found"
  ok "$way: $middle ms for the median frame, $late ms for 95 % of $count"
  delay[$way]=$late
  if [[ -n $limit ]]; then expect_at_most "$way: ms, 95 % of the frames" "$late" "$limit"; fi
  # The box is there before those who send.
  [[ $way != rtmp && $way != srt ]] || expect_at_most "$way: ms from the first frame that is sent to the first that is seen" "$first" 500
done
for other in ffmpeg gstreamer; do
  if [[ -v delay[server] && -v delay[$other] ]]; then
    figure "OnAir's delay, by that of $other" "$(awk -v a="${delay[server]}" -v b="${delay[$other]}" 'BEGIN { printf "%.2f", a / b }')"
  fi
done
conclude
