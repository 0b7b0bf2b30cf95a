#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The schedule: a broadcast some seconds ahead begins by itself, is extended, goes on after a kill of the program, and ends; one that
# a person stops stays stopped; one goes to a server of its own; and what the box has planned is what systemd and dateutil find.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

export ONAIR_CLOCK=trusted
start_server

box() { ask main "$@"; }
# The server is in a file: an entry of the schedule could not replace what the command line sets.
install -m 600 /dev/stdin "$work/main.toml" <<END
publish = {url = "rtmp://127.0.0.1:$rtmp_port/live", key = "main", autostart = "never"}
box.zone = "Europe/Berlin"
video = {source = "pattern", size = "320x180", fps = 10}
audio.source = "tone"
page.listen = ""
END
run_box() {
  know_speed "$work/state-main"
  start "$work/main.log" "$onair" run --config "$work/main.toml" --set "state.directory=$work/state-main"
  program=$started
}
state() { curl -s --max-time "$patience" --unix-socket "$work/state-main/control" http://onair/api/status; }
is() { # CONDITION
  state | python3 -c "import json, sys; status = json.load(sys.stdin); schedule = status.get('schedule') or {}; sys.exit(not ($1))"
}
expect() { # WHAT CONDITION
  if wait_until is "$2" 2>/dev/null; then ok "$1"; else miss "$1: $(state)"; fi
}
utc() { date -u -d "@$1" +%Y%m%dT%H%M%SZ; }
# A calendar with one event: NAME, seconds until it begins, length in seconds.
event() {
  local begins=$(($(date +%s) + $2))
  printf 'BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:%s\nSUMMARY:%s\nDTSTART:%s\nDURATION:PT%sS\nEND:VEVENT\nEND:VCALENDAR\n' \
    "$1" "$1" "$(utc "$begins")" "$3" >"$work/$1.ics"
  box schedule import "$work/$1.ics" >"$work/said" || miss "$1 is not imported: $(<"$work/said")"
  wait_until is_planned "$1" || miss "$1 is not planned"
}
is_planned() { box schedule list | holds "$1"; }

run_box
wait_until state >/dev/null || fail 70 'OnAir does not start.'
expect 'no schedule is none' 'not schedule'
if box schedule extend >"$work/said" 2>&1; then miss 'nothing is extended'; else ok "nothing to extend: $(<"$work/said")"; fi

event first 25 45
expect 'the camera is tested' "schedule.get('test') in ('running', 'good')"
expect 'it begins by itself' "status['intent']['broadcast'] == 'live' and schedule['running']['name'] == 'first'"
expect_delivered main
expect 'the end is told' "schedule['warning'] and status['lamp'] == 'ending'"
before=$(state | python3 -c "import json, sys; print(json.load(sys.stdin)['schedule']['ends_at'])")
box schedule extend 1 >"$work/said" || miss "it is not extended: $(<"$work/said")"
expect 'it is extended' "schedule['extended_minutes'] == 1 and schedule['ends_at'] > '$before'"
box pause >/dev/null
end_group "$program" KILL 5
run_box
expect 'it goes on after a kill, paused, whatever publish.autostart says' \
  "status['intent']['broadcast'] == 'paused' and schedule['running']['name'] == 'first'"
expect 'it ends by itself' "status['intent']['broadcast'] == 'off' and not schedule.get('running')"

event second 15 600
expect 'the second begins' "status['intent']['broadcast'] == 'live'"
box stop >/dev/null
expect 'it is the hand that has stopped it' "status['intent']['broadcast'] == 'off' and not schedule.get('running')"
end_group "$program" KILL 5
run_box
wait_until state >/dev/null || fail 70 'OnAir does not start again.'
sleep 4
if is "status['intent']['broadcast'] == 'off'"; then ok 'what a hand has stopped stays stopped'; else miss "it begins again: $(box status)"; fi

event third 15 600
box schedule skip >"$work/said" || miss "it is not skipped: $(<"$work/said")"
sleep 16
if is "status['intent']['broadcast'] == 'off'"; then ok 'what is left out does not begin'; else miss "it begins: $(box status)"; fi
box schedule import --remove >/dev/null || miss 'the calendar is not removed'

# A server of its own, from the next full minute on.
read -r date time <<<"$(TZ=Europe/Berlin date -d '+70 seconds' '+%F %H:%M')"
box schedule add own date="$date" at="$time" minutes=1 url="rtmp://127.0.0.1:$rtmp_port/live" key=own >"$work/said" ||
  miss "it is not added: $(<"$work/said")"
wait_until is_planned own || miss 'it is not planned'
if box schedule list | holds "$date $time to .*Europe/Berlin.*own"; then ok 'the list has local times'; else miss "$(box schedule list)"; fi
expect 'it goes to its own server' "schedule['running']['name'] == 'own'"
has_own() { [[ -n $(recording own) && $(stat -c %s "$(recording own)") -gt 3000 ]]; }
if wait_until has_own; then ok 'the other stream has it'; else miss 'the other stream has nothing'; fi
expect 'it ends' "status['intent']['broadcast'] == 'off'"
box schedule remove own >/dev/null || miss 'it is not removed'

# Second opinions.
run_checks "$root/Tests/schedule-opinions" "$work/state-main/control"
conclude
