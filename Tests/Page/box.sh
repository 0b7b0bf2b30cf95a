# shellcheck shell=bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A box without a password for the checks of its page: `program`, at `port`, with `more_settings` in its file. Screenshots are in
# `pictures`. Source Tests/lib.sh first.

start_server
port=$(free_port $((first_port + 10)))
pictures=$root/.lab/page-${name#60-page-}
rm -rf "$pictures"
need_axe
# A NetworkManager without a network, on a bus of its own.
export DBUS_SYSTEM_BUS_ADDRESS=unix:path=$work/bus
start "$work/bus.log" dbus-daemon --session --nofork --nopidfile --address="$DBUS_SYSTEM_BUS_ADDRESS"
wait_until test -S "$work/bus"
start "$work/manager.log" /usr/bin/python3 "$root/Tests/Page/manager.py"
# As in a box from an image, but with nobody who installs updates, and whose clock is set.
mkdir "$work/updates" "$work/run"
export ONAIR_UPDATES=$work/updates RUNTIME_DIRECTORY=$work/run ONAIR_CLOCK=trusted
# In a file, since the page could not change what the command line sets.
cat >"$work/onair.toml" <<'END'
[video]
source = "pattern"
size = "640x360"
[audio]
source = "tone"
END
echo "${more_settings:-}" >>"$work/onair.toml"
know_speed "$work/state"
start "$work/onair.log" "$onair" run --config "$work/onair.toml" --set "state.directory=$work/state" \
  --set "page.listen=127.0.0.1:$port"
program=$started
wait_for_line "$work/onair.log" 'has no password' "$patience" || miss 'it does not start'

# Runs one part of Tests/Page/page_check.py: "views", "deeds", "picture", "sound", "recordings", "schedule" or "guests".
check_page() { # PART
  run_checks "$axe/bin/python" "$root/Tests/Page/page_check.py" "http://127.0.0.1:$port" --out "$pictures" --platform own \
    --url "rtmp://127.0.0.1:$rtmp_port/live" --stat "http://127.0.0.1:$http_port/stat" --key sEcrEtPage --part "$1"
}
