#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A box with a password whose state directory is damaged in some way: a stranger on the local network must not be able to
# set "the first" password. Run as a user without rights, whom a file's mode can stop.
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
  start "$work/box.log" "${as[@]}" env STATE_DIRECTORY="$1/state" RUNTIME_DIRECTORY="$1/run" "${marks[@]}" "$onair" \
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

marks=()
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
conclude
