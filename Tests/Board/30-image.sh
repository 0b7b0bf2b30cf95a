#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The image for arm64 UEFI on the emulated board, from its firmware on: it divides its card, shows its page, and publishes
# from its camera within the first minute, with no hand on it.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../image.sh
. "$root/Tests/image.sh"
patience=180

start_server
need_image arm64-uefi --no-pack
new_card arm64-uefi
new_extras
# shellcheck disable=SC2016  # expanded on the box
add_unit camera 'modprobe vivid n_devs=1 node_types=0x1; echo "BOX uptime $$(cut -d " " -f 1 /proc/uptime)"'
# What the seed file would set.
add_drop_in onair.service <<END
[Service]
ExecStart=
ExecStart=/usr/bin/onair run --config /etc/onair/onair.toml --set publish.url=rtmp://10.0.2.2:$rtmp_port/live \
  --set publish.key=boxed --set publish.autostart=always --set audio.source=tone --set video.size=640x360 --set video.fps=15
END
start_box
expect_page 'first start'
expect_told 'first start' 'slot a'
has_recording() { [[ -n $(recording boxed) && $(stat -c %s "$(recording boxed)") -gt 100000 ]]; }
if wait_until has_recording; then ok 'it publishes'; else miss "nothing was published: $(tail -n 15 "$work/console")"; fi
sleep 5
cut_power
sleep 0.3
expect_received boxed --min-seconds 3 --max-av-ms 3000 --size 640x360
start_box
expect_page 'after a power cut'
conclude
