#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# "onair overlay" and "onair text" while live: what they do is on the picture, and mistakes have sentences and exit codes.
# Overlays and texts are kept when the program is killed, and are taken from the settings file on a card.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

expect_exit() { # CODE PATTERN COMMAND...
  local code=$1 pattern=$2 status=0 said
  shift 2
  said=$(timeout "$patience" "$onair" "$@" --set "state.directory=$work/state-top" 2>&1 </dev/null) || status=$?
  if ((status != code)); then
    miss "$*: exit $status, not $code: $said"
  elif ! grep -qE -- "$pattern" <<<"$said"; then
    miss "$*: \"$pattern\" is not said: $said"
  else
    ok "$*: $code, $pattern"
  fi
}

start_server
run() { go_on_air top video.source=pattern audio.source=tone video.size=640x360 box.zone=Etc/UTC; }
run
expect_delivered top
expect_exit 0 'There are no overlays' overlay
# A box behind a text, in the middle of the third bar.
expect_exit 0 'overlay.who.kind is now "text"' overlay add who kind=text 'text={api:score}' anchor=center x=0.357 y=0.7 \
  width=0 size=0.1 'box=#0000ff' fade_ms=0
expect_exit 0 'The text score is set' text score 'WWW'
sleep 3
expect_exit 0 'enabled is now false' overlay hide who
expect_exit 0 'who, text: hidden' overlay list
sleep 3
expect_exit 0 'enabled is now true' overlay show who
expect_exit 0 'who, text: shown' overlay
sleep 3
# Each day but for the two hours around this one.
expect_exit 0 'until' overlay set who from "$(date -u -d '+1 hour' +%H:%M)" until="$(date -u -d '-1 hour' +%H:%M)"
expect_exit 0 'who, text: waiting' overlay
sleep 3
expect_exit 0 'from' overlay set who from '' until ''
sleep 3
expect_exit 0 'The text score is empty' text score ''
sleep 3
expect_exit 0 'The text score is set' text score '2 : 1'

expect_exit 0 'overlay.text-1.kind' overlay add kind=text 'text=a=b' x=-0.1
expect_exit 1 'There is an overlay "who" already' overlay add who kind=text text=x
expect_exit 1 'There is no overlay "hwo"; did you mean "who"\?' overlay show hwo
expect_exit 1 'There is no overlay "none"' overlay remove none
expect_exit 78 'overlay.who.x: must be a number, -1 to 2' overlay set who x far
expect_exit 78 'overlay.text-2.text: is missing' overlay add kind=text
expect_exit 64 'did you mean colour\?' overlay set who colur red
expect_exit 64 'Each field needs a value' overlay set who x
expect_exit 64 'Each field needs a value' overlay add new kind
expect_exit 64 'A name has 1 to 32' overlay hide 'a/b'
expect_exit 64 'did you mean "onair overlay remove"' overlay remov who
expect_exit 64 'A name has 1 to 32' text 'a b' x
expect_exit 1 'at most 2000 characters' text long "$(printf 'x%.0s' {1..2001})"
expect_exit 0 '^score: 2 : 1$' text
expect_exit 0 '^2 : 1$' text score

# What is kept: the same list after the program was killed.
list() { ask top overlay list --json; ask top text --json; }
list >"$work/before"
# A text that changes again is on the disk five seconds later at most.
wait_until grep -qF '"2 : 1"' "$work/state-top/texts.json" || miss "texts.json: $(<"$work/state-top/texts.json")"
first=$(recording top)
end_group "$program" KILL 5
sleep 1
run
expect_delivered top
list >"$work/after"
if cmp -s "$work/before" "$work/after" && grep -q '"who"' "$work/after"; then ok 'overlays and texts are kept'; else
  miss "before: $(<"$work/before"), after: $(<"$work/after")"; fi
go_off_air

places() { # X Y: the colours there, one after another
  ffmpeg -v error -i "$first" -an -vf "fps=5,crop=4:4:$1:$2,scale=1:1,format=rgb24" -f rawvideo - </dev/null |
    od -An -v -tu1 -w3 | awk '
      { name = $3 > 215 && $1 < 40 && $2 < 40 ? "box" : "other"
        if (name != was) { if (was) printf " "; printf "%s", name; was = name } }'
}
# Above the letters.
got=$(places 226 233)
if [[ $got == 'other box other box other box other box' ]]; then ok "the picture: $got"; else miss "the picture: $got"; fi

# From a card.
mkdir -m 700 "$work/card" "$work/state-card" "$work/profiles"
cat >"$work/card/onair.toml" <<'END'
[[overlay]]
name = "logo"
kind = "image"
file = "media/logo.png"
anchor = "top-right"
x = 0.97
[[overlay]]
name = "speaker"
kind = "text"
text = "Anna Müller\nMayor {api:office}"
from = "18:30"
until = "2036-12-24 20:00"
enabled = false
END
if said=$("$onair" seed "$work/card" --connections "$work/profiles" --set "state.directory=$work/state-card" 2>&1); then ok "$said"; else miss "$said"; fi
go_on_air card video.source=pattern audio.source=none video.size=320x180 publish.autostart=never
wait_until ask card status >/dev/null 2>&1 || miss 'it does not run'
"$onair" settings overlay --json --config "$work/card/onair.toml" --set "state.directory=$work/none" >"$work/file.json" || miss 'the file is not read'
ask card settings overlay --json >"$work/taken.json" || miss 'the settings are not listed'
if python3 - "$work/file.json" "$work/taken.json" <<'END'; then ok 'the overlays of the card are those of a settings file'; else miss "$(ask card overlay)"; fi
import json, sys
file, taken = ({one["key"]: one["value"] for one in json.load(open(name))} for name in sys.argv[1:])
print(len(taken), "values")
sys.exit(not (file == taken and len(taken) >= 44 and len(taken) % 2 == 0 and taken["overlay.logo.x"] == 0.97))
END
go_off_air
conclude
