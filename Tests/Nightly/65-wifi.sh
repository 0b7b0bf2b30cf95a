#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A new box, a phone and a router, with the simulated radios of mac80211_hwsim, each in a network namespace of its own: the
# box makes its own Wi-Fi, the phone joins it and gives the router's, the box comes up there. A wrong password, the
# network gone and back, and an address that cuts everybody off; each with the sentence that a person reads.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

cat >"$work/wifi" <<'END_OF_WIFI'
#!/bin/bash
set -u
misses=0
good() { echo "ok      wifi: $*"; }
bad() {
  echo "FAILED  wifi: $*"
  misses=$((misses + 1))
}
uptime_seconds() { cut -d . -f 1 /proc/uptime; }
# Waits until a command succeeds.
until_true() { # SECONDS COMMAND...
  local last=$(($(uptime_seconds) + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    (($(uptime_seconds) < last)) || return 1
    sleep 1
  done
}
expect() { # SECONDS WHAT COMMAND...
  local seconds=$1 what=$2 begin
  shift 2
  begin=$(uptime_seconds)
  if until_true "$seconds" "$@"; then good "$what, after $(($(uptime_seconds) - begin)) s"; else
    bad "$what: not within $seconds s; $(network | head -c 1500)"
    tail -n 20 "$OUT/onair.log" "$OUT/nm.log"
  fi
}
onair() { ./onair "$@" --set state.directory=/tmp/state; }
network() { curl -sS --max-time 20 --unix-socket /tmp/state/control http://onair/api/network; }
says() { network | holds -F -- "$1"; } # TEXT
logged() { grep -qF -- "$1" "$OUT/onair.log"; } # TEXT
times() { grep -cF -- "$1" "$OUT/onair.log"; } # TEXT
told_since() { [ "$(times "$1")" = $(($2 + 1)) ]; } # TEXT TIMES

# --- Radios: the box's, the router's, the phone's.
modprobe mac80211_hwsim radios=3
for name in router phone; do
  ip netns add "$name"
  ip -n "$name" link set lo up
done
phy() { cat "/sys/class/net/$1/phy80211/name"; }
iw phy "$(phy wlan1)" set netns name router
iw phy "$(phy wlan2)" set netns name phone

# No cable: the emulator's own network is gone.
ip address flush dev eth0
ip link set eth0 down

# --- The box, as Debian has it, by hand: the board has no systemd.
mkdir -p /run/dbus /etc/NetworkManager/dnsmasq-shared.d
# As on the image: in the own Wi-Fi all names lead to the box.
echo 'address=/#/10.42.0.1' >/etc/NetworkManager/dnsmasq-shared.d/onair.conf
printf '%s\n' '[main]' 'plugins=keyfile' 'dhcp=internal' 'dns=none' 'auth-polkit=false' '[keyfile]' \
  'unmanaged-devices=interface-name:eth0' '[logging]' 'level=INFO' >/etc/NetworkManager/NetworkManager.conf
dbus-daemon --system --fork --nopidfile 2>"$OUT/dbus.log"
wpa_supplicant -u -s >"$OUT/supplicant.log" 2>&1 &
NetworkManager --no-daemon >"$OUT/nm.log" 2>&1 &
./onair run --set state.directory=/tmp/state --set video.source=pattern --set audio.source=tone --set video.size=160x90 \
  --set video.speed=superfast --set page.listen=0.0.0.0:80 >"$OUT/onair.log" 2>&1 &
begun=$(uptime_seconds)

# --- The router.
router_up() {
  ip netns exec router hostapd -B -P /run/hostapd.pid /tmp/hostapd.conf >>"$OUT/hostapd.log" 2>&1
  ip -n router address replace 192.168.7.1/24 dev wlan1
}
router_down() {
  kill "$(cat /run/hostapd.pid)"
  sleep 1
}
printf '%s\n' interface=wlan1 driver=nl80211 ssid=Home hw_mode=g channel=6 wpa=2 wpa_key_mgmt=WPA-PSK \
  wpa_pairwise=CCMP rsn_pairwise=CCMP wpa_passphrase=the-right-password >/tmp/hostapd.conf
router_up
ip netns exec router dnsmasq --conf-file=/dev/null --interface=wlan1 --bind-dynamic --port=0 \
  --dhcp-range=192.168.7.50,192.168.7.99,1h --dhcp-leasefile=/tmp/leases --pid-file=/run/router-dnsmasq.pid

# --- The phone.
printf '%s\n' '#!/bin/sh' 'case $1 in' 'bound | renew)' '  ip address flush dev $interface' \
  '  ip address add $ip/$mask dev $interface' '  [ -z "$router" ] || ip route replace default via $router' \
  '  echo "$router" >/tmp/phone.router;;' 'esac' >/tmp/udhcpc
chmod +x /tmp/udhcpc
in_phone() { ip netns exec phone "$@"; }
phone_leaves() {
  [ ! -e /run/phone.pid ] || kill "$(cat /run/phone.pid)"
  rm -f /tmp/phone.router /run/phone.pid
  in_phone ip address flush dev wlan2
  sleep 1
}
phone_joins() { # NAME [PASSWORD]
  phone_leaves
  { echo 'network={'; echo "ssid=\"$1\""; if [ -n "${2:-}" ]; then echo "psk=\"$2\""; else echo key_mgmt=NONE; fi
    echo '}'; } >/tmp/phone.conf
  in_phone wpa_supplicant -B -i wlan2 -c /tmp/phone.conf -P /run/phone.pid >>"$OUT/phone.log" 2>&1
  in_phone busybox udhcpc -i wlan2 -n -q -t 30 -T 1 -s /tmp/udhcpc >>"$OUT/phone.log" 2>&1
}
browse() { # METHOD PATH [BODY]
  in_phone curl -sS --max-time 20 -b /tmp/cookies -c /tmp/cookies -H "Origin: http://$host" -X "$1" \
    ${3:+-d "$3"} "http://$host$2"
}
secret() { grep -rlF -e the-right-password -e a-wrong-password "$OUT"/*.log; }

# --- The story.
until_true 60 network || bad 'the box does not start'
expect 60 'it says what is missing' says 'No cable, and the box knows no Wi-Fi yet.'
expect 60 'the Wi-Fis in reach' says '"name":"Home"'
expect 120 'its own Wi-Fi' says '"up":true'
took=$(($(uptime_seconds) - begun))
if [ "$took" -ge 60 ]; then good "it waited for a minute first ($took s)"; else bad "it came after $took s"; fi
if logged 'The box makes its own Wi-Fi onair-setup'; then good 'which the log tells'; else bad 'the log does not tell'; fi

host=10.42.0.1
expect 60 'the phone joins it' phone_joins onair-setup
if [ "$(in_phone curl -sS --max-time 20 -o /dev/null -w '%{http_code} %{redirect_url}' -H 'Host: captive.test' \
  "http://$host/hotspot-detect.html")" = "302 http://$host/" ]; then good 'any address leads to the page'; else
  bad 'another address does not lead to the page'; fi
if browse GET / | holds OnAir; then good 'the page is there'; else bad 'there is no page'; fi
browse POST /api/setup '{"password":"a password for tests"}' | holds '"logged_in":true' || bad 'the first password'
browse POST /api/network/wifi/join '{"name":"Home","password":"a-wrong-password"}' | holds '"ok":true' ||
  bad 'a Wi-Fi is not taken'
expect 90 'a wrong password' says '"sentence":"The password of the Wi-Fi Home is wrong."'
expect 60 'its own Wi-Fi is back' says '"up":true'
expect 60 'the phone joins it again' phone_joins onair-setup
if browse GET /api/network | holds -F 'The password of the Wi-Fi Home is wrong.'; then good 'and reads why'; else
  bad 'the phone does not read why'; fi
browse POST /api/network/wifi/join '{"name":"Home","password":"the-right-password"}' | holds '"ok":true' ||
  bad 'a Wi-Fi is not taken again'
expect 90 'the right one' says 'The box uses the Wi-Fi Home.'
says '"up":false' || bad 'its own Wi-Fi has not ended'
logged "The box's own Wi-Fi has ended." || bad 'the log does not tell that the own Wi-Fi has ended'
onair network status
host=$(network | grep -oE '192\.168\.7\.[0-9]+' | head -n 1)
expect 60 'the phone joins the router' phone_joins Home the-right-password
if browse GET / | holds OnAir; then good "the page is at $host"; else bad "there is no page at $host"; fi
rm -f /tmp/cookies
browse POST /api/login '{"password":"a password for tests"}' | holds '"logged_in":true' || bad 'a login there'

told=$(times 'no known Wi-Fi is in reach')
router_down
expect 120 'the network is gone' says 'No cable, and no known Wi-Fi is in reach.'
expect 30 'which the log tells, once' told_since 'no known Wi-Fi is in reach' "$told"
sleep 20
router_up
expect 120 'the network is back' says 'The box uses the Wi-Fi Home.'
expect 30 'which the log tells, too' told_since 'The box is in the network, through the Wi-Fi Home' 1
says '"up":true' && bad 'the own Wi-Fi began while a known one was away'

expect 60 'the phone joins the router again' phone_joins Home the-right-password
move='{"interface":"wlan0","method":"static","address":"192.168.7.200/24","gateway":"192.168.7.1"}'
browse PUT /api/network/address "$move" | holds '"ok":true' || bad 'an address is not taken'
expect 60 'the new address' says '"addresses":["192.168.7.200/24"]'
expect 30 'which waits for somebody' says '"state":"unconfirmed"'
expect 100 'nobody comes: it is undone' says '"state":"undone"'
expect 60 'the old address is back' says "\"addresses\":[\"$host/24\"]"
logged 'The change of the network was undone' || bad 'the log does not tell that it was undone'
browse PUT /api/network/address "$move" | holds '"ok":true' || bad 'an address is not taken again'
expect 60 'the new address again' says '"state":"unconfirmed"'
host=192.168.7.200
number=$(browse GET /api/session | grep -oE '"network_change":[0-9]+' | cut -d : -f 2)
browse POST /api/network/confirm "{\"number\":${number:-0}}" | holds '"ok":true' || bad 'it cannot be confirmed there'
sleep 65
if says '"addresses":["192.168.7.200/24"]'; then good 'confirmed by the phone: it stays'; else bad 'it does not stay'; fi

# The supplicant is told the country; the simulated radios have no list of what is allowed there.
onair set wifi.country=DE >/dev/null || bad 'the country is not taken'
sleep 25
if logged 'cannot be told wifi.country'; then bad "$(grep -F wifi.country "$OUT/onair.log")"; else
  good "the supplicant has taken the country ($(iw reg get | grep -m 1 country))"; fi
onair network forget Home || bad 'it cannot be forgotten'
expect 60 'a forgotten Wi-Fi' says 'No cable, and the box knows no Wi-Fi yet.'
found=$(secret)
if [ -z "$found" ]; then good 'no password is in a log'; else bad "a password is in $found"; fi
exit $misses
END_OF_WIFI
run_on_board --timeout 1500 --out "$work/out" "$work/wifi" || miss "$? of the board's checks failed"
if [[ -e $work/out/onair.log ]]; then grep -F 'Wi-Fi' "$work/out/onair.log" || true; fi
conclude
