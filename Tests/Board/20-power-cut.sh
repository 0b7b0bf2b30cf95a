#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The board loses its power CUTS times, at random moments while commands change its state. After each boot OnAir is in
# the state that its lamp last showed, or in one that a later command asked for.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

cuts=${CUTS:-1}
start_server
# Endless commands at random moments: different ones after each cut, and the same in each run.
RANDOM=5
commands=(pause resume mute unmute stop start pause resume)
make_commands() {
  local i
  for ((i = 0; i < 200; i++)); do
    printf 'ask /tmp/kept/state/control %s\nwait %d\nask /tmp/kept/state/control status\nwait %d\n' \
      "${commands[RANDOM % ${#commands[@]}]}" $((RANDOM % 400)) $((RANDOM % 300))
  done
}
cat >"$work/cut" <<'END'
set -u
mkdir -p /tmp/kept
mount -t ext4 /dev/vdc /tmp/kept || exit 1
mkdir -p -m 700 /tmp/kept/state
[ -e /tmp/kept/state/speed.json ] || (umask 077 && echo "$SPEED" >/tmp/kept/state/speed.json)
rm -f /tmp/kept/state/control
./onair run --set "publish.url=$URL" --set publish.key=cut --set state.directory=/tmp/kept/state --set video.source=pattern \
  --set audio.source=tone --set video.size=160x90 --set video.fps=5 --set video.speed=superfast --set page.listen= >"$OUT/onair.log" 2>&1 &
tries=12000
# The socket is there a moment before OnAir listens at it.
until echo 'ask /tmp/kept/state/control status' | ./hand - - - 0 | sed -n 's/^[^{]*{/first {/p' | grep .; do
  sleep 0.05
  tries=$((tries - 1))
  [ $tries -gt 0 ] || { tail -n 5 "$OUT/onair.log"; exit 1; }
done
echo ready
exec ./hand - - - 0 <./commands
END

# The state in a reply: "live muted".
state='s/.*"intent":[{][^}]*"broadcast":"([a-z]*)","muted":(true|false)[^}]*[}].*/\1 \2/; s/ false//; s/ true/ muted/'
# The states that are allowed after the boot, given the replies and the commands before the cut.
allowed() { # OUTPUT
  awk '
    # The state after a command, as Intent.after has it.
    function after(intent, word,   muted, what) {
      muted = intent ~ /muted/ ? " muted" : ""
      what = intent; sub(/ muted/, "", what)
      if (word == "start") return what == "off" ? "live" : intent
      if (word == "stop") return "off"
      if (what == "off") return "off"
      if (word == "pause") return "paused" muted
      if (word == "resume") return "live" muted
      if (word == "mute") return what " muted"
      if (word == "unmute") return what
      return intent
    }
    { word = "" }
    $2 == "ask" && $4 != "status" { word = $4 }
    word != "" {
      delete more
      for (one in may) more[after(one, word)] = 1
      for (one in more) may[one] = 1
      next
    }
    match($0, /"broadcast":"[a-z]*","muted":(true|false)/) {
      split(substr($0, RSTART, RLENGTH), part, /[":,]+/)
      now = part[3] (substr($0, RSTART, RLENGTH) ~ /true$/ ? " muted" : "")
      # The first reply after the boot is the saved state. A later state must survive once the lamp shows it.
      if ($1 == "first" || $0 ~ /"lamp":"(live|paused|off_air)"/) { delete may; may[now] = 1 } else may[now] = 1
    }
    END { for (one in may) print one }' "$1"
}

printf 'off\n' >"$work/may"
for ((cut = 1; cut <= cuts + 1; cut++)); do
  make_commands >"$work/commands"
  start "$work/boot" run_on_board --timeout 1700 --disk "$work/disk" \
    --env "URL=rtmp://10.0.2.2:$rtmp_port/live" --env "SPEED=$board_speed" \
    --out "$work/out" "$work/cut" "$root/Tests/Board/hand.c" "$work/commands"
  lab=$started
  if ! wait_for_line "$work/boot" '^ready' 1600; then
    miss "boot $cut: $(tail -n 5 "$work/boot")"
    break
  fi
  got=$(sed -nE "/^first/{$state;p;q}" "$work/boot")
  if grep -qxF -- "$got" "$work/may"; then
    ((cut == 1)) || ok "after cut $((cut - 1)): $got"
  else
    miss "after cut $((cut - 1)): $got, not $(paste -sd '|' "$work/may"), in: $(tail -n 20 "$work/boot")"
  fi
  sleep "$((RANDOM % 6)).$((RANDOM % 1000))"
  pkill -KILL -f "file=$work/disk" || miss 'the board had ended by itself'
  end_group "$lab" TERM 10
  allowed "$work/boot" >"$work/may"
done
conclude
