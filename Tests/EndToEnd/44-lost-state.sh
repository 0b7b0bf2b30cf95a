#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A box with a password whose state directory is damaged in some way: a stranger on the local network must not be able to
# set "the first" password, and what a privacy mask hides stays hidden. Run as a user without rights, whom a file's mode can
# stop.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

page=$((first_port + 9)) box=$work/box
as=()
if ((EUID == 0)); then
  as=(setpriv --reuid 65534 --regid 65534 --clear-groups --)
  chmod 755 "$work"
  # The build folder may be closed to others.
  if ! "${as[@]}" test -x "$onair"; then
    install -m 755 "$onair" "$work/onair"
    onair=$work/onair
  fi
fi
install -d -m 777 "$work/whole"

start_box() { # FOLDER
  start "$work/box.log" "${inside[@]}" "${as[@]}" env STATE_DIRECTORY="$1/state" RUNTIME_DIRECTORY="$1/run" "${marks[@]}" "$onair" \
    run --keep-up --set video.source=pattern --set audio.source=tone --set video.size=160x90 \
    --set "page.listen=127.0.0.1:$page"
  program=$started
  wait_for_page "$page"
}
end_box() {
  kill -TERM "$program"
  wait_until is_gone "$program" || miss 'it did not stop'
}
set_up() { # PASSWORD: prints the status of the answer
  curl -s -o "$work/said" -w '%{http_code}' --json "{\"password\": \"$1\"}" "http://127.0.0.1:$page/api/setup"
}
session() { curl -s "http://127.0.0.1:$page/api/session"; }

marks=() inside=()
"${as[@]}" mkdir "$work/whole/run"
start_box "$work/whole"
if [[ $(set_up 'correct horse') == 200 ]]; then ok 'the owner sets a password'; else miss "$(<"$work/said")"; fi
end_box

# Does something to the state of the box, as its user, and starts it.
damage() { # COMMANDS
  rm -rf -- "$box"
  install -d -m 777 "$box"
  "${as[@]}" cp -a "$work/whole/state" "$work/whole/run" "$box/"
  (cd "$box" && "${as[@]}" bash -euc "$1") || miss "\"$1\" fails"
  start_box "$box"
}
repair() {
  end_box
  chmod -R u+rwX "$box"
}

expect_closed() { # WHAT COMMANDS
  damage "$2"
  local status
  status=$(set_up 'mine, all mine')
  if [[ $status == 409 && $(session) == *'"set_up":true'* ]]; then ok "$1: closed"; else
    miss "$1: $status, $(session), $(tail -n 3 "$work/box.log")"; fi
  repair
}
expect_closed 'untouched' ':'
expect_closed 'a folder that everybody may write to' 'chmod 777 state'
expect_closed 'a folder that may not be read' 'chmod 000 state'
expect_closed 'a folder that may only be read' 'chmod 400 state'
expect_closed 'a folder that may only be searched' 'chmod 100 state'
expect_closed "a file in the folder's place" 'rm -r state; echo x >state'
expect_closed "a loop of links in the folder's place" 'rm -r state; ln -s state state'
expect_closed "a link to nothing in the folder's place" 'rm -r state; ln -s gone/away state'
expect_closed "a device in the folder's place" 'rm -r state; ln -s /dev/null state'
expect_closed "a pipe in the folder's place" 'rm -r state; mkfifo state'
expect_closed 'a folder that is gone, and cannot be made' 'mkdir closed; mv state closed/; rm -r closed/state; chmod 500 closed; ln -s closed/state state'
expect_closed 'a damaged file' 'echo "{" >state/access.json'
expect_closed 'an empty file' ': >state/access.json'
expect_closed 'a file that may not be read' 'chmod 000 state/access.json'
expect_closed 'a file that is a folder' 'rm state/access.json; mkdir state/access.json'
expect_closed 'a file that is a link' 'mv state/access.json state/other; ln -s other state/access.json'
expect_closed 'a file that is a link to nothing' 'rm state/access.json; ln -s gone state/access.json'
expect_closed 'a file that is a pipe' 'rm state/access.json; mkfifo state/access.json'
expect_closed 'an unreadable file in a folder of others' 'chmod 000 state/access.json; chmod 777 state'

