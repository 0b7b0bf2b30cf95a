# shellcheck shell=bash disable=SC2034  # the lists are read by the scripts that source this
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Functions for the scripts of this folder: installing packages, showing the progress of long steps, ending processes.
# Source this file; it starts nothing by itself.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# shellcheck source=board/lib.d/packages
. "$root/board/lib.d/packages"
# shellcheck source=board/lib.d/swift
. "$root/board/lib.d/swift"

# --- Output ----------------------------------------------------------------------------------------

on_terminal() { [[ -t 1 && ${TERM:-dumb} != dumb ]]; }

# Ends the script with an exit code (sysexits); each further argument is a line on standard error.
fail() {
  local code=$1
  shift
  printf '%s\n' "$@" >&2
  exit "$code"
}

# On a terminal, shows a line that the next output overwrites.
show_live() {
  on_terminal || return 0
  local width=${COLUMNS:-80} text=$1
  printf '\r\033[K%s' "${text:0:width-1}"
}

end_live() { show_live ''; }

seconds_text() {
  if (($1 < 60)); then printf '%d s' "$1"; else printf '%d min %02d s' $(($1 / 60)) $(($1 % 60)); fi
}

# Prints the cause of a failed step, if its log shows one that the user can fix.
cause_in_log() {
  local log=$1
  if grep -qiE 'no space left|enough free space' "$log"; then
    echo "The disk is full: $(df -h --output=avail "$root" | tail -n 1 | tr -d ' ') left here."
  elif grep -qiE 'could ?n.t resolve|temporary failure resolving|could not connect|network is unreachable|failed to connect|unable to access|connection timed out' "$log"; then
    echo 'The network, or a server on it, cannot be reached.'
  elif grep -qiE 'could not get lock|unable to acquire the dpkg' "$log"; then
    echo 'Another program is installing packages; try again when it is done.'
  elif grep -qiE 'unable to locate package|has no installation candidate' "$log"; then
    echo "This machine's apt sources do not have a package that is needed."
  elif grep -qiE 'signal code (9|sigkill)|killed|cannot allocate memory' "$log"; then
    echo 'Perhaps memory ran out: look into "dmesg".'
  fi
}

# Shows the lines of a log that report failures.
show_failures() { # LOG
  local found
  found=$(grep -aE '^(✘|↳|FAILED|not ok)|recorded an issue|error: |Fatal error|Sanitizer|unexpected signal' "$1" |
    awk '!/Library Version|Target Platform/ && !seen[$0]++ { print "  | " substr($0, 1, 300) }' | head -n 25) || true
  [[ -z $found ]] || printf 'Failures in %s:\n%s\n' "$1" "$found" >&2
}

show_log_tail() { # LOG [LINES]
  printf 'The end of %s:\n' "$1" >&2
  tail -n "${2:-15}" "$1" | cut -c 1-300 | sed 's/^/  | /' >&2
}

# --- Processes ----------------------------------------------------------------

# Process groups that this script has started and that still run.
groups=()
# When the first process of each group began: the kernel gives the numbers of processes that have ended to others.
declare -A births=()

# Sets `birth` to when a process began, in ticks since the machine's start; empty if there is none.
read_birth() { # PROCESS
  local line fields
  birth=''
  { read -r line <"/proc/$1/stat"; } 2>/dev/null || return 0
  # After the name, which may have blanks, comes the third field; this is the 22nd (proc(5)).
  read -ra fields <<<"${line##*) }"
  birth=${fields[19]}
}

# Starts a command in the background, in its own process group, so that Ctrl-C reaches only this script, which ends
# its processes in the right order. Sets `started` to the process id.
start() { # LOG COMMAND...
  local log=$1
  shift
  # At once, and not only when the command begins: nobody may read in it what an earlier command wrote.
  : >"$log"
  set -m
  "$@" >"$log" 2>&1 </dev/null 9>&- &  # 9: the script's lock, which must be released when the script ends
  started=$!
  set +m
  groups+=("$started")
  read_birth "$started"
  births[$started]=$birth
}

# Starts a command that ends with this script even if the script is killed.
start_bound() { # LOG COMMAND...
  local log=$1
  shift
  start "$log" setpriv --pdeathsig TERM -- "$@"
}

# Unlike `kill -0` this also works for processes of root.
is_running() {
  [[ -d /proc/$1 ]] || return 1
  [[ -n ${births[$1]:-} ]] || return 0
  read_birth "$1"
  [[ $birth == "${births[$1]}" ]]
}

signal_group() { # SIGNAL GROUP
  kill -s "$1" -- "-$2" 2>/dev/null || ${sudo[@]+"${sudo[@]}"} kill -s "$1" -- "-$2" 2>/dev/null || true
}

