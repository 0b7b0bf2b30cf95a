#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# RTMPS: a server behind a TLS front, and servers whose certificate is not to be trusted.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

mkdir "$work/front"
"$root/Tests/certificates" "$work/front"
begin_platform

# A TLS front with a port for each certificate. Sets `front`, and `port` by the certificate's name.
declare -A port
begin_front() { # NAME…
  local one next=19443
  {
    [[ $EUID != 0 ]] || echo 'user root;'
    printf '%s\n' 'load_module /usr/lib/nginx/modules/ngx_stream_module.so;' 'daemon off;' \
      'pid nginx.pid;' 'events { worker_connections 256; }' 'stream {'
    for one in "$@"; do
      port[$one]=$(free_port "$next")
      next=$((port[$one] + 1))
      echo "server { listen 127.0.0.1:${port[$one]} ssl; proxy_pass 127.0.0.1:$rtmp_port;"
      echo "ssl_certificate $one.pem; ssl_certificate_key $one.key; }"
    done
    echo '}'
  } >"$work/front/nginx.conf"
  start_bound "$work/front.log" env "PATH=$PATH:/usr/sbin" nginx -p "$work/front/" -c nginx.conf \
    -e "$work/front/error.log"
  front=$started
  for _ in {1..100}; do
    if is_listening "${port[${!#}]}"; then return; fi
    sleep 0.05
  done
  miss "the TLS front does not start: $(<"$work/front.log")"
}

begin_front good name-only expired future foreign self-signed other

picture=(video.source=pattern audio.source=tone video.size=640x360)
ca=publish.ca_file=$work/front/ca.pem

# Over a name, and over an address that stands in the certificate.
go_on_air name "${picture[@]}" "publish.url=rtmps://localhost:${port[good]}/live" "$ca"
name_program=$program
go_on_air address "${picture[@]}" "publish.url=rtmps://127.0.0.1:${port[good]}/live" "$ca"
expect_line "$work/name.log" 'localhost takes the stream' 5
expect_line "$work/address.log" '127.0.0.1 takes the stream' 5
sleep 6
go_off_air
program=$name_program
go_off_air
for key in name address; do
  expect_received "$key" --min-seconds 5 --min-fps 25 --max-gap-ms 400 --max-av-ms 100 --size 640x360
done
# The good-bye comes through, too: for each connection it is there before the end.
first=$(grep -oE '\*[0-9]+ (deleteStream|disconnect)' "$work/platform/log/error.log" | sort -s -u -k 1,1)
if [[ $(grep -c deleteStream <<<"$first") == 2 && $first != *disconnect* ]]; then
  ok 'the server was told good-bye'
else
  miss "the server was not told good-bye: $first"
fi

# Each refusal in its own words, all at once, and nothing of the stream behind the front.
programs=()
expect_refusal() { # CERTIFICATE HOST WORDS [KEY=VALUE]
  local key=refused-$1-$2
  go_on_air "$key" video.source=pattern audio.source=none video.size=320x180 video.fps=5 \
    "publish.url=rtmps://$2:${port[$1]}/live" "${@:4}"
  programs+=("$program")
  expect_line "$work/$key.log" "$3" 8
}
expect_refusal expired localhost 'certificate of localhost port [0-9]+ has expired' "$ca"
expect_refusal future localhost "not valid yet .*date and time" "$ca"
expect_refusal foreign localhost 'is for another server, not for localhost' "$ca"
expect_refusal name-only 127.0.0.1 'is for another server, not for 127.0.0.1' "$ca"
expect_refusal self-signed localhost 'Nobody known here vouches .*publish.ca_file' "$ca"
expect_refusal other localhost 'Nobody known here vouches' "$ca"
expect_refusal good localhost 'Nobody known here vouches'
for program in "${programs[@]}"; do go_off_air; done
if [[ -z $(find "$work/platform/recorded" -name 'refused-*') ]]; then ok 'nothing was sent'; else
  miss "a stream was sent: $(ls "$work/platform/recorded")"; fi

# The wrong protocol, either way round.
go_on_air tls-to-plain video.source=pattern audio.source=none video.size=320x180 \
  "publish.url=rtmps://127.0.0.1:$rtmp_port/live" "$ca"
plain_program=$program
go_on_air plain-to-tls video.source=pattern audio.source=none video.size=320x180 \
  "publish.url=rtmp://127.0.0.1:${port[good]}/live"
expect_line "$work/plain-to-tls.log" 'write rtmps://' 5
expect_line "$work/tls-to-plain.log" 'does not answer in TLS.*write rtmp://' 10
go_off_air
program=$plain_program
go_off_air

# The front dies and comes back.
go_on_air lost "${picture[@]}" "publish.url=rtmps://localhost:${port[good]}/live" "$ca"
expect_line "$work/lost.log" 'takes the stream' 5
{ end_group "$front" KILL 2; } 2>/dev/null  # not what bash has to say of it
expect_line "$work/lost.log" 'was closed from outside' 3
begin_front good
for _ in {1..100}; do
  if (($(grep -c 'takes the stream' "$work/lost.log") == 2)); then break; fi
  sleep 0.05
done
sleep 2
go_off_air
expect_received lost --min-seconds 1

# What onair check says of the authorities' file.
cat >"$work/secure.toml" <<END
[video]
source = "pattern"
[audio]
source = "tone"
[publish]
url = "rtmps://localhost/live"
key = "k"
  ca_file = "$work/front/none.pem"
END
expect_check() { # CODE PATTERN [SETTING]
  local status=0 said
  said=$("$onair" check --config "$work/secure.toml" ${3+--set "$3"} 2>&1) || status=$?
  if ((status == $1)) && grep -qE "$2" <<<"$said"; then ok "$1: $said"; else miss "$status: $said"; fi
}
expect_check 78 'secure.toml:8:3: publish.ca_file: names a file that is not there'
expect_check 78 '^--set publish.ca_file: names a file without a certificate' "publish.ca_file=$work/front/ca.key"
expect_check 0 'settings are right' "$ca"
conclude
