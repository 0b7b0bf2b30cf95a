#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The program is killed KILLS times, at random moments while settings and stills are saved over the API: it always starts
# again, with the old ones or the new ones, whole. SEED chooses the moments. A kill keeps what was written but not flushed;
# Tests/Nightly/85-settings-cuts.sh cuts the power.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

know_speed "$work/state"
since=$(milliseconds)
run_checks python3 "$root/Tests/Hostile/kills.py" "$work/state" "${KILLS:-50}" "$onair" run --set "state.directory=$work/state" \
  --set video.source=pattern --set audio.source=tone --set video.size=160x90 --set page.listen=
figure 'seconds' $((($(milliseconds) - since) / 1000)) 0 30
if grep -iE 'unreadable|damaged|is not understood|left as it was' "$work/state.log" >"$work/faults"; then
  miss "it has found something damaged: $(head -n 3 "$work/faults")"
fi
conclude
