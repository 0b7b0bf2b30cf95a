#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# slots: 6
#
# One stream for SECONDS_ON_AIR (300) to servers of three makes at once: nginx-rtmp by RTMPS as the main one, and as relays
# nginx-rtmp, ffmpeg's own server and pyrtmp. Each has all of it. Then the same for an hour on the virtual clock.
# shellcheck disable=SC2154  # what board/lib.d/swift sets
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

seconds=${SECONDS_ON_AIR:-300}
start_server
start_front good
need_pyrtmp
ffmpeg_port=$(free_port $((first_port + 40)))
start_ffmpeg_server ffmpeg "$ffmpeg_port"
ffmpeg=$started
pyrtmp_port=$(free_port $((first_port + 50)))
start "$work/pyrtmp.said" "$pyrtmp/bin/python" "$root/Tests/pyrtmp-server" "$pyrtmp_port" "$work"
wait_for_line "$work/pyrtmp.said" listening "$patience" || miss "pyrtmp does not start: $(<"$work/pyrtmp.said")"

go_on_air main video.source=pattern audio.source=tone video.size=640x360 video.fps=30 video.bitrate_kbps=1000 \
  "publish.url=rtmps://localhost:${front_port[good]}/live" "publish.ca_file=$work/front/ca.pem" \
  "relay.nginx.url=rtmp://127.0.0.1:$rtmp_port/live/nginx" \
  "relay.ffmpeg.url=rtmp://127.0.0.1:$ffmpeg_port/live/ffmpeg" \
  "relay.pyrtmp.url=rtmp://127.0.0.1:$pyrtmp_port/live/pyrtmp"
expect_delivered main
sleep "$seconds"
said=$("$onair" status --json --set "state.directory=$work/state-main" | python3 -c 'import json, sys
status = json.load(sys.stdin)
every = {"main": status["destinations"][0], **{one["name"]: one for one in status["relays"]}}
for name, one in every.items():
    print(name, one["state"], one["dropped"], one["reconnects"], one["failures"])')
for name in main nginx ffmpeg pyrtmp; do
  if grep -qE "^$name (delivering|running) 0 0 0$" <<<"$said"; then ok "$name has lost nothing"; else miss "$name: $said"; fi
done
go_off_air
for key in main nginx; do
  expect_received "$key" --min-seconds $((seconds - 5)) --max-gap-ms 200 --max-av-ms 100 --size 640x360
done
for _ in {1..100}; do is_running "$ffmpeg" && sleep 0.05; done
for name in ffmpeg pyrtmp; do
  if told=$("$root/board/received" "$work/$name.flv" --check --min-seconds $((seconds - 5)) --max-gap-ms 200 --max-av-ms 100 --size 640x360 2>&1); then
    ok "$name: $(head -n 1 <<<"$told")"
  else
    miss "$name: $told"
  fi
done

if ONAIR_SOAK=1 ONAIR_PYRTMP=$pyrtmp/bin/python swift test --package-path "$root" "${test_build[@]}" \
  --filter SeveralMakesTests >"$work/hour.log" 2>&1; then
  ok "an hour on the virtual clock: $(tail -n 1 "$work/hour.log")"
else
  miss "an hour on the virtual clock: $(tail -n 20 "$work/hour.log")"
fi
conclude
