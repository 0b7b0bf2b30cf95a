#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# All of the table of Tests/EndToEnd/68-guest-senders.sh, with GStreamer.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck disable=SC2154  # board/lib.d/packages has it
packages=("${bench_packages[@]}" "${guest_packages[@]}")
if [[ -n $(missing_packages "${packages[@]}") ]]; then install_packages "$work/install.log" "${packages[@]}"; fi
finish
ALL=yes BUILD=release exec "$root/Tests/EndToEnd/68-guest-senders.sh"
