#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# slots: 2
#
# Servers that freeze (SIGSTOP) 8 and 36 s after the start, at 62 and at 1,500 kbit/s: seconds until the lamp shows that
# nothing confirms the stream. nginx-rtmp acknowledges what it reads; ffmpeg's own server never acknowledges, so there
# only a full buffer shows it (README: "How much green tells").
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# How long to wait for a server that never acknowledges.
longest=${LONGEST:-60}

# Noise cannot be compressed, so it takes the whole bit rate.
ffmpeg -nostdin -v error -f lavfi -i 'color=gray:size=320x180:rate=15:duration=10,noise=alls=90:allf=t' \
  -c:v libx264 -preset ultrafast -qp 20 "$work/noise.mp4"
low=(video.source=pattern video.bitrate_kbps=100 video.size=854x480 video.fps=15)
high=("video.source=file:$work/noise.mp4" video.bitrate_kbps=1500 video.size=320x180 video.fps=15)

declare -A programs servers ports
start_server
ports[nginx]=$rtmp_port
publish() { # MAKE RATE SECONDS SETTING…
  local key=$1-$2-$3
  rtmp_port=${ports[nginx]}
  if [[ $1 == ffmpeg ]]; then
    rtmp_port=$(free_port $((rtmp_port + 7)))
    # Do not connect to it for this: it accepts only one connection.
    while [[ " ${ports[*]} " == *" $rtmp_port "* ]]; do rtmp_port=$(free_port $((rtmp_port + 1))); done
    ports[$key]=$rtmp_port
    start "$work/$key.server" ffmpeg -nostdin -v error -listen 1 -i "rtmp://127.0.0.1:$rtmp_port/live/$key" -c copy -f null -
    servers[$key]=$started
  fi
  go_on_air "$key" audio.source=none "${@:4}"
  programs[$key]=$program
}
publish_all() { # SECONDS
  local make
  for make in nginx ffmpeg; do
    publish "$make" 62 "$1" "${low[@]}"
    publish "$make" 1500 "$1" "${high[@]}"
  done
}

publish_all 36
sleep 28
publish_all 8
for key in "${!programs[@]}"; do expect_delivered "$key"; done
sleep 8

declare -A before after
for key in "${!programs[@]}"; do before[$key]=$(grep -c '\[code: unconfirmed\]' "$work/$key.log" || true); done
frozen_at=$(milliseconds)
signal_group STOP "$platform_group"
for key in "${!servers[@]}"; do signal_group STOP "${servers[$key]}"; done
while (($(milliseconds) - frozen_at < longest * 1000 && ${#after[@]} < ${#programs[@]})); do
  for key in "${!programs[@]}"; do
    if [[ -z ${after[$key]:-} && $(grep -c '\[code: unconfirmed\]' "$work/$key.log") -gt ${before[$key]} ]]; then
      after[$key]=$(($(milliseconds) - frozen_at))
      [[ $key == nginx-* ]] || continue
      if status_has "$key" '"lamp":"unconfirmed"'; then ok "$key: the state is unconfirmed"; else
        miss "$key: $(ask "$key" status --json)"; fi
    fi
  done
  sleep 0.1
done

for key in $(printf '%s\n' "${!programs[@]}" | sort -V); do
  [[ ${before[$key]} == 0 ]] || miss "$key: unconfirmed before the freeze"
  if [[ -n ${after[$key]:-} ]]; then
    ok "$key: unconfirmed after ${after[$key]} ms"
  elif [[ $key == nginx-* ]]; then
    miss "$key: nothing is said within $longest s"
  else
    ok "$key: nothing is said within $longest s"
  fi
  if [[ $key == nginx-* ]]; then figure "$key ms until unconfirmed" "${after[$key]:-}" 0 10000; else
    figure "$key ms until unconfirmed" "${after[$key]:-more than $((longest * 1000))}"; fi
done
signal_group CONT "$platform_group"
for key in "${!servers[@]}"; do signal_group CONT "${servers[$key]}"; done
# nginx reads on, or gets a new connection.
for key in "${!programs[@]}"; do if [[ $key == nginx-* ]]; then expect_delivered "$key"; fi; done
for key in "${!programs[@]}"; do
  program=${programs[$key]}
  go_off_air
  figure "$key bytes" "$(sed -nE 's/.*; sent ([0-9.]+ MB).*/\1/p' "$work/$key.log" | tail -n 1)"
done
conclude
