# shellcheck shell=bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Functions for the test scripts, which run OnAir against a real RTMP server and examine what the server received.
# Source this file first.
#
# Tests check events and their order with generous time limits, so that they pass on a busy machine. Durations are
# printed as figures, which never fail a test.
set -euo pipefail
# shellcheck source=../board/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../board/lib.sh"

# The program under test, for this machine and for the emulated board: the debug build that the unit tests need as well.
# The nightly tests measure, so they take the release build. BUILD=debug or BUILD=release overrides this.
build=debug
[[ $0 != */Nightly/* ]] || build=release
if [[ ${BUILD:-$build} == release ]]; then
  onair=$root/.build/release/onair board_build=()
else
  onair=${ONAIR:-$root/.build/test/debug/onair} board_build=(--debug)
fi
# Time limit of every wait, in seconds: what a busy machine needs at most. Only a failing test waits for so long.
patience=300
# Seconds between two looks while waiting.
pace=0.1

name=$(basename "$0" .sh)
work=$(mktemp -d)
failures=0
# Each script searches for free ports from a different number on, since scripts run in parallel. Ephemeral ports start
# above these.
first_port=$((20000 + $(cksum <<<"$root/$name" | cut -d ' ' -f 1) % 300 * 40))

finish() {
  [[ -z ${KEEP:-} ]] || cp -r "$work" "$KEEP/$name"
  end_all
  rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

ok() { echo "ok      $name: $*"; }

miss() {
  echo "FAILED  $name: $*"
  failures=$((failures + 1))
}

# Ends a test; call it in the last line.
conclude() { exit "$((failures > 0))"; }

# Tells whether a pipe's text has a pattern. It reads to the end: a program whose reader leaves early, as grep -q does, is ended
# by SIGPIPE, and with pipefail the answer is then "no".
holds() { # GREP-ARGUMENT...
  local text
  text=$(cat)
  grep -q "$@" <<<"$text"
}

# What is wrong with a film: nothing, if it can be decoded from its beginning to its end.
wrong_with() { # FILM
  # In the film's own unit of time: in that of the frame rate, frames after a gap may fall together.
  ffmpeg -nostdin -v error -xerror -i "$1" -enc_time_base -1 -fps_mode passthrough -f null - 2>&1 || echo 'failed'
}

# Records a measured value. It is marked "slow" outside the expected range, and does not fail the test.
figure() { # NAME VALUE [AT-LEAST AT-MOST]
  local mark=''
  if [[ -z $2 ]]; then
    mark='  slow'
  elif (($# >= 4)); then
    mark=$(awk -v value="$2" -v low="$3" -v high="$4" \
      'BEGIN { if (value < low || value > high) print "  slow (expected " low " to " high ")" }')
  fi
  echo "figure  $name/$1  ${2:-unknown}$mark"
}

# Prints the milliseconds since boot.
milliseconds() { awk '{ printf "%d", $1 * 1000 }' /proc/uptime; }

# Waits until a command succeeds, for `patience` seconds at most.
wait_until() { # COMMAND...
  local deadline=$((SECONDS + patience))
  until "$@"; do
    ((SECONDS < deadline)) || return 1
    sleep "$pace"
  done
}

# --- The server -----------------------------------------------------------------------------------

# Starts the RTMP server. It records each stream.
start_server() {
  rtmp_port=${rtmp_port:-$first_port} http_port=${http_port:-$((first_port + 5))}
  start_platform "$work/platform" "$work/platform.log" --record
}

# Kills the server: it cannot say good-bye, and the kernel resets its connections.
kill_server() { end_group "$platform_group" KILL 5; }

# Prints the path of the newest recording of a stream.
recording() { # KEY
  find "$work/platform/recorded" -name "$1-*.flv" -printf '%T@ %p\n' | sort -n | tail -n 1 | cut -d ' ' -f 2-
}

# Installs what Tests/Python/NAME.txt lists, and nothing else, in a virtual environment that is kept in .lab/NAME.
need_python() { # NAME [OPTION-OF-VENV...]
  local folder=$root/.lab/$1 list=$root/Tests/Python/$1.txt lock
  mkdir -p "$root/.lab"
  # Tests that run at the same time wait for the first one's installation.
  exec {lock}>"$folder.lock"
  flock "$lock"
  if ! cmp -s "$list" "$folder/installed"; then
    { /usr/bin/python3 -m venv --clear "${@:2}" "$folder" &&
      "$folder/bin/pip" install --quiet --no-deps --requirement "$list" &&
      cp "$list" "$folder/installed"; } >"$work/pip" 2>&1 || {
      show_log_tail "$work/pip"
      fail 69 "What $list lists cannot be installed: this test needs python3-venv and the Python package index."
    }
  fi
  exec {lock}>&-
}

# Sets `pyrtmp`, the folder of its virtual environment.
need_pyrtmp() {
  need_python pyrtmp
  pyrtmp=$root/.lab/pyrtmp
}

# The accessibility rules axe, beside Debian's selenium. Sets `axe`, the folder of the virtual environment.
need_axe() {
  need_python axe --system-site-packages
  axe=$root/.lab/axe
}

# Schemathesis. Sets `contract`, the folder of its virtual environment.
need_contract() {
  need_python contract
  contract=$root/.lab/contract
}

# Starts ffmpeg's own server, which takes one stream into $work/NAME.flv.
start_ffmpeg_server() { # NAME PORT
  local listening
  start "$work/$1.said" ffmpeg -nostdin -v error -y -listen 1 -i "rtmp://127.0.0.1:$2/live/$1" -c copy "$work/$1.flv"
  # Do not connect to it for this: it accepts only one connection.
  listening=$(printf ':%04X ' "$2")
  wait_until grep -q " 0100007F$listening.* 0A " /proc/net/tcp || miss "ffmpeg does not listen at port $2"
}

# A TLS proxy before the server, with a port for each certificate of Tests/certificates. Sets `front`, and `front_port` by the
# certificate's name.
declare -gA front_port
start_front() { # NAME…
  local one next=$((first_port + 12))
  [[ -d $work/front ]] || { mkdir "$work/front" && "$root/Tests/certificates" "$work/front"; }
  {
    [[ $EUID != 0 ]] || echo 'user root;'
    printf '%s\n' 'load_module /usr/lib/nginx/modules/ngx_stream_module.so;' 'daemon off;' \
      'pid nginx.pid;' 'events { worker_connections 256; }' 'stream {'
    for one in "$@"; do
      front_port[$one]=$(free_port "$next")
      next=$((front_port[$one] + 1))
      echo "server { listen 127.0.0.1:${front_port[$one]} ssl; proxy_pass 127.0.0.1:$rtmp_port;"
      echo "ssl_certificate $one.pem; ssl_certificate_key $one.key; }"
    done
    echo '}'
  } >"$work/front/nginx.conf"
  start_bound "$work/front.log" env "PATH=$PATH:/usr/sbin" nginx -p "$work/front/" -c nginx.conf \
    -e "$work/front/error.log"
  front=$started
  ! wait_until is_listening "${front_port[${!#}]}" || return 0
  miss "the TLS proxy does not start: $(<"$work/front.log")"
}

# Runs a program that prints a line "good TEXT" or "WRONG TEXT" for each check, and "figure NAME VALUE".
run_checks() { # COMMAND...
  local word text status=0
  PYTHONDONTWRITEBYTECODE=1 "$@" >"$work/checks" 2>"$work/checks.err" || status=$?
  while read -r word text; do
    case $word in
      good) ok "$text" ;;
      WRONG) miss "$text" ;;
      figure) figure "${text% *}" "${text##* }" ;;
    esac
  done <"$work/checks"
  if ((status > 1)) || [[ -s $work/checks.err ]]; then
    # Without the addresses in the browser's own code.
    miss "the checks did not end well: $(grep -v '^#[0-9]' "$work/checks.err" | tail -n 12)"
  fi
}

# --- The program ----------------------------------------------------------------------------------

# Puts into a state folder what the encoder costs on this machine, as an earlier start of the program has left it: each first
# start measures it, which takes three seconds of a processor. It is measured once for all tests.
know_speed() { # STATE-DIRECTORY
  local speeds=$root/.lab/speed.json state=$work/state-speed
  if [[ ! $speeds -nt $onair ]]; then
    mkdir -p "$root/.lab"
    start "$work/speed.log" "$onair" run --set "state.directory=$state" --set page.listen= --set video.source=none
    if ! wait_until test -s "$state/speed.json"; then
      miss "the encoder's costs are not measured: $(<"$work/speed.log")"
      return
    fi
    end_group "$started" INT "$patience"
    # Another test may do the same.
    cp "$state/speed.json" "$speeds.$$"
    mv "$speeds.$$" "$speeds"
  fi
  mkdir -p "$1"
  chmod 700 "$1"
  install -m 600 "$speeds" "$1/speed.json"
}

# The same of the emulated board, which would take minutes: its processors (board/lab.d/run) and the encoder of its Debian. Of
# others it would be measured. For the file speed.json in the state folder there.
board_speed='{"processor":"2 × 0x41, 0xd08","library":"0.164.3108 31e19f9",'
board_speed+='"costs":{"rungs":[1,1.2,1.45,1.75,1.95,2.25,3.1,3.75,4.6,6.7,7.8]}}'

# Puts a stream on air in the background, with its log in $work/KEY.log and its state in $work/state-KEY.
# Sets `program`.
go_on_air() { # KEY [SETTING=VALUE...]
  local key=$1 setting arguments=()
  shift
  for setting in "$@"; do arguments+=(--set "$setting"); done
  know_speed "$work/state-$key"
  # In a file, since OnAir warns about a key on the command line.
  install -m 600 /dev/stdin "$work/$key.key" <<<"$key"
  start "$work/$key.log" "$onair" run --set "publish.url=rtmp://127.0.0.1:$rtmp_port/live" \
    --set "publish.key_file=$work/$key.key" --set "state.directory=$work/state-$key" \
    --set publish.autostart=always --set page.listen= "${arguments[@]}"
  program=$started
}

# Gives a box a password, and prints a token that allows everything over TCP.
make_token() { # STATE_DIRECTORY
  wait_until set_password "$1" 'a test password'
  "$onair" token add test --scope admin --set "state.directory=$1"
}

# Gives a box a password, and prints a token of each scope: "read TOKEN".
make_tokens() { # STATE_DIRECTORY [PASSWORD]
  local scope
  wait_until set_password "$1" "${2:-correct horse battery staple}"
  for scope in read operate control admin; do
    echo "$scope $("$onair" token add "test-$scope" --scope "$scope" --set "state.directory=$1")"
  done
}

set_password() { "$onair" password --set "state.directory=$1" <<<"$2" >/dev/null 2>&1; }

# The page begins to listen half a second after the broadcast.
wait_for_page() { # PORT
  wait_until curl -sf -o /dev/null "http://127.0.0.1:$1/healthz" || miss "nothing listens at port $1"
}

# Ends the program with SIGINT, as Ctrl-C does.
go_off_air() {
  local since
  since=$(milliseconds)
  if ! kill -INT -- "-$program" 2>/dev/null; then
    miss 'the program was no longer running'
    return
  fi
  if wait_until is_gone "$program"; then
    figure 'stop ms' $(($(milliseconds) - since)) 0 2000
  else
    miss "it did not stop within $patience s"
  fi
  end_group "$program" KILL 1
  # Wait for the server to close its recording.
  sleep 0.3
}

is_gone() { ! is_running "$1"; }

# Sends a command to the OnAir that publishes a stream.
ask() { # KEY COMMAND...
  local key=$1
  shift
  "$onair" "$@" --set "state.directory=$work/state-$key"
}

# Whether the status, as JSON without spaces, contains a text. Asked over the socket: a debug build of the command takes five times
# as long to start as curl, and who waits asks often.
status_has() { # KEY TEXT
  local status
  status=$(curl -s --max-time "$patience" --unix-socket "$work/state-$1/control" http://onair/api/status) || return 1
  [[ $status == *"$2"* ]]
}

# Waits until the status contains a text.
expect_status() { # KEY TEXT
  local since
  since=$(milliseconds)
  if wait_until status_has "$@"; then
    ok "$1: $2 after $(($(milliseconds) - since)) ms"
  else
    miss "$1: the status does not contain $2 within $patience s: $(ask "$1" status --json 2>&1)"
  fi
}

# Waits until the server has acknowledged recent video or audio.
expect_delivered() { # KEY
  expect_status "$1" '"state":"delivering"'
}

# Waits for a line in a log.
wait_for_line() { # LOG PATTERN SECONDS
  local tries=$(($3 * 10))
  while ((tries-- > 0)); do
    grep -qE -- "$2" "$1" 2>/dev/null && return 0
    sleep 0.1
  done
  return 1
}

expect_line() { # LOG PATTERN [SECONDS]
  if wait_for_line "$1" "$2" "${3:-$patience}"; then
    ok "$(grep -E -m 1 -- "$2" "$1")"
  else
    miss "within ${3:-$patience} s no line like \"$2\" in:"$'\n'"$(tail -n 20 "$1")"
  fi
}

# Waits for a log line with an event code.
expect_code() { # KEY CODE-PATTERN
  expect_line "$work/$1.log" "\[code: $2\]"
}

# Checks the recording of a stream with the given options of board/received.
expect_received() { # KEY OPTION...
  local key=$1 file said
  shift
  file=$(recording "$key")
  if said=$("$root/board/received" "${file:-/nothing/received}" --check "$@" 2>&1); then
    ok "$key: $(sed -n '1s/^picture  //p' <<<"$said")$(sed -n 's/^ *\([0-9]* ms .* than the picture\).*/, sound \1/p' <<<"$said")"
  else
    miss "$key: $said"
  fi
}

# Prints a value of board/received's report on a stream: "fps", "longest_step_ms".
received_value() { # KEY NAME
  local file
  file=$(recording "$1")
  "$root/board/received" "${file:-/nothing/received}" --json 2>/dev/null |
    sed -nE "s/.*\"$2\": (-?[0-9.]+).*/\1/p"
}

# Compares pixels of a recording with the expected colours.
expect_pixels() { # KEY SECONDS TOLERANCE X,Y=R,G,B...
  local key=$1 at=$2 tolerance=$3 file wanted place x y got size width bad=''
  shift 3
  file=$(recording "$key")
  size=$(ffprobe -v error -select_streams v -show_entries stream=width -of csv=p=0 "$file")
  width=${size%%,*}
  ffmpeg -v error -y -ss "$at" -i "$file" -frames:v 1 -f rawvideo -pix_fmt rgb24 "$work/pixels" </dev/null
  for wanted in "$@"; do
    place=${wanted%%=*} x=${place%,*} y=${place#*,}
    got=$(od -An -tu1 -j $(((y * width + x) * 3)) -N 3 "$work/pixels" | awk '{ print $1 "," $2 "," $3 }')
    if awk -F'[,=]' -v limit="$tolerance" '{
        for (i = 1; i <= 3; i++) { d = $i - $(i + 3); if (d < 0) d = -d; if (d > limit) bad = 1 }
        exit !bad }' <<<"$got=${wanted#*=}"; then
      bad+=" ($place is $got, not ${wanted#*=})"
    fi
  done
  if [[ -z $bad ]]; then ok "$key: $# colours right"; else miss "$key: wrong colours:$bad"; fi
}

# Splits a recording into scenes (camera or still, sound or silence) with Tests/scenes, writes them to
# $work/KEY.scenes, and compares the sequence of their kinds with the expected one.
expect_scenes() { # KEY STILL KINDS [video]
  local kinds
  "$root/Tests/scenes" "$(recording "$1")" "$2" >"$work/$1.scenes"
  [[ ${4:-} != video ]] || sed -i '/^s[io]/d' "$work/$1.scenes"
  # A file source is silent until it has been opened.
  kinds=$(awk '{ print $1 }' "$work/$1.scenes" | paste -sd ' ' | sed -E 's/(still|camera) silence sound/\1 sound/')
  if [[ $kinds == "$3" ]]; then ok "$1: $(paste -sd ';' "$work/$1.scenes")"; else
    miss "$1: not \"$3\" but $(paste -sd ';' "$work/$1.scenes")"; fi
}

expect_equal() { # NAME VALUE EXPECTED
  if [[ $2 == "$3" ]]; then ok "$1: $2"; else miss "$1: \"$2\", not \"$3\""; fi
}
expect_at_most() { # NAME VALUE LIMIT
  if awk -v a="$2" -v b="$3" 'BEGIN { exit !(a != "" && a <= b) }'; then ok "$1: $2, at most $3"; else miss "$1: ${2:-nothing}, not at most $3"; fi
}
expect_at_least() { # NAME VALUE LIMIT
  if awk -v a="$2" -v b="$3" 'BEGIN { exit !(a != "" && a >= b) }'; then ok "$1: $2, at least $3"; else miss "$1: ${2:-nothing}, not at least $3"; fi
}

# --- The emulated board ---------------------------------------------------------------------------

# Runs a script on the emulated board, with the program for ARM that board/test has built.
run_on_board() { # OPTION... SCRIPT [FILE...]
  "$root/board/lab" "${board_build[@]}" "$@"
}
