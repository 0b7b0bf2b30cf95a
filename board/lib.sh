# shellcheck shell=bash disable=SC2034  # the lists are read by the scripts that source this
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Functions for the scripts of this folder: installing packages, showing the progress of long steps, ending processes.
# Source this file; it starts nothing by itself.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# --- Packages -------------------------------------------------------------------------------------
# "a|b": either package is enough. If neither is installed, the first one that the Debian release has is installed.

# To build onair. g++ installs the C and C++ headers and the linker, which Swift needs as well.
build_packages=(
  ca-certificates git g++
  libasound2-dev libavcodec-dev libavformat-dev libavutil-dev libgnutls28-dev libgpiod-dev
  libpng-dev librtmp-dev libswresample-dev libswscale-dev libturbojpeg0-dev libv4l-dev libx264-dev
  libtomlplusplus-dev libyuv-dev
)
# Libraries that a Swift toolchain from swift.org needs. Debian's Swift has them as dependencies.
toolchain_packages=(
  'libcurl4|libcurl4t64' libncurses6 libsqlite3-0 libuuid1 'libxml2|libxml2-16' tzdata zlib1g
)
# The stand-in platform, and the tools that examine what it received.
platform_packages=(ffmpeg libnginx-mod-rtmp nginx)
# For the tests. The emulated board (board/lab) installs its own.
test_packages=(
  dpkg-dev flvmeta gnutls-bin libnginx-mod-stream python3-venv shellcheck
)

# The programs that OnAir is compared with.
bench_packages=(
  ffmpeg gstreamer1.0-libav gstreamer1.0-plugins-bad gstreamer1.0-plugins-base
  gstreamer1.0-plugins-good gstreamer1.0-plugins-ugly gstreamer1.0-tools
)

# For tests on an impaired network.
network_packages=(ffmpeg iproute2 libnginx-mod-rtmp nginx python3)

# The oldest Swift that the package builds with.
swift_needed=6.2

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
}

# Starts a command that ends with this script even if the script is killed.
start_bound() { # LOG COMMAND...
  local log=$1
  shift
  start "$log" setpriv --pdeathsig TERM -- "$@"
}

# Unlike `kill -0` this also works for processes of root.
is_running() { [[ -d /proc/$1 ]]; }

signal_group() { # SIGNAL GROUP
  kill -s "$1" -- "-$2" 2>/dev/null || ${sudo[@]+"${sudo[@]}"} kill -s "$1" -- "-$2" 2>/dev/null || true
}

