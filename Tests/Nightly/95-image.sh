#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# slots: 6
#
# The images: their bytes and sizes, the start, memory, the Raspberry Pi's card, and power cuts (CUTS of them, default 30): a third each while
# the box starts first, saves settings, and runs. It starts each time, and its file system is clean.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../image.sh
. "$root/Tests/image.sh"
patience=900
cuts=${CUTS:-30}

start_server
mib() { echo $(($(stat -c %s "$1") >> 20)); }

need_image arm64-uefi --bundle
need_image raspberry-pi
for board in arm64-uefi raspberry-pi; do
  expect_at_most "MiB of the image for $board" "$(mib "$image_folder/onair-$board.img")" 700
  expect_at_most "MiB of it packed" "$(mib "$image_folder/onair-$board.img.zst")" 250
done

# The same commit and packages, and the same key.
again=$work/again key=$image_folder/development-key
"$root/board/image" arm64-uefi --package "$package" --no-pack --bundle --out "$again" \
  --key "$key/key.pem" --cert "$key/cert.pem" >"$work/again.log" 2>&1 || miss "the second time: $(tail -n 5 "$work/again.log")"
if cmp "$image_folder/onair-arm64-uefi.img" "$again/onair-arm64-uefi.img"; then
  ok 'made twice: the same bytes'
else
  miss 'made twice: other bytes'
fi
rm -rf "$again"

# --- The Raspberry Pi's card -----------------------------------------------------------------------------

# Neither network nor firmware is emulated there: the units come with the kernel's options. Bluetooth owns the serial line
# as soon as its driver is there, so that they report by the kernel's log.
option() { printf ' systemd.set_credential_binary=%s:%s' "$1" "$(base64 -w 0)"; } # NAME < TEXT
new_card raspberry-pi
# shellcheck disable=SC2016  # expanded on the box
OPTIONS="printk.devkmsg=on loglevel=7 systemd.journald.forward_to_kmsg=1 systemd.journald.max_level_kmsg=info$(
  option systemd.extra-unit.report.service <<'END'
[Unit]
DefaultDependencies=no
After=onair.service
[Service]
Type=exec
StandardOutput=journal
StandardError=inherit
ExecStart=/bin/sh -c 'until curl -sf -o /dev/null http://127.0.0.1/healthz; do sleep 1; done; sleep 3; echo "BOX page"; for chip in /sys/bus/gpio/devices/gpiochip*; do echo "BOX chip $$(cat $$chip/of_node/compatible | tr "\\0" " ")"; done; curl -s --unix-socket /var/lib/onair/control http://onair/api/status | grep -o "The main button was down" | sed "s/^/BOX button /"; echo "BOX end"'
END
  option systemd.unit-dropin.multi-user.target <<'END'
[Unit]
Wants=report.service
END
)" start "$work/console" "$root/board/image.d/emulate" raspberry-pi "$card"
box=$started
expect_told 'Raspberry Pi' 'BOX end'
expect_told 'Raspberry Pi' 'BOX page'
expect_told 'Raspberry Pi' 'BOX chip brcm,bcm2835-gpio'
# The chip's lines are low there, as with a button that is held down: OnAir has read its own.
expect_told 'Raspberry Pi' 'BOX button'
cut_power

# --- The start -------------------------------------------------------------------------------------------

