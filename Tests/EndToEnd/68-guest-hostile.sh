#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# GUESTS hostile and broken guests, AT_ONCE of them at once, while a broadcast runs (Tests/Hostile/senders.py), and pictures of odd
# sizes and rates: the broadcast goes on, and nothing is left of them: no process, no descriptor, no memory. An honest guest then
# gets in. STRICT=1: no frame is late, either (on a quiet machine).
# slots: 2
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../guests
. "$root/Tests/guests"

guests=${GUESTS:-100} at_once=${AT_ONCE:-20} seed=${SEED:-1}
start_server
listen=$(free_port $((first_port + 20)))
ffmpeg -nostdin -v error -f lavfi -i "testsrc2=size=320x180:rate=30:d=10" -f lavfi -i sine=440:r=48000:d=10 "${coded[@]}" \
  "$work/film.flv"
go_on_air box video.source=pattern audio.source=tone video.size=320x180 video.fps=25 video.speed=superfast \
  "guests.listen=127.0.0.1:$listen" guests.lost_seconds=1 guest.anna.key=key-of-anna guest.anna.admit=auto \
  guest.ben.key=key-of-ben guest.ben.admit=auto
expect_delivered box
wait_until is_listening "$listen" || miss 'nobody listens for guests'
box() { pgrep -g "$program" -x onair | head -n 1; }
descriptors() { find "/proc/$(box)/fd" -maxdepth 1 -type l | wc -l; }
megabytes() { awk '/^RssAnon:/ { print int($2 / 1024) }' "/proc/$(box)/status"; }
readers() { pgrep -g "$program" -f guest-reader | wc -l; }
honest() { # an honest guest comes, is seen, and leaves
  start "$work/honest.log" "${sender[@]}" -f lavfi -i "color=0xe02020:size=320x180:rate=25" "${coded[@]}" -an -f flv \
    "rtmp://127.0.0.1:$listen/live/key-of-anna"
  expect_guest '"name":"anna"[^}]*"state":"on_air"'
  end_group "$started" KILL 5
  wait_until has_nobody || miss "somebody is still there: $(api guests)"
}
guest_has() { api guests | grep -qE -- "$1"; }
has_nobody() { (($(readers) == 0)); }
honest
sleep 3
before=$(descriptors) memory=$(megabytes)

python3 "$root/Tests/Hostile/senders.py" "127.0.0.1:$listen" key-of-anna,key-of-ben "$work/film.flv" "$guests" "$at_once" "$seed" \
  >"$work/kinds"
ok "$guests guests, $at_once at once: $(tr '\n' ';' <"$work/kinds")"
# Pictures of odd sizes and rates, and one that changes its size and its codec parameters.
ffmpeg -nostdin -v error -f lavfi -i "testsrc2=size=640x360:rate=30:d=2" "${coded[@]}" -an "$work/large.ts"
ffmpeg -nostdin -v error -f lavfi -i "testsrc2=size=160x90:rate=15:d=2" "${coded[@]}" -profile:v baseline -an "$work/small.ts"
cat "$work/large.ts" "$work/small.ts" "$work/large.ts" >"$work/changing.ts"
odd() { # WHAT INPUT...
  timeout 6 "${sender[@]}" "${@:2}" -an -f flv "rtmp://127.0.0.1:$listen/live/key-of-ben" >"$work/odd.log" 2>&1 || true
  if is_running "$(box)"; then ok "$1"; else miss "$1 has ended OnAir"; fi
}
odd '16x16' -f lavfi -i testsrc2=size=16x16:rate=30 "${coded[@]}"
odd '16,384x16' -f lavfi -i testsrc2=size=16384x16:rate=5 "${coded[@]}"
odd '8192x4096' -f lavfi -i color=blue:size=8192x4096:rate=2 "${coded[@]}"
odd '1,000 a second' -f lavfi -i testsrc2=size=64x64:rate=1000 "${coded[@]}"
odd 'changes of size' -i "$work/changing.ts" -c copy

wait_until has_nobody || miss "$(readers) readers are left"
expect_equal 'readers that are left' "$(readers)" 0
# Connections that have ended are forgotten within moments.
is_small() { (($(descriptors) <= before + 2)); }
wait_until is_small || true
expect_at_most 'descriptors more than before' "$(($(descriptors) - before))" 2
expect_at_most 'MB more than before' "$(($(megabytes) - memory))" 40
honest
go_off_air
expect_equal 'connections to the server' "$(find "$work/platform/recorded" -name 'box-*.flv' | wc -l)" 1
expect_received box --max-gap-ms 600
late=$(grep -aoE '[0-9]+ late' "$work/box.log" | tail -n 1)
if ((${STRICT:-0})); then expect_equal 'frames late' "${late%% *}" 0; else figure 'frames late' "${late%% *}"; fi
conclude
