#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# slots: 2
#
# Servers that freeze (SIGSTOP) 8 and 36 s after the start, at about 62 and 1,500 kbit/s: how long the lamp stays green,
# and what is said first. nginx-rtmp acknowledges what it reads. pyrtmp never does, so there only full buffers show it
# (Sources/Page/API/README.md: "How sure delivering is").
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# Seconds to wait for a server that never acknowledges.
longest=${LONGEST:-60}

# Noise cannot be compressed, so it takes the whole bit rate.
ffmpeg -nostdin -v error -f lavfi -i 'color=gray:size=320x180:rate=15:duration=10,noise=alls=90:allf=t' \
  -c:v libx264 -preset ultrafast -qp 20 "$work/noise.mp4"
low=(video.source=pattern video.bitrate_kbps=100 video.size=854x480 video.fps=15)
high=("video.source=file:$work/noise.mp4" video.bitrate_kbps=1500 video.size=320x180 video.fps=15)

start_server
declare -A programs=() ports=([nginx]=$rtmp_port)
need_pyrtmp
cat >"$work/server.py" <<'END_OF_SERVER'
import asyncio
import sys

from pyrtmp.rtmp import RTMPProtocol, SimpleRTMPController


async def main():
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: RTMPProtocol(SimpleRTMPController()), "127.0.0.1", int(sys.argv[1]))
    print("listening", flush=True)
    await server.serve_forever()


asyncio.run(main())
END_OF_SERVER
ports[pyrtmp]=$(free_port $((first_port + 10)))
start "$work/pyrtmp.said" "$pyrtmp/bin/python" "$work/server.py" "${ports[pyrtmp]}"
servers=("$platform_group" "$started")
wait_for_line "$work/pyrtmp.said" listening "$patience" || miss "pyrtmp does not start: $(<"$work/pyrtmp.said")"

publish() { # MAKE RATE SECONDS SETTING…
  rtmp_port=${ports[$1]}
  go_on_air "$1-$2-$3" audio.source=none "${@:4}"
  programs[$1-$2-$3]=$program
}
publish_all() { # SECONDS
  local make
  for make in nginx pyrtmp; do
    publish "$make" 62 "$1" "${low[@]}"
    publish "$make" 1500 "$1" "${high[@]}"
  done
}

publish_all 36
sleep 28
publish_all 8
for key in "${!programs[@]}"; do expect_delivered "$key"; done
sleep 7

declare -A before=() after=()
for key in "${!programs[@]}"; do
  status_has "$key" '"lamp":"live"' || miss "$key: the lamp is not green before the freeze"
  before[$key]=$(wc -l <"$work/$key.log")
done
frozen_at=$(milliseconds)
for server in "${servers[@]}"; do signal_group STOP "$server"; done
while (($(milliseconds) - frozen_at < longest * 1000 && ${#after[@]} < ${#programs[@]})); do
  for key in "${!programs[@]}"; do
    if [[ -z ${after[$key]:-} ]] && ! status_has "$key" '"lamp":"live"'; then
      after[$key]=$(($(milliseconds) - frozen_at))
    fi
  done
  sleep 0.1
done

for key in $(printf '%s\n' "${!programs[@]}" | sort -V); do
  said=$(tail -n +$((before[$key] + 1)) "$work/$key.log" | grep -oE '\[code: [a-z_]+\]' | head -n 1 || true)
  if [[ -n ${after[$key]:-} ]]; then
    ok "$key: not green after ${after[$key]} ms, first $said"
  elif [[ $key == nginx-* ]]; then
    miss "$key: green for $longest s"
  else
    ok "$key: green for $longest s"
  fi
  [[ $key != nginx-62-* || $said == '[code: unconfirmed]' ]] || miss "$key: it says $said"
  if [[ $key == nginx-* ]]; then figure "$key ms until not green" "${after[$key]:-}" 0 10000; else
    figure "$key ms until not green" "${after[$key]:-more than $((longest * 1000))}"; fi
done
# They read on, or get a new connection.
for server in "${servers[@]}"; do signal_group CONT "$server"; done
for key in "${!programs[@]}"; do expect_delivered "$key"; done
for key in "${!programs[@]}"; do
  program=${programs[$key]}
  go_off_air
done
conclude