# Nothing tells this from a new box but a mark elsewhere, as an image has it.
"${as[@]}" mkdir "$work/whole/marks"
for lost in 'rm state/access.json' 'rm -r state'; do
  damage "$lost"
  if [[ $(session) == *'"needs_code":false'*'"set_up":false'* ]]; then ok "$lost: a new box"; else miss "$lost: $(session)"; fi
  repair
  "${as[@]}" touch "$work/whole/marks/password-was-set"
  marks=("ONAIR_MARKS=$work/whole/marks")
  damage "$lost"
  status=$(set_up 'mine, all mine')
  if [[ $status == 403 && $(<"$work/said") == *'"code_needed"'* && $(session) == *'"password_lost":true'* ]]; then
    ok "$lost, with a mark: closed"
  else
    miss "$lost, with a mark: $status, $(session)"
  fi
  repair
  marks=()
done

# Masks that were set on the page.
ask() { # FOLDER PATH CURL_OPTION...: of the box that keeps its state there
  curl -s --unix-socket "$1/control" "${@:3}" "http://box/api/$2"
}
masks() {
  ask "$1" filters | python3 -c 'import json, sys
print(*[one["name"] for one in json.load(sys.stdin) if one["kind"] == "mask" and one["enabled"]])'
}
expect_masks() { # WHAT FOLDER NAMES
  if [[ $(masks "$2") == "$3" ]]; then ok "$1: ${3:-none}"; else miss "$1: \"$(masks "$2")\" instead of \"$3\""; fi
}
expect_covered() { # WHAT FOLDER
  if [[ $(ask "$2" status) == *'picture is covered'* ]]; then ok "$1: covered"; else
    miss "$1: not covered, $(ask "$2" status)"; fi
}
damage ':'
ask "$box/state" filters --json '{"name": "window", "kind": "mask", "x": 0.5}' >/dev/null
end_box
rm -r "$work/whole/state"
cp -a "$box/state" "$work/whole/"

damage 'chmod 777 state'
expect_masks 'a folder that everybody may write to' "$box/run/state" window
ask "$box/run/state" filters --json '{"name": "door", "kind": "mask", "width": 0.25}' >/dev/null
end_box
start_box "$box"
expect_masks 'the next start in memory' "$box/run/state" 'door window'
end_box
chmod 700 "$box/state"
start_box "$box"
expect_masks 'the folder is as before' "$box/state" 'door window'
repair

damage 'mv state closed; ln -s closed/away state'
expect_covered 'a link to nothing' "$box/run/state"
ask "$box/run/state" settings -X PATCH --json '{"video.fps": 20}' >/dev/null
expect_masks 'another change' "$box/run/state" everything
end_box
rm "$box/state"
mv "$box/closed" "$box/state"
start_box "$box"
expect_masks 'the folder is there again' "$box/state" 'everything window'
repair

damage ': >state/settings.toml'
expect_covered 'an empty file' "$box/state"
repair

# A disk that could not be mounted, and an empty folder in its place.
if ((EUID == 0)) && [[ -e /etc/fstab ]] && unshare -m true 2>/dev/null; then
  echo "UUID=1 $box/state ext4 nofail 0 2" >"$work/fstab"
  # shellcheck disable=SC2016
  inside=(unshare -m bash -c 'mount --make-rprivate / && mount --bind "$0" /etc/fstab && exec "$@"' "$work/fstab")
  damage 'rm -r state; mkdir -m 700 state'
  expect_covered 'a disk that is not mounted' "$box/run/state"
  if grep -qF "Mount it with sudo mount $box/state" "$work/box.log" && [[ $(session) == *'"set_up":true'* && -z $(ls -A "$box/state") ]]; then
    ok 'it is named, and nothing is written in its place'
  else
    miss "a disk that is not mounted: $(session), $(ls -A "$box/state"), $(tail -n 3 "$work/box.log")"
  fi
  repair
fi
conclude
