#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The example for more boxes than one (board/fleet): Prometheus scrapes two boxes and raises an alarm when one of them is gone,
# and the relay server passes a box's stream on to viewers.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

fleet=$root/board/fleet

# --- The relay server -----------------------------------------------------------------------------

start_relay() {
  local relay=$work/relay
  mkdir -p "$relay/hls" "$relay/temp"
  rtmp_port=$(free_port "$first_port") http_port=$(free_port $((first_port + 5)))
  # The files of the example, with this test's ports and folders.
  {
    echo "daemon off; pid $relay/pid; error_log $relay/error.log info;"
    ((EUID != 0)) || echo 'user root;'
    sed -e "s|listen 1935;|listen 127.0.0.1:$rtmp_port;|; s|listen 8080;|listen 127.0.0.1:$http_port;|" \
      -e "s|/var/lib/onair-relay|$relay|g" \
      -e "s|^http {|http { access_log off; client_body_temp_path $relay/temp; proxy_temp_path $relay/temp;|" \
      -e "s|^  types {|  fastcgi_temp_path $relay/temp; uwsgi_temp_path $relay/temp; scgi_temp_path $relay/temp;\n  types {|" \
      -e 's|^rtmp {|rtmp { access_log off;|' "$fleet/relay/nginx.conf"
  } >"$relay/nginx.conf"
  start "$work/relay.log" nginx -p "$relay" -c "$relay/nginx.conf"
  wait_until is_listening "$rtmp_port" || miss "the relay server does not start: $(tail -n 3 "$work/relay.log")"
}

start_relay
ports=() programs=()
for box in church school; do
  port=$(free_port $((first_port + 10 + 5 * ${#ports[@]})))
  go_on_air "$box" "page.listen=127.0.0.1:$port" video.source=pattern audio.source=tone video.size=320x180
  ports+=("$port") programs+=("$program")
done
plays() { ffprobe -v error -show_entries stream=codec_name -of csv=p=0 "http://127.0.0.1:$http_port/hls/$1.m3u8" 2>/dev/null; }
if wait_until plays church >"$work/streams" && [[ $(sort -u "$work/streams" | xargs) == 'aac h264' ]]; then
  ok 'the relay server plays the stream of a box'
else
  miss "the relay server plays: $(xargs <"$work/streams")"
fi

# --- Prometheus ------------------------------------------------------------------------------------

prometheus=$work/prometheus
mkdir -p "$prometheus/tokens"
sed -e "s|onair-church.example.org:80|127.0.0.1:${ports[0]}|; s|onair-school.example.org:80|127.0.0.1:${ports[1]}|" \
  -e 's|_interval: 15s|_interval: 1s|' "$fleet/prometheus/prometheus.yml" >"$prometheus/prometheus.yml"
# In the example an alarm waits for minutes.
sed -e 's|for: [0-9]*m|for: 1s|' "$fleet/prometheus/alerts.yml" >"$prometheus/alerts.yml"
for index in 0 1; do
  box=(church school)
  make_tokens "$work/state-${box[index]}" | sed -n 's/^read //p' >"$prometheus/tokens/${box[index]}"
done
cp -r "$fleet/prometheus" "$work/example"
mkdir "$work/example/tokens"
cp "$prometheus"/tokens/* "$work/example/tokens/"
if promtool check config "$work/example/prometheus.yml" >"$work/promtool" 2>&1; then ok 'promtool has no objection to the example'; else
  miss "promtool: $(head -n 5 "$work/promtool")"
fi
port=$(free_port $((first_port + 25)))
start "$work/prometheus.log" prometheus "--config.file=$prometheus/prometheus.yml" "--storage.tsdb.path=$work/tsdb" \
  "--web.listen-address=127.0.0.1:$port"
# The number of series that a query gives.
count() { curl -s --data-urlencode "query=$1" "http://127.0.0.1:$port/api/v1/query" | python3 -c '
import json, sys
try:
    print(len(json.load(sys.stdin)["data"]["result"]))
except ValueError:
    print(-1)'; }
has() { [[ $(count "$1") == "$2" ]]; }
if wait_until has 'up{box!=""} == 1' 2; then ok 'Prometheus scrapes both boxes'; else
  miss "Prometheus scrapes $(count 'up{box!=""} == 1') of two boxes: $(tail -n 3 "$work/prometheus.log")"
fi
if wait_until has 'onair_destination_up == 1' 2; then ok 'both are on air'; else miss 'not both are on air'; fi
# Every series that an alarm or the dashboard asks for exists, but for what only some machines have.
python3 - "$fleet" >"$work/names" <<'END'
import json
import re
import sys

fleet = sys.argv[1]
text = open(f"{fleet}/prometheus/alerts.yml").read() + open(f"{fleet}/grafana/onair.json").read()
print("\n".join(sorted(set(re.findall(r"\b(?:onair|process)_[a-z_]+", text)))))
json.load(open(f"{fleet}/grafana/onair.json"))
END
while read -r metric; do
  case $metric in onair_machine_temperature_celsius | onair_machine_throttled | onair_machine_under_voltage) continue ;; esac
  wait_until has "count($metric{box=\"church\"})" 1 || miss "no box has $metric"
done < <(grep -vxE 'onair_prometheus' "$work/names")
ok "$(wc -l <"$work/names") metrics of alarms and dashboard were looked for"
if has 'ALERTS{alertname=~"BoxUnreachable|BroadcastInterrupted"}' 0; then ok 'and no alarm is raised'; else miss 'an alarm is raised without a reason'; fi
kill -KILL -- "-${programs[1]}"
if wait_until has 'ALERTS{alertname="BoxUnreachable", box="school", alertstate="firing"}' 1; then
  ok 'a box that is gone raises an alarm'
else
  miss "no alarm for a box that is gone: $(count ALERTS)"
fi
program=${programs[0]}
go_off_air
if wait_until has 'ALERTS{alertname="BoxUnreachable", box="church", alertstate="firing"}' 1; then ok 'and so does the other'; else miss 'the other raises none'; fi
conclude
