# shellcheck shell=bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What the tests share that run the program against a real RTMP server. To be sourced first.
set -euo pipefail
# shellcheck source=../board/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../board/lib.sh"

onair=${ONAIR:-$root/.build/release/onair}
name=$(basename "$0" .sh)
work=$(mktemp -d)
misses=0

finish() {
  end_all
  rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

ok() { echo "ok      $name: $*"; }

miss() {
  echo "FAILED  $name: $*"
  misses=$((misses + 1))
}

# The last line of a test.
conclude() { exit "$((misses > 0))"; }

# --- The server -----------------------------------------------------------------------------------

begin_platform() {
  rtmp_port=${rtmp_port:-19350} http_port=${http_port:-18080}
  start_platform "$work/platform" "$work/platform.log" --record
}

# As a machine that loses power: nothing is said, the kernel resets the connections.
kill_platform() { end_group "$platform_group" KILL 5; }

# The newest recording of a stream.
recording() { # KEY
  find "$work/platform/recorded" -name "$1-*.flv" -printf '%T@ %p\n' | sort -n | tail -n 1 | cut -d ' ' -f 2-
}

# --- The program ----------------------------------------------------------------------------------

# Puts a stream on air in the background, with its log in $work/KEY.log. Sets `program`.
go_on_air() { # KEY [KEY=VALUE…]
  local key=$1 setting arguments=()
  shift
  for setting in "$@"; do arguments+=(--set "$setting"); done
  # On the command line it would be warned of.
  install -m 600 /dev/stdin "$work/$key.key" <<<"$key"
  start "$work/$key.log" "$onair" run --set "publish.url=rtmp://127.0.0.1:$rtmp_port/live" \
    --set "publish.key_file=$work/$key.key" --set "state.directory=$work/state-$key" \
    --set publish.autostart=always "${arguments[@]}"
  program=$started
}

# Ends it as Ctrl-C does, within the two seconds that are promised.
go_off_air() {
  local begun
  begun=$(date +%s%N)
  if ! kill -INT -- "-$program" 2>/dev/null; then
    miss 'the program had ended by itself'
    return
  fi
  while is_running "$program"; do
    if (($(date +%s%N) - begun > 2000000000)); then
      miss 'it did not stop within 2 s'
      break
    fi
    sleep 0.02
  done
  end_group "$program" KILL 1
  sleep 0.3
}

# Waits for a line in a log.
wait_for_line() { # LOG PATTERN SECONDS
  local tries=$(($3 * 20))
  while ((tries-- > 0)); do
    grep -qE -- "$2" "$1" 2>/dev/null && return 0
    sleep 0.05
  done
  return 1
}

expect_line() { # LOG PATTERN SECONDS
  if wait_for_line "$@"; then
    ok "$(grep -E -m 1 -- "$2" "$1")"
  else
    miss "within $3 s no line like \"$2\" in:"$'\n'"$(tail -n 20 "$1")"
  fi
}

# Checks what the server has of a stream: board/received's options.
expect_received() { # KEY OPTION…
  local key=$1 file said
  shift
  file=$(recording "$key")
  if said=$("$root/board/received" "${file:-/nothing/received}" --check "$@" 2>&1); then
    ok "$key: $(sed -n '1s/^picture  //p' <<<"$said")$(sed -n 's/^ *\([0-9]* ms .* than the picture\).*/, sound \1/p' <<<"$said")"
  else
    miss "$key: $said"
  fi
}

# Compares pixels of a recording's picture with what they should be.
expect_pixels() { # KEY SECONDS TOLERANCE X,Y=R,G,B…
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
