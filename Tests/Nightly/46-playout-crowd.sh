#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# slots: 2
#
# Twenty viewers of the play-out, each in a network namespace of its own, of whom seven never read: the broadcast loses no frame,
# and its delay to the server grows by at most 5 ms (p99). Needs root. SECONDS_EACH without and with viewers.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

seconds=${SECONDS_EACH:-60}
[[ $EUID == 0 ]] || fail 69 'This test makes network namespaces: it needs root.'
bridge=oa$((first_port % 1000)) net=10.77.$((first_port / 40 % 250))
drop_network() {
  local number
  for ((number = 1; number <= 20; number++)); do ip netns del "$bridge-$number" 2>/dev/null || true; done
  ip link del "$bridge" 2>/dev/null || true
}
trap 'drop_network; finish' EXIT
drop_network
ip link add "$bridge" type bridge
ip addr add "$net.254/24" dev "$bridge"
ip link set "$bridge" up
for ((number = 1; number <= 20; number++)); do
  ip netns add "$bridge-$number"
  ip link add "$bridge.$number" type veth peer name eth0 netns "$bridge-$number"
  ip link set "$bridge.$number" master "$bridge" up
  ip -n "$bridge-$number" addr add "$net.$number/24" dev eth0
  ip -n "$bridge-$number" link set eth0 up
done

start_server
port=$(free_port $((first_port + 10)))
go_on_air crowd video.source=pattern audio.source=tone video.size=1280x720 video.bitrate_kbps=2000 network.mode=fixed \
  video.speed=superfast "playout.listen=$net.254:$port" playout.max_viewers=20
expect_delivered crowd
sleep 10

# The p99 of the time from the capture of a frame until the server has acknowledged it, in ms, asked each second.
delay() { # SECONDS
  local end=$((SECONDS + $1))
  while ((SECONDS < end)); do
    (curl -s --max-time 10 --unix-socket "$work/state-crowd/control" http://onair/api/figures; echo) |
      sed -n 's/.*"capture_to_acknowledged_ms":\([0-9.]*\).*/\1/p'
    sleep 1
  done | sort -n | awk '{ value[NR] = $1 } END { if (NR) print value[int(NR * 0.99 + 0.99)] }'
}
memory() { awk '/^VmRSS/ { print int($2 / 1024) }' "/proc/$(pgrep -g "$program" -x onair | head -n 1)/status"; }

alone=$(delay "$seconds")
before=$(memory)
viewers=()
for ((number = 1; number <= 20; number++)); do
  case $((number % 3)) in 0) kind=hls ;; 1) kind=flv ;; 2) kind=deaf ;; esac
  start "$work/viewer-$number" ip netns exec "$bridge-$number" "$root/Tests/playout" watch "$net.254" "$port" $((seconds + 15)) "$kind"
  viewers+=("$started")
done
wait_until status_has crowd '"viewers":20' || miss "not all are counted: $(ask crowd status --json | tr -d ' \n' | sed -n 's/.*\("playout":{[^}]*}\).*/\1/p')"
# The start of twenty programs takes some of the processor's time for itself.
sleep 5
crowded=$(delay "$seconds")
figure 'memory with the crowd, MB more' $(($(memory) - before)) 0 40
for viewer in "${viewers[@]}"; do wait_until is_gone "$viewer" || miss 'a viewer does not end'; done
for kind in hls flv; do
  if cat "$work"/viewer-* | grep "\"$kind\"" | grep -q '"ended_early": true'; then miss "a viewer by $kind was cut off"; else ok "all by $kind saw all"; fi
  figure "bytes of the one by $kind who got least" "$(cat "$work"/viewer-* | sed -n "s/.*\"$kind\", \"bytes\": \([0-9]*\).*/\1/p" | sort -n | head -n 1)"
done
figure 'p99 ms from capture to the server, without viewers' "$alone"
figure 'p99 ms from capture to the server, with twenty' "$crowded"
expect_at_most 'p99 ms more with twenty viewers' "$(awk -v a="$crowded" -v b="$alone" 'BEGIN { print a - b }')" 5
expect_status crowd '"late":0'
expect_status crowd '"dropped":0'
go_off_air
expect_received crowd --max-gap-ms 200
conclude
