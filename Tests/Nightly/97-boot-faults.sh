#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# slots: 6
#
# What can be wrong when a box starts, on the emulated board: after each the box runs, its page answers, and lamp and status
# tell the same. Prints a table.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../image.sh
. "$root/Tests/image.sh"
patience=240

start_server
need_image arm64-uefi --no-pack

# --- What the box says -------------------------------------------------------------------------------------

add_report() {
  # shellcheck disable=SC2016  # expanded on the box
  add_unit report 'while sleep 4; do curl -s --max-time 3 --unix-socket /var/lib/onair/control http://onair/api/status | tr -d "\\n" | sed "s/^/BOX status /"; curl -s --max-time 3 --unix-socket /run/onair/state/control http://onair/api/status | tr -d "\\n" | sed "s/^/BOX status /"; echo; echo "BOX page $$(curl -s -o /dev/null --max-time 3 -w "%%{http_code}" http://127.0.0.1/)"; echo "BOX date $$(date +%%s)"; done'
}

# "LAMP|SENTENCES" of the last status.
said() {
  told | sed -n 's/^BOX status //p' | tail -n 1 | python3 -c '
import json, sys
try:
    status = json.loads(sys.stdin.read())
except ValueError:
    sys.exit()
print(status["lamp"], " ".join(trouble["sentence"] for trouble in status["troubles"]), sep="|")'
}

says() { [[ $(said) == "$1|"* && $(said) == *"$2"* ]] && has_told 'page 200'; }

# Waits until lamp and sentence are as expected, and prints a line of the table.
expect_said() { # WHAT LAMP PART-OF-THE-SENTENCE
  if wait_until says "$2" "$3"; then
    ok "$1"
    echo "table   $1 | lamp: $2 | page: answers | $(said | cut -d '|' -f 2)"
  else
    miss "$1: $(said); $(told | grep page | tail -n 1); $(tail -n 5 "$work/console")"
  fi
}

# A card with settings of a person, and a box that reports.
new_box() { # < SETTINGS
  cat >"$work/onair.toml"
  new_card arm64-uefi
  [[ ! -s $work/onair.toml ]] || put_on_card "$work/onair.toml"
  new_extras
  add_report
}

live() {
  cat <<END
[publish]
url = "rtmp://10.0.2.2:$rtmp_port/live"
key = "${1:-boxed}"
autostart = "always"
[video]
size = "640x360"
fps = 15
[audio]
source = "tone"
END
}

# --- The table -----------------------------------------------------------------------------------------------

new_box < <(live)
start_box
expect_said 'no camera' no_camera 'camera'
cut_power

new_box < <(live)
add_unit camera 'modprobe vivid n_devs=1 node_types=0x1'
has_cable=no
start_box
expect_said 'no network' reconnecting 'network'
cut_power

# NetworkManager ends with D-Bus.
new_box </dev/null
# shellcheck disable=SC2016  # expanded on the box
add_unit fall 'is_up() { systemctl -q is-active NetworkManager; }; until is_up; do sleep 1; done; systemctl kill -s KILL dbus; while is_up; do sleep 0.2; done; until is_up; do sleep 1; done; echo; echo "BOX network back"'
start_box
expect_told 'D-Bus has died' 'network back'
cut_power

new_box <<<$'[video]\nsize = "nonsense"'
start_box
expect_said 'mistakes in the file on the card' fault "card's settings were not taken"
expect_page 'mistakes in the file on the card'
cut_power
if on_card onair-errors.txt | holds 'video.size'; then ok 'they are told on the card'; else miss "on the card: $(on_card onair-errors.txt)"; fi

new_box </dev/null
# shellcheck disable=SC2016  # expanded on the box
add_unit damage 'until curl -sf -o /dev/null http://127.0.0.1/healthz; do sleep 1; done; echo "damaged [[[" >/var/lib/onair/settings.toml; sync; echo; echo "BOX damaged"'
start_box
expect_told 'the settings of the page are damaged' 'damaged'
cut_power
new_extras
add_report
start_box
expect_said 'the settings of the page are damaged' fault 'cannot be read'
cut_power

new_box </dev/null
# shellcheck disable=SC2016  # expanded on the box
add_unit fill 'until curl -sf -o /dev/null http://127.0.0.1/healthz; do sleep 1; done; fallocate -l 1200M /var/a; dd if=/dev/zero of=/var/full bs=64k 2>/dev/null; dd if=/dev/zero of=/var/full2 bs=1 2>/dev/null count=65536; sync; echo; echo "BOX filled $$(df --output=avail /var | tail -n 1)"'
start_box
expect_told 'the card is full' 'filled *0'
cut_power
new_extras
add_report
start_box
expect_said 'the card is full' fault 'is full'
cut_power

new_box < <(live timeless)
add_unit camera 'modprobe vivid n_devs=1 node_types=0x1'
hardware=(-rtc base=1990-01-01)
start_box
expect_said 'the clock is wrong' live ''
built=$(git -c "safe.directory=$root" -C "$root" log -1 --format=%ct)
date=$(told | sed -n 's/^BOX date //p' | tail -n 1)
expect_at_least "seconds from the image's date to the clock" $((date - built)) 0
cut_power

new_box < <(live twice)
# shellcheck disable=SC2016  # expanded on the box
add_unit second 'until [ -e /var/lib/onair-update/whole-b ]; do sleep 1; done; sync; echo; echo "BOX second"'
add_unit camera 'modprobe vivid n_devs=1 node_types=0x1'
start_box
expect_told 'the second slot is made' 'BOX second'
cut_power
# shellcheck source=../../board/image.d/recipe
. "$root/board/image.d/recipe"
wipe_start() { dd if=/dev/zero of="$card" bs=1M seek="$1" count=4 conv=notrunc status=none; } # MiB
cp --sparse=always "$card" "$work/whole"
wipe_start $((2 + card_mib + 2 * boot_mib))
new_extras
add_report
add_unit camera 'modprobe vivid n_devs=1 node_types=0x1'
start_box
expect_told 'the root file system of slot a is broken' 'slot b'
expect_said 'the root file system of slot a is broken' live ''
cut_power
mv "$work/whole" "$card"
wipe_start $((1 + card_mib))
start_box
expect_told 'the kernel of slot a is broken' 'slot b'
expect_said 'the kernel of slot a is broken' live ''
cut_power

new_box </dev/null
add_drop_in onair.service <<<$'[Service]\nExecStart=\nExecStart=/bin/false'
start_box
has_diagnostics() { on_card onair-diagnostics.txt | holds 'could not be started'; }
if wait_until has_diagnostics; then ok 'OnAir does not start: told on the card'; else miss 'OnAir does not start: nothing on the card'; fi
echo "table   OnAir does not start | lamp: dark | page: none | $(on_card onair-diagnostics.txt | head -n 1 | tr -d '\r') (onair-diagnostics.txt)"
cut_power
conclude