# Sends the signal to a group, waits for at most SECONDS, then sends SIGKILL.
end_group() { # GROUP SIGNAL SECONDS
  local group=$1 deadline=$((SECONDS + $3)) kept=() other
  is_running "$group" && signal_group "$2" "$group"
  while is_running "$group" && ((SECONDS <= deadline)); do sleep 0.1; done
  # What the group has left behind; not another process that has got its number.
  if [[ ! -d /proc/$group ]] || is_running "$group"; then signal_group KILL "$group"; fi
  { wait "$group" || true; } 2>/dev/null
  for other in "${groups[@]}"; do [[ $other == "$group" ]] || kept+=("$other"); done
  groups=(${kept[@]+"${kept[@]}"})
}

# Ends all groups, the last started first.
end_all() {
  trap '' INT TERM HUP
  local index
  for ((index = ${#groups[@]} - 1; index >= 0; index--)); do end_group "${groups[index]}" TERM 5; done
  end_live
}

# Makes the script end its processes when it exits or is interrupted.
guard() {
  trap end_all EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  trap 'exit 129' HUP
}

# --- Steps ----------------------------------------------------------------------------------------

# Runs a command with its output in a log, and shows its progress: on a terminal a live line with the
# elapsed seconds, elsewhere a line now and then. At the end it prints one line with the result. Returns
# the command's status, or 124 if it took longer than `step_limit` seconds (when set).
run_step() { # TITLE LOG COMMAND...
  local title=$1 log=$2 since=$SECONDS next=5 status=0 elapsed pid
  shift 2
  start "$log" "$@"
  pid=$started
  while is_running "$pid"; do
    elapsed=$((SECONDS - since))
    if ((${step_limit:-0} > 0 && elapsed >= step_limit)); then
      end_group "$pid" TERM 5
      echo "Ended after $step_limit s, which is the longest that this step may take." >>"$log"
      status=124
    elif on_terminal; then
      show_live "$(printf '  ...  %s, %s  %s' "$title" "$(seconds_text "$elapsed")" \
        "$(tail -n 1 "$log" | tr -cd '[:print:]')")"
    elif ((elapsed >= next)); then
      printf '  ...  %s, %s\n' "$title" "$(seconds_text "$elapsed")"
      next=$((next < 60 ? 60 : next + 60))
    fi
    sleep 0.2
  done
  if ((status == 0)); then
    wait "$pid" || status=$?
    end_group "$pid" TERM 5  # ends the remaining processes of its group
  fi
  end_live
  if ((status == 0)); then
    printf '  ok   %s, %s\n' "$title" "$(seconds_text $((SECONDS - since)))"
  else
    printf 'FAILED %s, %s\n' "$title" "$(seconds_text $((SECONDS - since)))"
  fi
  return "$status"
}

# Runs a step, and ends the script if it fails.
run_step_or_fail() { # CODE TITLE LOG COMMAND...
  local code=$1 title=$2 log=$3
  run_step "${@:2}" && return
  show_log_tail "$log"
  local cause
  cause=$(cause_in_log "$log")
  fail "$code" "$title failed.${cause:+ $cause}"
}

# --- Ports ----------------------------------------------------------------------------------------

is_listening() { (: <>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# Prints the first free port, starting at the given one.
free_port() {
  local port=$1
  while is_listening "$port"; do port=$((port + 1)); done
  echo "$port"
}

# --- The stand-in platform ------------------------------------------------------------------------

# Starts the stand-in platform and waits until it accepts connections. Takes the first free ports, starting at
# `rtmp_port` (default 1935) and `http_port` (default 8088). Sets `rtmp_port`, `http_port` and `platform_group`. Further
# arguments are passed to board/platform.
start_platform() { # FOLDER LOG [--record]
  local folder=$1 log=$2 deadline
  shift 2
  for _ in 1 2 3; do
    rtmp_port=$(free_port "${rtmp_port:-1935}")
    http_port=$(free_port "${http_port:-8088}")
    start_bound "$log" "$root/board/platform" "$folder" --rtmp "$rtmp_port" --http "$http_port" "$@"
    platform_group=$started
    # nginx writes its PID file after it has bound its ports. It fails if another program has taken one meanwhile.
    deadline=$((SECONDS + 5))
    until [[ $(cat "$folder/nginx.pid" 2>/dev/null) == "$platform_group" ]]; do
      if ((SECONDS >= deadline)) || ! is_running "$platform_group"; then
        end_group "$platform_group" TERM 2
        continue 2
      fi
      sleep 0.1
    done
    return 0
  done
  show_log_tail "$log"
  fail 70 'The stand-in platform does not start.'
}
