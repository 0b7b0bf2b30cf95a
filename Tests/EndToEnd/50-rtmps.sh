#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# RTMPS: a server behind a TLS proxy, and servers whose certificate must not be trusted.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

start_server

start_front good name-only expired future foreign self-signed other

video=(video.source=pattern audio.source=tone video.size=640x360)
ca=publish.ca_file=$work/front/ca.pem

# By a name, and by an address that the certificate lists.
go_on_air name "${video[@]}" "publish.url=rtmps://localhost:${front_port[good]}/live" "$ca"
name_program=$program
go_on_air address "${video[@]}" "publish.url=rtmps://127.0.0.1:${front_port[good]}/live" "$ca"
expect_delivered name
expect_delivered address
sleep 5
go_off_air
program=$name_program
go_off_air
for key in name address; do
  expect_received "$key" --min-seconds 3 --max-av-ms 1000 --size 640x360
done
# Each connection closes its stream (deleteStream) before itself.
first=$(grep -oE '\*[0-9]+ (deleteStream|disconnect)' "$work/platform/log/error.log" | sort -s -u -k 1,1)
if [[ $(grep -c deleteStream <<<"$first") == 2 && $first != *disconnect* ]]; then
  ok 'the streams were closed before the connections'
else
  miss "a connection was closed before its stream: $first"
fi

# Each refusal has its own cause. Nothing of the stream passes the proxy.
programs=()
expect_refusal() { # CERTIFICATE HOST CODE [KEY=VALUE]
  local key=refused-$1-$2
  go_on_air "$key" video.source=pattern audio.source=none video.size=320x180 video.fps=5 \
    "publish.url=rtmps://$2:${front_port[$1]}/live" "${@:4}"
  programs+=("$program")
  expect_code "$key" "$3"
}
expect_refusal expired localhost certificate_expired "$ca"
expect_refusal future localhost certificate_not_yet_valid "$ca"
expect_refusal foreign localhost certificate_foreign "$ca"
expect_refusal name-only 127.0.0.1 certificate_foreign "$ca"
expect_refusal self-signed localhost certificate_untrusted "$ca"
expect_refusal other localhost certificate_untrusted "$ca"
expect_refusal good localhost certificate_untrusted
for program in "${programs[@]}"; do go_off_air; done
if [[ -z $(find "$work/platform/recorded" -name 'refused-*') ]]; then ok 'nothing was sent'; else
  miss "a stream was sent: $(ls "$work/platform/recorded")"; fi

# rtmps:// to a server without TLS, and rtmp:// to a server with TLS.
go_on_air tls-to-plain video.source=pattern audio.source=none video.size=320x180 \
  "publish.url=rtmps://127.0.0.1:$rtmp_port/live" "$ca"
plain_program=$program
go_on_air plain-to-tls video.source=pattern audio.source=none video.size=320x180 \
  "publish.url=rtmp://127.0.0.1:${front_port[good]}/live"
expect_code plain-to-tls '(tls_expected|closed_by_server_handshake)'
expect_code tls-to-plain '(not_tls|timed_out_tls)'
go_off_air
program=$plain_program
go_off_air

# The proxy is killed and restarted.
go_on_air lost "${video[@]}" "publish.url=rtmps://localhost:${front_port[good]}/live" "$ca"
expect_delivered lost
{ end_group "$front" KILL 2; } 2>/dev/null # bash reports the killed process
expect_code lost 'closed_by_server_.*'
start_front good
expect_delivered lost
expect_status lost '"reconnects":1'
sleep 3
go_off_air
expect_received lost --min-seconds 1

# onair check reports mistakes in publish.ca_file.
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
