#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A factory reset: the broadcast ends, everything is forgotten, and the same process goes on as a new box.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

page=$((first_port + 9)) state=$work/state
start_server
mkdir -m 700 "$work/run"
STATE_DIRECTORY=$state RUNTIME_DIRECTORY=$work/run start "$work/box.log" "$onair" run --keep-up \
  --set video.source=pattern --set audio.source=tone --set video.size=320x180 --set "page.listen=127.0.0.1:$page"
program=$started
ask() { "$onair" "$@" --set "state.directory=$state"; }
wait_for_page "$page"
token=$(make_token "$state")
ask set publish.url "rtmp://127.0.0.1:$rtmp_port/live" publish.key box video.fps 20 >"$work/said" || miss "$(<"$work/said")"
is_delivering() { ask status --json | tr -d ' \n' | holds '"state":"delivering"'; }
ask start >"$work/said" || miss "$(<"$work/said")"
wait_until is_delivering || miss 'it does not go live'

# Whoever does not type the word changes nothing.
if ask reset <<<'no' >"$work/said" 2>&1; then miss 'it was not asked for'; else ok 'without the word nothing is done'; fi
name=$(<"/proc/$program/comm")
since=$(milliseconds)
if ask reset <<<'reset' >"$work/said" 2>&1; then ok "$(tail -n 1 "$work/said")"; else miss "$(<"$work/said")"; fi

is_new() { [[ $(curl -sf "http://127.0.0.1:$page/api/session") == *'"set_up":false'* ]]; }
if wait_until is_new; then figure 'ms until the page is that of a new box' $(($(milliseconds) - since)) 0 5000; else
  miss "the box is not new: $(curl -s "http://127.0.0.1:$page/api/session")"
fi
if is_running "$program"; then ok 'in the same process'; else miss 'the program has ended'; fi
if [[ $(<"/proc/$program/comm") == "$name" ]]; then ok "it is called $name as before"; else miss "it is called $(<"/proc/$program/comm")"; fi
said=$(ask status --json | tr -d ' \n')
if [[ $said == *'"broadcast":"off"'* && $said == *'"no_destination"'* ]]; then ok 'off air, without a server'; else miss "$said"; fi
if ask settings --json | holds '"key": "video.fps".*"origin": "run time"'; then miss 'a setting is still there'; fi
if [[ $(curl -s -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $token" "http://127.0.0.1:$page/api/status") == 401 ]]; then
  ok 'no token counts any more'
else
  miss 'a token still counts'
fi
if [[ -e $state/reset-network ]]; then ok 'the helper for the network is asked'; else miss 'the helper is not asked'; fi
if grep -rqsE 'live|a test password|"box"' "$state"; then miss "secrets are left: $(grep -rlsE 'live|"box"' "$state")"; fi
expect_received box --min-seconds 0
kill -TERM "$program"
wait_until is_gone "$program" || miss 'it did not stop'
conclude