# Sends the signal to a group, waits for at most SECONDS, then sends SIGKILL.
end_group() { # GROUP SIGNAL SECONDS
  local group=$1 deadline=$((SECONDS + $3)) kept=() other
  is_running "$group" && signal_group "$2" "$group"
  while is_running "$group" && ((SECONDS <= deadline)); do sleep 0.1; done
  signal_group KILL "$group"
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

# --- Installing -----------------------------------------------------------------------------------

# Put before a command to run it as root; empty for root.
sudo=()

# Prints the given packages that are not installed.
missing_packages() {
  local want name installed
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' | sed -n 's/^installed //p')
  for want in "$@"; do
    for name in ${want//|/ }; do
      grep -qxF -- "$name" <<<"$installed" && continue 2
    done
    echo "$want"
  done
}

# Gets root's rights by sudo. It must run in the foreground, where sudo can ask for a password.
become_root() { # PURPOSE or PACKAGE...
  [[ $EUID != 0 ]] || return 0
  if ! command -v sudo >/dev/null || ! { sudo -n true 2>/dev/null || sudo -v; }; then
    fail 77 "This user may not become root, which is needed for: $*" \
      "Packages can be installed beforehand, as root: apt-get install --no-install-recommends ${*%%|*}"
  fi
  sudo=(sudo -n)
}

# Runs as root. The stand-in platform needs the nginx program, but Debian's nginx service must not start, since it would
# take port 80: policy-rc.d prevents its start during the installation, and afterwards the service is disabled.
# shellcheck disable=SC2016  # expanded by the shell that runs it
install_script='
set -e
export DEBIAN_FRONTEND=noninteractive LC_ALL=C
policy=/usr/sbin/policy-rc.d
trap "exit 130" INT TERM HUP
new_nginx=yes
[ -e /etc/init.d/nginx ] && new_nginx=no
if [ $new_nginx = yes ] && [ ! -e $policy ]; then
  trap "rm -f $policy" EXIT
  printf "#!/bin/sh\ncase \"\$1\" in nginx|nginx.service) exit 101 ;; esac\n" >$policy
  chmod 755 $policy
fi
dpkg --configure -a
apt-get -q update || echo "apt-get update failed; going on with the package lists that are there."
names=
for want; do
  first=
  for name in $(echo "$want" | tr "|" " "); do
    first=${first:-$name}
    if apt-cache policy "$name" | grep -q "Candidate: [^(]"; then first=$name; break; fi
  done
  names="$names $first"
done
apt-get -o DPkg::Lock::Timeout=300 -qq install --no-install-recommends $names
if [ $new_nginx = yes ] && [ -e /etc/init.d/nginx ]; then
  if command -v systemctl >/dev/null; then systemctl disable nginx.service
  else update-rc.d nginx disable; fi
fi
'

# Installs the given packages that are missing.
install_packages() { # LOG PACKAGE...
  local log=$1 missing
  shift
  command -v apt-get >/dev/null ||
    fail 69 'This is not a Debian machine (no apt-get): install by hand what board/lib.sh lists.'
  mapfile -t missing < <(missing_packages "$@")
  ((${#missing[@]} > 0)) || return 0
  become_root "${missing[@]}"
  local title="Installing ${missing[*]:0:3}"
  ((${#missing[@]} <= 3)) || title+=" and $((${#missing[@]} - 3)) more"
  run_step_or_fail 69 "$title" "$log" ${sudo[@]+"${sudo[@]}"} \
    sh -c "$install_script" sh "${missing[@]}"
}

# If the script was started with sudo in a user's checkout, restarts it as that user once the packages are installed.
# Otherwise root would own the build products, and the user could not build here again.
drop_to_owner() { # SCRIPT ARGUMENT...
  [[ $EUID == 0 && -n ${SUDO_USER:-} && $(stat -c %u "$root") == "${SUDO_UID:-}" ]] || return 0
  [[ $SUDO_UID != 0 ]] || return 0
  local folder
  for folder in "$root"/.build "$root"/.demo "$root"/.lab; do
    [[ ! -d $folder ]] || chown -R "$SUDO_UID:$SUDO_GID" "$folder"
  done
  exec setpriv --reuid "$SUDO_UID" --regid "$SUDO_GID" --init-groups -- env -u SUDO_USER \
    HOME="$(getent passwd "$SUDO_UID" | cut -d : -f 6)" USER="$SUDO_USER" LOGNAME="$SUDO_USER" "$@"
}

# --- Swift ----------------------------------------------------------------------------------------

swift_version() { # PROGRAM
  "$1" --version 2>/dev/null | sed -nE 's/.*Swift version ([0-9]+(\.[0-9]+)*).*/\1/p' | head -n 1
}

version_at_least() { # VERSION MINIMUM
  [[ $(printf '%s\n' "$2" "$1" | sort -V | head -n 1) == "$2" ]]
}

# Puts a Swift that is new enough first in PATH, and installs the given packages together with those that Swift needs,
# so that the user enters one password at most.
prepare() { # LOG PACKAGE...
  local log=$1 home candidate version='' folder need=()
  shift
  need=("$@")
  # sudo resets PATH: look in the usual places as well.
  home=$(getent passwd "${SUDO_USER:-$EUID}" | cut -d : -f 6)
  PATH+=:/opt/swift/usr/bin:$home/.local/share/swiftly/bin:/usr/sbin:/sbin
  # Without its libraries a Swift from swift.org cannot even print its version.
  if candidate=$(command -v swift) && ! dpkg-query -S "$(readlink -f "$candidate")" &>/dev/null; then
    need+=("${toolchain_packages[@]}")
    if [[ -z $(swift_version swift) ]]; then install_packages "$log" "${need[@]}"; fi
  fi
  # Take the first one that is new enough.
  while read -r candidate; do
    version=$(swift_version "$candidate")
    if [[ -n $version ]] && version_at_least "$version" "$swift_needed"; then
      folder=$(dirname "$candidate")
      PATH=$folder:$PATH
      break
    fi
  done < <(type -ap swift)
  if [[ -z ${folder:-} ]]; then
    candidate=$(debian_swift "$log")
    if [[ -z $candidate ]] || ! version_at_least "$candidate" "$swift_needed"; then
      fail 69 "OnAir needs Swift $swift_needed or newer; installed is ${version:-none}, and this Debian release has ${candidate:-none}." \
        "Unpack one from https://www.swift.org/install/linux/ as /opt/swift (so that /opt/swift/usr/bin/swift is there), then run this again."
    fi
    need+=(swiftlang)
  fi
  install_packages "$log" "${need[@]}"
}

# Prints the version of Swift in this Debian release, if it has one.
debian_swift() { # LOG
  command -v apt-cache >/dev/null || return 0
  # A new container has no package lists.
  if ! compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null; then
    become_root 'package lists'
    run_step 'Reading the package lists' "$1" ${sudo[@]+"${sudo[@]}"} apt-get -q update >&2 || true
  fi
  LC_ALL=C apt-cache policy swiftlang | sed -nE 's/^ *Candidate: ([0-9][0-9.]*).*/\1/p'
}

# Builds .build/release/onair, which runs without an installed Swift.
build_release() {
  swift build --package-path "$root" -c release --static-swift-stdlib --product onair
}

# Builds the benchmark, and its C tools in .bench/tools.
build_bench() {
  local tools=$root/.bench/tools
  mkdir -p "$tools"
  swift build --package-path "$root" -c release --static-swift-stdlib --product bench
  cc -O2 -Wall -Wextra -Werror -o "$tools/floor" "$root/Tests/Bench/Tools/floor.c" \
    -lx264 -lavcodec -lavutil -lm
  cc -O2 -Wall -Wextra -Werror -shared -fPIC -o "$tools/allocations.so" \
    "$root/Tests/Bench/Tools/allocations.c"
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
