#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# slots: 6
#
# What 1 to 3 guests of 640x360 and of 1280x720 take of processor and memory in a broadcast of 1280x720, beside ffmpeg (overlay, amix)
# and GStreamer (compositor, audiomixer), which do the same in the same run: the same streams, places, encoder and bit rate.
# SECONDS_EACH for each; SIZES and COUNTS choose less.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../guests
. "$root/Tests/guests"

seconds=${SECONDS_EACH:-20}
read -ra sizes <<<"${SIZES:-640x360 1280x720}"
read -ra counts <<<"${COUNTS:-1 2 3}"
if [[ -n $(missing_packages gstreamer1.0-tools gstreamer1.0-libav) ]]; then
  install_packages "$work/install.log" gstreamer1.0-tools gstreamer1.0-plugins-base gstreamer1.0-plugins-good gstreamer1.0-plugins-bad \
    gstreamer1.0-plugins-ugly gstreamer1.0-libav
fi
start_server
server=rtmp://127.0.0.1:$rtmp_port/live
make_film() { # FILE SIZE FREQUENCY
  ffmpeg -nostdin -v error -y -f lavfi -i "testsrc2=size=$2:rate=30:d=30" -f lavfi -i "sine=$3:r=48000:d=30" -c:v libx264 -preset veryfast \
    -tune zerolatency -g 30 -b:v 2M -pix_fmt yuv420p -c:a aac -ac 2 "$1"
}
make_film "$work/host.mp4" 1280x720 500
# A process and its children: hundredths of a second of processor time, and the share of the memory in MB.
processes() { echo "$1"; pgrep -P "$1" || true; }
used() { for one in $(processes "$1"); do awk '{ print $14 + $15 }' "/proc/$one/stat"; done | awk '{ sum += $1 } END { print sum }'; }
memory() {
  for one in $(processes "$1"); do awk '/^Pss:/ { print $2 / 1024 }' "/proc/$one/smaps_rollup"; done | awk '{ sum += $1 } END { printf "%d", sum }'
}
measure() { # PROCESS
  local before
  sleep 6
  before=$(used "$1")
  sleep "$seconds"
  share=$(awk -v a="$(used "$1")" -v b="$before" -v s="$seconds" 'BEGIN { printf "%.1f", (a - b) / s }')
  megabytes=$(memory "$1")
}
process() { pgrep -g "$program" -x onair | head -n 1; }

# OnAir with the first guests. Their addresses are the box's own, so only its own settings name them.
go_on_air_with() { # COUNT
  local settings=() number
  for ((number = 1; number <= $1; number++)); do
    settings+=("guest.guest$number.url=$server/guest$number" "guest.guest$number.admit=auto")
  done
  go_on_air box "video.source=file:$work/host.mp4" "audio.source=file:$work/host.mp4" video.size=1280x720 video.fps=30 \
    video.speed=superfast video.bitrate_kbps=3000 network.mode=fixed guests.layout=grid "${settings[@]}"
  expect_delivered box
}
go_on_air_with 0
measure "$(process)"
figure '% of a core, OnAir without guests' "$share"
go_off_air

for size in "${sizes[@]}"; do
  senders=()
  for number in 1 2 3; do
    make_film "$work/guest$number.mp4" "$size" $((500 + number * 500))
    start "$work/sender.log" ffmpeg -nostdin -v error -re -stream_loop -1 -i "$work/guest$number.mp4" -c copy -f flv "$server/guest$number"
    senders+=("$started")
  done
  for count in "${counts[@]}"; do
    go_on_air_with "$count"
    on_air() { [[ $(api guests | grep -o '"state":"on_air"' | wc -l) == "$count" ]]; }
    wait_until on_air || miss "not all are on air: $(api guests)"
    measure "$(process)"
    own=$share own_memory=$megabytes
    go_off_air
    mix_by_ffmpeg "$count" "$server/by-ffmpeg"
    measure "$started"
    is_running "$started" || miss "ffmpeg: $(tail -n 3 "$work/ffmpeg.log")"
    other=$share other_memory=$megabytes
    end_group "$started" KILL 5
    mix_by_gstreamer "$count" "$server/by-gstreamer"
    measure "$started"
    is_running "$started" || miss "GStreamer: $(tail -n 3 "$work/gstreamer.log")"
    third=$share third_memory=$megabytes
    end_group "$started" KILL 5
    what="$count of $size"
    figure "$what: % of a core, OnAir" "$own"
    figure "$what: % of a core, ffmpeg" "$other"
    figure "$what: % of a core, GStreamer" "$third"
    figure "$what: MB, OnAir" "$own_memory"
    figure "$what: MB, ffmpeg" "$other_memory"
    figure "$what: MB, GStreamer" "$third_memory"
    expect_at_most "$what: OnAir's processor time, by ffmpeg's" "$(awk -v a="$own" -v b="$other" 'BEGIN { printf "%.2f", a / b }')" 1
    expect_at_most "$what: OnAir's processor time, by GStreamer's" "$(awk -v a="$own" -v b="$third" 'BEGIN { printf "%.2f", a / b }')" 1
  done
  for one in "${senders[@]}"; do end_group "$one" KILL 5; done
done
conclude
