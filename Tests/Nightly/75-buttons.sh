#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# All kinds of presses: bounces, short and long ones, two buttons at once, lines that are stuck, missing or in use.
# The actions of OnAir are read from its log, and the lamp from its GPIO line.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

start_server
cat >"$work/buttons" <<'END'
set -u
misses=0
wires=
for line in button button2 lamp-red; do wires="$wires $line=$(devices folder $line)"; done
ask() { ./onair "$@" --set state.directory=/tmp/state; }
begin() { # SETTING…
  arguments=
  for setting in "$@"; do arguments="$arguments --set $setting"; done
  ./onair run --set "publish.url=$URL" --set publish.key=buttons --set state.directory=/tmp/state --set publish.autostart=resume \
    --set panel.chip=onair-sim --set video.source=pattern --set audio.source=tone --set video.size=160x90 --set video.fps=10 \
    --set video.speed=superfast $arguments >>/tmp/log 2>&1 &
  onair=$!
  tries=100
  until ask status >/dev/null 2>&1; do sleep 0.1; tries=$((tries - 1)); [ $tries -gt 0 ] || break; done
  sleep 0.5
}
end() { kill -INT $onair; wait $onair; }
# Runs actions of hand.c, and compares the lines that the log then has. hand.c has a real-time priority: a bounce that
# took longer because it waited for the processor would be a press.
try() { # NAME SCRIPT WORDS…
  name=$1
  : >/tmp/said
  before=$(wc -l </tmp/log)
  printf '%s\n' "$2" | tr ';' '\n' | sed 's/^ *//' | chrt -f 40 ./hand - - - 0 $wires >/tmp/said || misses=$((misses + 1))
  shift 2
  sleep 0.6
  tail -n +$((before + 1)) /tmp/log | grep -oE '(Paused|Resumed|Started|Stopped|Muted|Unmuted|A new connection was asked for) by button|was down at the start|has been down for 30 s|is released and works|The button for [a-z]+ was pressed, but nothing was done' >/tmp/got
  # The order of two buttons' lines is not defined.
  case $name in both*) sort -o /tmp/got /tmp/got ;; esac
  printf '%s\n' "$@" | grep . >/tmp/wanted
  if [ "$(cat /tmp/wanted)" = "$(cat /tmp/got)" ]; then
    echo "ok      buttons: $name: $(paste -sd ';' /tmp/got | sed 's/;/, then /g; s/^$/nothing/')"
  else
    echo "FAILED  buttons: $name: not \"$(paste -sd ';' /tmp/wanted)\" but \"$(paste -sd ';' /tmp/got)\""
    tail -n 5 /tmp/log
    misses=$((misses + 1))
  fi
}
expect() { # NAME PATTERN
  tries=80
  until tail -n +$((before + 1)) /tmp/log | grep -qE -- "$2"; do
    sleep 0.1
    tries=$((tries - 1))
    if [ $tries = 0 ]; then
      echo "FAILED  buttons: $1: no \"$2\" in:"
      tail -n 5 /tmp/log
      misses=$((misses + 1))
      return
    fi
  done
  echo "ok      buttons: $1: $(tail -n +$((before + 1)) /tmp/log | grep -E -m 1 -- "$2" | cut -c 10-)"
}
mark() { before=$(wc -l </tmp/log); }
: >/tmp/log
P='Paused by button' R='Resumed by button'

begin panel.button=button panel.second_button=button2 panel.lamp=lamp-red
try 'off air, 50 ms' 'down button; wait 50; up button; wait 800' ''
flashes=$(awk '$2 == "lamp-red" && $3 == 1' /tmp/said | wc -l)
if [ "$flashes" -ge 3 ]; then echo "ok      buttons: the lamp blinks ($flashes times lit)"; else
  echo "FAILED  buttons: the lamp was lit $flashes times"; misses=$((misses + 1)); fi
try 'off air, 1.9 s' 'down button; wait 1900; up button' ''
try 'off air, the second button' 'down button2; wait 100; up button2' 'The button for mute was pressed, but nothing was done'
try 'off air, 2.2 s' 'down button; wait 2200; up button' 'Started by button'
sleep 2
for length in 1 3 7 11 15; do
  try "live, bounces of $length ms at both ends" \
    "bounce button 8 $length; down button; wait 300; up button; bounce button 8 $length; wait 100" "$P"
  try "paused, bounces of $length ms at both ends" \
    "bounce button 8 $length; down button; wait 300; up button; bounce button 8 $length; wait 100" "$R"
done
try 'live, bounces alone' 'bounce button 20 5; wait 100' ''
try 'live, 50 ms' 'down button; wait 50; up button' "$P"
try 'paused, 50 ms' 'down button; wait 50; up button' "$R"
try 'live, 1.9 s' 'down button; wait 1900; up button' "$P"
try 'paused, 1.9 s' 'down button; wait 1900; up button' "$R"
try 'both at once' 'down button; down button2; wait 200; up button2; up button' 'Muted by button' "$P"
try 'both at once again' 'down button2; down button; wait 200; up button; up button2' "$R" 'Unmuted by button'
try 'live, 2.2 s' 'down button; wait 2200; up button' "$P" 'Stopped by button'
sleep 1
try 'off air, 3 s' 'down button; wait 3000; up button' 'Started by button'
try 'live, 30.5 s' 'down button; wait 30500; up button' "$P" 'Stopped by button' 'has been down for 30 s' 'is released and works'
end

# A button that is down at the start; after its release a long hold works as usual.
devices press button; devices press button2
mark
begin panel.button=button panel.second_button=button2 panel.second_task=reconnect panel.buttons_bias=as-is
expect 'down at the start' 'main button was down at the start'
expect 'down at the start' 'second button was down at the start'
devices release button; devices release button2; sleep 0.5
try 'held for 10 s in the first minute' 'down button; wait 10300; up button' 'Started by button'
ask start >/dev/null; sleep 2
try 'the second task' 'down button2; wait 100; up button2' 'A new connection was asked for by button'
end

# Lines that cannot be used are reported once each, and everything else works.
gpioset lamp-red=0 >/dev/null 2>&1 &
holder=$!
sleep 0.5
mark
begin panel.button=nobody panel.lamp=lamp-red panel.second_button=gone:1
expect 'a wrong name' 'The main button does not work. There is no GPIO line onair-sim:nobody'
expect 'a busy line' 'The lamp does not work. The GPIO line onair-sim:lamp-red is used by gpioset'
expect 'a wrong chip' 'The second button does not work. There is no GPIO chip gone'
mark
if ask pause >/dev/null && ask resume >/dev/null; then echo 'ok      buttons: the box works on'; else
  echo 'FAILED  buttons: the box does not work on'; misses=$((misses + 1)); fi
kill $holder 2>/dev/null || true
expect 'the line is free again' 'The lamp works again'
end
devices down gpio
mark
begin panel.button=button panel.lamp=lamp-red
expect 'no such chip' 'The main button and the lamp do not work. There is no GPIO chip onair-sim'
mark
devices up gpio
expect 'the chip comes late' 'The main button works again'
wires="button=$(devices folder button)"
try 'and then' 'down button; wait 100; up button' "$P"
mark
devices down gpio
expect 'the chip is pulled out' 'The main button does not work'
end
cp /tmp/log "$OUT/buttons.log"
exit $misses
END
run_on_board --timeout 400 --env "URL=rtmp://10.0.2.2:$rtmp_port/live" --out "$work/out" "$work/buttons" "$root/Tests/Board/hand.c" ||
  miss "$? of the board's checks failed"
conclude
