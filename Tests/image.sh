# shellcheck shell=bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Functions for tests of the image (board/image) on an emulated board. Source Tests/lib.sh first.
#
# The image has no login. Tests see what a person sees, the page, and pass units to systemd as firmware credentials
# (systemd-debug-generator(8)): these report on the console.

image_folder=$root/.lab/image
box=
# The box takes its time to start: who looks more often only takes it from the emulator.
pace=1
# The nightly tests have the image as it is delivered. The others compress with little effort, which takes minutes less.
quick=(--quick)
[[ $0 != */Nightly/* ]] || quick=()

# Makes the package of the programs under test, once, and an image with it.
need_image() { # BOARD [OPTION...]
  if [[ -z ${package:-} ]]; then
    mkdir "$work/programs"
    ln -s "$onair" "$work/programs/$(first_target)"
    ln -s "$(run_on_board --build)" "$work/programs/deb13_arm64"
    package=$("$root/board/package" --programs "$work/programs" --out "$work" "${quick[@]}" deb13_arm64 2>"$work/package.log" | tail -n 1) || {
      show_log_tail "$work/package.log"
      fail 1 'board/package failed'
    }
  fi
  "$root/board/image" "$1" --package "$package" --out "$image_folder" "${quick[@]}" "${@:2}" >"$work/image-$1.log" 2>&1 || {
    show_log_tail "$work/image-$1.log"
    fail 1 "board/image $1 failed"
  }
}

first_target() { "$root/board/package" --list | head -n 1; }

# A card on which the image was written: 2 GB.
new_card() { # BOARD
  card=$work/card
  cp --sparse=always "$image_folder/onair-$1.img" "$card"
  truncate -s 2G "$card"
}

# The card's FAT partition, as any computer shows it.
card_partition() { printf '%s@@1M' "$card"; }
put_on_card() { mcopy -o -i "$(card_partition)" "$1" "::${1##*/}"; } # FILE
on_card() { mtype -i "$(card_partition)" "::$1" 2>/dev/null; } # NAME

credential() { # NAME < TEXT
  printf 'type=11,value=io.systemd.credential.binary:%s=%s' "$1" "$(base64 -w 0)"
}

# A unit for the box: it runs the commands, whose output is on the console.
add_unit() { # NAME COMMANDS
  extras+=(-smbios "$(credential "systemd.extra-unit.$1.service" <<END
[Unit]
DefaultDependencies=no
After=onair.service
[Service]
Type=exec
StandardOutput=file:/dev/ttyAMA0
StandardError=inherit
ExecStart=/bin/sh -c '$2'
END
)")
  wanted+=" $1.service"
}

# Adds to the box's drop-in for a unit.
declare -A drop_ins=()
add_drop_in() { # UNIT < TEXT
  drop_ins[$1]+=$(cat)$'\n'
}

# The board is emulated by a machine that may stand still for a minute, while the board's clock goes on: no unit is given up for
# that. So the limits of these units themselves are not tested here.
be_patient() {
  local unit
  for unit in onair-seed onair-drivers dbus; do
    add_drop_in "$unit.service" <<<$'[Service]\nTimeoutStartSec=infinity'
  done
  add_drop_in onair.service <<<$'[Service]\nTimeoutStartSec=infinity\nWatchdogSec=0'
}

# Forgets the units, drop-ins and other hardware (options of QEMU) of the boot before. Each boot tells its slot, and what the start noted.
new_extras() {
  extras=() wanted='' hardware=() has_cable=yes drop_ins=()
  be_patient
  # shellcheck disable=SC2016  # expanded on the box
  add_unit told 'sleep 1; . /run/onair-boot/env; echo; echo "BOX slot $$ONAIR_SLOT"; sed "s/^/BOX note /" /run/onair-boot/notes; sed "s/^/BOX check /" /run/onair-boot/e2fsck; sed "s/^/BOX result /" /var/lib/onair-update/result || true'
}

# Starts the box; its page is at $page_port.
start_box() {
  page_port=$(free_port $((first_port + 20)))
  local network=(-nic none)
  if [[ $has_cable == yes ]]; then
    network=(-netdev "user,id=net,hostfwd=tcp:127.0.0.1:$page_port-:80" -device 'virtio-net-pci,netdev=net,romfile=')
  fi
  local unit units=()
  for unit in "${!drop_ins[@]}"; do units+=(-smbios "$(credential "systemd.unit-dropin.$unit" <<<"${drop_ins[$unit]}")"); done
  start "$work/console" "$root/board/image.d/emulate" arm64-uefi "$card" "${network[@]}" "${hardware[@]}" "${extras[@]}" "${units[@]}" \
    -smbios "$(credential systemd.unit-dropin.multi-user.target <<<"[Unit]
Wants=$wanted")"
  box=$started
}

# As pulling its plug: what QEMU has not written by then is lost.
cut_power() { end_group "$box" KILL 5; }

has_page() { curl -sf --max-time 60 -o /dev/null "http://127.0.0.1:$page_port/healthz"; }

expect_page() { # WHAT
  local since=$SECONDS
  if wait_until has_page; then
    ok "$1: the page answers $((SECONDS - since)) s after power-on"
  else
    miss "$1: no page within $patience s; the console:"$'\n'"$(tail -n 15 "$work/console")"
    return 1
  fi
}

# What the box has told since it was started: "slot a".
told() { tr -d "\r" <"$work/console" | grep -a -o "BOX .*" | tail -n 40; }
has_told() { told | holds -- "$1"; }
expect_told() { # WHAT PATTERN
  if wait_until has_told "$2"; then ok "$1: $(told | grep -m 1 -- "$2")"; else miss "$1: it did not tell \"$2\" but: $(told)"; fi
}