# In the board's own time, whatever this machine does meanwhile.
export STEADY=1
new_card arm64-uefi
new_extras
# shellcheck disable=SC2016  # expanded on the box
add_unit times 'until curl -sf -o /dev/null http://127.0.0.1/healthz; do sleep 0.1; done; echo; echo "BOX page-at $$(cut -d " " -f 1 /proc/uptime)"; sleep 60; echo "BOX lamp-at $$(systemctl show --value --property=ActiveEnterTimestampMonotonic onair.service)"; echo "BOX used $$(free -m | sed -n "s/^Mem: *[0-9]* *\([0-9]*\).*/\\1/p")"; systemd-analyze critical-chain onair.service --no-pager | sed "s/^/BOX chain /"; systemd-analyze time | sed "s/^/BOX chain /"; echo "BOX failed $$(systemctl --failed --plain --no-legend | tr "\\n" " ")"; echo "BOX whole $$(ls /var/lib/onair-update)"; echo "BOX end"'
for start in first second; do
  start_box
  expect_page "$start start"
  expect_told "$start start" 'BOX end'
  # The lamp is set before systemd is told that OnAir runs.
  figure "$start start: s from the kernel's start to the lamp" "$(told | sed -n 's/^BOX lamp-at //p' | awk '{ print $1 / 1e6 }')" 0 3
  figure "$start start: s from the kernel's start to the page" "$(told | sed -n 's/^BOX page-at //p')" 0 6
  expect_at_most 'MB of memory used, idle' "$(told | sed -n 's/^BOX used //p')" 200
  told | sed -n 's/^BOX chain /        /p'
  expect_told "$start start" 'BOX failed *$'
  cut_power
done

# --- Live ------------------------------------------------------------------------------------------------

new_card arm64-uefi
cat >"$work/onair.toml" <<END
[publish]
url = "rtmp://10.0.2.2:$rtmp_port/live"
key = "sIzE"
autostart = "always"
[audio]
source = "tone"
END
put_on_card "$work/onair.toml"
for start in first second; do
  new_extras
  add_unit camera 'modprobe vivid n_devs=1 node_types=0x1'
  # shellcheck disable=SC2016  # expanded on the box
  add_unit live 'until curl -s --unix-socket /var/lib/onair/control http://onair/api/status | grep -q delivering; do sleep 0.2; done; echo; echo "BOX live-at $$(cut -d " " -f 1 /proc/uptime)"; sleep 60; sed -n "s/^VmRSS:[^0-9]*\\([0-9]*\\).*/BOX resident \\1/p" /proc/$$(systemctl show --value --property=MainPID onair.service)/status; echo "BOX end"'
  start_box
  expect_told "live, $start start" 'BOX end'
  figure "$start start: s from the kernel's start to live" "$(told | sed -n 's/^BOX live-at //p')" 0 12
  expect_at_most 'MB of memory of OnAir, live at 1280x720' "$(told | sed -n 's/^BOX resident //p' | awk '$1 > 0 { print int($1 / 1024) }')" 80
  cut_power
done

# --- Power cuts ------------------------------------------------------------------------------------------

# The box again after a cut, with what it says about its card.
judge_cut() { # WHAT
  start_box
  if wait_until has_page && wait_until has_told 'BOX slot'; then
    if told | holds -E 'broken|cannot be written|could not be divided|Unattached|FIXED'; then miss "$1: $(told)"; else good=$((good + 1)); fi
  else
    miss "$1: no page: $(tail -n 15 "$work/console")"
  fi
}

random_seconds() { # MOST
  printf '%d.%d' $((RANDOM % $1)) $((RANDOM % 10))
}

unset STEADY
good=0
new_extras
for ((cut = 0; cut < cuts / 3; cut++)); do
  new_card arm64-uefi
  start_box
  seconds=$(random_seconds 40)
  sleep "$seconds"
  cut_power
  judge_cut "first start, cut after $seconds s"
  cut_power
done
# shellcheck disable=SC2016  # expanded on the box
add_unit saves 'n=0; while :; do n=$$((n + 1)); curl -s -o /dev/null --unix-socket /var/lib/onair/control -X PATCH -H "Content-Type: application/json" -d "{\"video.bitrate_kbps\": $$((1000 + n % 1000))}" http://onair/api/settings; done'
for ((; cut < cuts; cut++)); do
  start_box
  wait_until has_page || miss 'no page before a cut'
  seconds=$(random_seconds 20)
  sleep "$seconds"
  cut_power
  judge_cut "saving settings, cut $seconds s after the page"
  cut_power
done
if ((good == cuts)); then ok "$good power cuts: it started each time, its file system clean"; else miss "only $good of $cuts power cuts were survived"; fi
conclude
