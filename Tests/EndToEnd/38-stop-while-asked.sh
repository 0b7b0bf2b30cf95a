#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# OnAir ends as it should although clients connect at that moment: a crash then would lose the good-bye to the platform. ENDS
# times; Tests/Nightly/38-stop-while-asked.sh does it more often.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

ends=${ENDS:-5}
page=$((first_port + 9))
# Connects again and again, from several sides.
cat >"$work/knock" <<'END'
while :; do : <>"/dev/tcp/127.0.0.1/$1"; done 2>/dev/null
END
knockers=()
for _ in 1 2 3; do
  start "$work/knock.log" bash "$work/knock" "$page"
  knockers+=("$started")
done
bad=0
know_speed "$work/state"
for ((round = 1; round <= ends; round++)); do
  start "$work/$round.log" "$onair" run --set video.source=pattern --set audio.source=tone --set video.size=320x180 \
    --set "page.listen=127.0.0.1:$page" --set "state.directory=$work/state"
  program=$started
  wait_for_page "$page"
  status=0
  kill -TERM "$program"
  wait "$program" || status=$?
  ((status == 0)) || { bad=$((bad + 1)) && grep -m 1 -E 'Fatal|rror' "$work/$round.log"; }
done
for knocker in "${knockers[@]}"; do end_group "$knocker" KILL 1; done
if ((bad == 0)); then ok "$ends ends while clients connect"; else miss "$bad of $ends ended badly"; fi
conclude
