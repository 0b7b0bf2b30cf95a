#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# As a service, OnAir comes up whatever is wrong with its settings or its state directory, and says so.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

page=$((first_port + 9))
file=$work/onair.toml

know_speed "$work/state-box"
write_settings() { # LINE...
  printf '%s\n' '[page]' "listen = \"127.0.0.1:$page\"" \
    '[video]' 'source = "pattern"' 'size = "320x180"' '[audio]' 'source = "tone"' "$@" >"$file"
}
run_box() {
  STATE_DIRECTORY=$work/state-box RUNTIME_DIRECTORY=$work/run start "$work/box.log" "$onair" run --keep-up --config "$file"
  program=$started
}
end_box() {
  kill -TERM "$program"
  wait_until is_gone "$program" || miss 'it did not stop'
  : >"$work/box.log"
}
start_server
publish=('[publish]' "url = \"rtmp://127.0.0.1:$rtmp_port/live\"" 'key = "box"')

# The first start, with a mistake: nothing was kept, so the box is off air, and its page is up.
write_settings 'frobnicate = 1' "${publish[@]}"
run_box
expect_line "$work/box.log" "The settings have mistakes, and none .*onair.toml:8:1: audio.frobnicate: .*\[code: mistakes\]"
wait_for_page "$page"
expect_status box '"lamp":"fault"'
expect_status box '"cause":"mistakes"'
said=$("$onair" status --set "state.directory=$work/state-box")
if [[ $said == *'onair.toml:8:1: audio.frobnicate: '* ]]; then ok 'the status names line and column'; else miss "$said"; fi

# Once the file is right, it counts by itself.
write_settings "${publish[@]}"
expect_line "$work/box.log" 'The settings file counts again'
expect_status box '"lamp":"off_air"'
ask box start >"$work/start" || miss "$(<"$work/start")"
expect_delivered box
end_box

# A start with mistakes goes on with the settings that worked, live.
write_settings 'frobnicate = 1'
run_box
expect_delivered box
expect_status box '"lamp":"fault"'
if ask box reload >"$work/reload" 2>&1; then miss 'a file with mistakes was taken'; else
  expect_line "$work/reload" 'onair.toml:8:1: audio.frobnicate'; fi
ask box stop >"$work/stop" || miss "$(<"$work/stop")"
end_box

# Without its file, too. A person at a terminal is told, and nothing is done.
rm "$file"
run_box
expect_line "$work/box.log" 'the last ones that worked .*onair.toml: is not there'
wait_for_page "$page"
end_box
status=0
"$onair" run --config "$file" >"$work/terminal" 2>&1 || status=$?
if ((status == 66)); then ok 'without --keep-up it ends with 66'; else miss "exit $status: $(<"$work/terminal")"; fi

# The state directory cannot be used: OnAir goes on in memory, paused as it was, and says that nothing is kept.
write_settings "${publish[@]}"
run_box
expect_status box '"lamp":"off_air"'
ask box start >"$work/start" || miss "$(<"$work/start")"
ask box pause >"$work/start" || miss "$(<"$work/start")"
end_box
chmod 777 "$work/state-box"
run_box
expect_line "$work/box.log" "Nothing is kept: .*chmod 700 $work/state-box.*\[code: in_memory\]"
mv "$work/state-box" "$work/state-disk" && ln -s run/state "$work/state-box" # where the status is asked for
expect_status box '"broadcast":"paused"'
expect_status box '"lamp":"fault"'
wait_for_page "$page"
said=$(ask box mute 2>&1)
if [[ $said == *'not saved yet'* ]]; then ok 'a command says that it is not saved'; else miss "$said"; fi
end_box
# When it works again, what was done meanwhile counts.
rm "$work/state-box" && mv "$work/state-disk" "$work/state-box" && chmod 700 "$work/state-box"
run_box
expect_status box '"muted":true'
end_box
conclude
