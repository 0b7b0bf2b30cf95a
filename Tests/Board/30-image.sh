#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The image for arm64 UEFI on the emulated board, from its firmware on: it divides its card, takes the settings that a person
# has put on the card, and publishes from its camera within the first minute, with no hand on it. systemd starts the reader of its
# guest, with a user of its own.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../image.sh
. "$root/Tests/image.sh"
# The board is emulated: how long it takes is this machine's affair. The step has a limit.
patience=1500

start_server
need_image arm64-uefi --no-pack
new_card arm64-uefi
cat >"$work/onair.toml" <<END
[publish]
url = "rtmp://10.0.2.2:$rtmp_port/live"
key = "bOxEd"
autostart = "always"
# A small picture, since a debug build encodes on an emulated processor.
[video]
size = "320x180"
fps = 5
[audio]
source = "tone"
[page]
password = "correct horse"
END
start "$work/anna.log" ffmpeg -nostdin -v error -re -f lavfi -i color=0x2020e0:size=320x180:rate=5 -c:v libx264 -preset ultrafast \
  -tune zerolatency -g 5 -f flv "rtmp://127.0.0.1:$rtmp_port/live/anna"
put_on_card "$work/onair.toml"
new_extras
add_unit camera 'modprobe vivid n_devs=1 node_types=0x1'
# The encoder is not measured, which would take minutes.
add_drop_in onair.service <<END
[Service]
ExecStartPre=/bin/sh -c 'echo "\$\$0" >/var/lib/onair/speed.json' '$board_speed'
END
# shellcheck disable=SC2016  # expanded on the box
add_unit live 'until curl -s --unix-socket /var/lib/onair/control http://onair/api/status | grep -q delivering; do sleep 1; done; echo; echo "BOX live-at $$(cut -d " " -f 1 /proc/uptime)"'
# shellcheck disable=SC2016  # expanded on the box
add_unit guest 'asked() { curl -s --unix-socket /var/lib/onair/control http://onair/api/$$1; }; \
reader() { ps -C guest-reader -o user:20=,unit:40=; }; until asked status | grep -q delivering; do sleep 1; done; \
onair guest add anna url=rtmp://10.0.2.2:'"$rtmp_port"'/live/anna; until asked guests | grep -q waiting; do sleep 1; done; \
echo; echo "BOX guest waits, read by $$(reader)"; \
onair guest set anna enabled=false; while pgrep -x guest-reader >/dev/null; do sleep 1; done; echo; echo "BOX guest reader gone"; \
systemctl --failed --plain --no-legend list-units "onair-guest*" | sed "s/^/BOX failed /"'
start_box
expect_page 'first start'
expect_told 'first start' 'slot a'
expect_told 'first start' 'live-at'
figure "s from the kernel's start to live" "$(told | sed -n 's/^BOX live-at //p')" 0 60
has_recording() { [[ -n $(recording bOxEd) && $(stat -c %s "$(recording bOxEd)") -gt 40000 ]]; }
if wait_until has_recording; then ok 'it publishes'; else miss "nothing was published: $(tail -n 15 "$work/console")"; fi
expect_told 'the guest' 'guest waits, read by onair-guest .*onair-guest@'
expect_told 'the guest' 'guest reader gone'
if has_told 'failed'; then miss "units have failed: $(told)"; else ok 'no unit has failed'; fi
sleep 5
cut_power
sleep 0.3
# Where the cut is between two frames of so slow a board, and how much later than the sound they come, is not OnAir's doing.
expect_received bOxEd --min-seconds 3 --size 320x180
if on_card onair.toml | holds 'size = "320x180"' && ! on_card onair.toml | holds -E 'bOxEd|horse'; then
  ok 'the secrets in the file on the card are blank'
else
  miss "the file on the card: $(on_card onair.toml)"
fi
if [[ -z $(on_card onair-errors.txt) ]]; then ok 'the file had no mistakes'; else miss "$(on_card onair-errors.txt)"; fi
start_box
expect_page 'after a power cut'
conclude
