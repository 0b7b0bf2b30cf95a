#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# slots: 6
#
# The Debian packages: building twice, in two folders, gives the same bytes, and in fresh trees of Debian a person gets
# from the package to a picture at a server with four commands. Then an upgrade from an older build while on air, a removal,
# and a purge. The trees run systemd in containers (systemd-nspawn) whose network is apart from this machine's. With
# PACKAGES=FOLDER the packages there are tried, and none is built.
# shellcheck disable=SC2154  # what board/lib.d/packages sets
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

network=onair-$$
box=$work/box # the tree of the container that runs
leader=''     # its first process

finish_here() {
  stop_box
  "${sudo[@]}" ip netns delete "$network" 2>/dev/null || true
  # Root owns what was made in the container and by the server.
  "${sudo[@]}" rm -rf --one-file-system "$box"
  "${sudo[@]}" chown -R "$(id -u)" "$work"
  finish
}
trap finish_here EXIT

# --- Packages -------------------------------------------------------------------------------------

# The project in another folder, without what was built here.
copy_project() { # FOLDER
  mkdir -p "$1"
  (cd "$root" && git -c safe.directory="$root" ls-files -z --cached --others --exclude-standard |
    xargs -0 cp --parents -t "$1")
  cp "$root/Package.resolved" "$1"
}

# Sets `older`, the packages of an earlier version: with another sample of the settings, and for this machine's own Debian
# really built with that version, in the copy.
make_older() { # COPY
  local package target
  sed -i 's/current = ".*"/current = "0.0.1"/' "$1/Sources/Figures/Version.swift"
  sed -i '0,/^## /s//## 0.0.1 (2026-11-20)\n\n- An older build.\n\n&/' "$1/CHANGELOG.md"
  sed -i 's/^fps = 30$/fps = 20/' "$1/systemd/onair.toml"
  mkdir "$work/older"
  [[ -n ${PACKAGES:-} ]] || "$1/board/package" --out "$work/older" "$native" >"$work/older.log" 2>&1 || miss "$(tail -n 20 "$work/older.log")"
  for package in "$packages"/*_amd64.deb; do
    target=${package##*\~}
    [[ ! -e $work/older/onair_0.0.1~$target ]] || continue
    dpkg-deb --raw-extract "$package" "$work/raw"
    sed -i 's/^Version: .*~/Version: 0.0.1~/' "$work/raw/DEBIAN/control"
    cp "$1/systemd/onair.toml" "$work/raw/etc/onair/"
    dpkg-deb --root-owner-group -Zgzip --build "$work/raw" "$work/older/onair_0.0.1~$target" >/dev/null
    rm -r "$work/raw"
  done
}

make_packages() {
  local folder
  read -r native < <("$root/board/package" --list)
  SOURCE_DATE_EPOCH=$(git -c safe.directory="$root" -C "$root" log -1 --format=%ct)
  export SOURCE_DATE_EPOCH
  copy_project "$work/copy"
  packages=${PACKAGES:-$work/packages}
  if [[ -z ${PACKAGES:-} ]]; then
    "$root/board/package" --out "$packages" || fail 70 'board/package failed'
    copy_project "$work/twin"
    for folder in copy twin; do
      "$work/$folder/board/package" --out "$work/$folder.packages" "$native" || miss "it cannot be built in the folder $folder"
    done
    if cmp "$work"/{copy,twin}.packages/*"~$native.deb"; then
      ok "$native: built in another folder, the same bytes"
    else
      miss "$native: built in another folder, other bytes"
    fi
  fi
  make_older "$work/copy"
}

# --- Boxes ----------------------------------------------------------------------------------------

# Runs a command in the tree while it does not run, with this machine's network.
in_tree() { "${sudo[@]}" systemd-nspawn --quiet --register=no --keep-unit --pipe --directory="$box" "$@" </dev/null; }

# Runs a command in the running container.
in_box() {
  "${sudo[@]}" nsenter --target "$leader" --all \
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}

boot_box() {
  # Debian 13 needs cgroups of the second version, which a host may have beside those of the first.
  start_bound "$work/console.log" "${sudo[@]}" env SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1 systemd-nspawn --quiet \
    --register=no --keep-unit --boot --directory="$box" --network-namespace-path="/run/netns/$network"
  container=$started
  wait_until has_leader || fail 70 "The container does not start: $(tail -n 20 "$work/console.log")"
  wait_until is_up || miss "the box does not boot: $(tail -n 20 "$work/console.log")"
}

# The process in the container's network that its own namespace knows as the first.
has_leader() {
  local pid
  for pid in $("${sudo[@]}" ip netns pids "$network"); do
    if [[ $(awk '/^NSpid:/ { print NF, $NF }' "/proc/$pid/status" 2>/dev/null) == '3 1' ]]; then
      leader=$pid
      return
    fi
  done
  return 1
}
is_up() { [[ $(in_box systemctl is-system-running 2>/dev/null) =~ ^(running|degraded)$ ]]; }

stop_box() {
  [[ -n $leader ]] || return 0
  in_box systemctl poweroff >/dev/null 2>&1 || true
  end_group "$container" TERM 20
  leader=''
}

# The box's HTTP API, by the socket.
api() { # PATH [OPTION...]
  local path=$1
  shift
  "${sudo[@]}" curl -sf --unix-socket "$box/var/lib/onair/control" "$@" "http://onair/api/$path"
}

box_has() { api status | tr -d ' \n' | holds -F "$1"; } # TEXT
expect_box() { # TEXT
  if wait_until box_has "$1"; then ok "$release: $1"; else miss "$release: the status does not have $1: $(api status)"; fi
}
expect_true() { # WHAT COMMAND...
  local what=$1
  shift
  if "$@" >"$work/said" 2>&1; then ok "$release: $what"; else miss "$release: not $what: $(<"$work/said")"; fi
}
expect_false() { # WHAT COMMAND...
  local what=$1
  shift
  if "$@" >"$work/said" 2>&1; then miss "$release: $what: $(<"$work/said")"; else ok "$release: not $what"; fi
}

has_picture() { # KEY
  local file
  file=$(recording "$1")
  [[ -n $file ]] && ffmpeg -v quiet -i "$file" -frames:v 1 -f null - </dev/null && ffprobe -v quiet -select_streams v -show_entries packet=pts "$file" | holds pts=
}
recordings() { find "$work/platform/recorded" -name "$1-*.flv" | wc -l; } # KEY

# What a package left in the tree.
remains() {
  "${sudo[@]}" find "$box" -xdev -path "$box/root" -prune -o \( -iname '*onair*' -o -lname '*onair*' \) -print
}

# --- A person's way -------------------------------------------------------------------------------

# Four commands on a fresh system, and what they take. The packages that OnAir needs are downloaded before, since that
# depends on the network.
install_and_go_live() { # KEY
  local since
  since=$(milliseconds)
  in_box apt-get install -y -qq /root/onair.deb >"$work/install.log" 2>&1 || miss "$release: $(tail -n 20 "$work/install.log")"
  figure "$release: installation s" $((($(milliseconds) - since) / 1000)) 0 60
  # What the person does not have to do.
  expect_box '"lamp":"off_air"'
  expect_true 'enabled' in_box systemctl is-enabled onair.service
  expect_true 'started' in_box systemctl is-active onair.service
  in_box onair set video.source pattern audio.source tone publish.url "rtmp://127.0.0.1:$rtmp_port/live" >"$work/said" || miss "$(<"$work/said")"
  in_box onair set publish.key - <<<"$1" >"$work/said" || miss "$(<"$work/said")"
  in_box onair start >"$work/said" || miss "$(<"$work/said")"
  if wait_until has_picture "$1"; then ok "$release: a picture at the server, after four commands"; else miss "$release: no picture: $(api status)"; fi
  figure "$release: from the package to a picture at a server s" $((($(milliseconds) - since) / 1000)) 0 60
  expect_box '"state":"delivering"'
  # The page's preview is written by libavformat, which is loaded only for this.
  api preview.mp4 --max-time 5 >"$work/preview" || true
  expect_true 'a preview for the page' grep -qa moof "$work/preview"
  expect_false 'an error in the journal' in_box journalctl -u onair.service -p err --quiet --grep .
}

upgrade_on_air() { # KEY
  local before
  in_box apt-get install -y -qq /root/older.deb >"$work/install.log" 2>&1 || miss "$release: $(tail -n 20 "$work/install.log")"
  in_box onair set video.source pattern audio.source tone video.fps 25 publish.url "rtmp://127.0.0.1:$rtmp_port/live" publish.key "$1" >/dev/null
  echo '# a line of the owner' | "${sudo[@]}" tee -a "$box/etc/onair/onair.toml" >/dev/null
  in_box onair start >/dev/null
  wait_until has_picture "$1" || miss "$release: no picture from the older build"
  before=$(in_box systemctl show --value -p MainPID onair.service)
  in_box apt-get install -y -qq -o Dpkg::Options::=--force-confold /root/onair.deb >"$work/install.log" 2>&1 || miss "$release: $(tail -n 20 "$work/install.log")"
  expect_false 'still running as before' [ "$before" = "$(in_box systemctl show --value -p MainPID onair.service)" ]
  expect_box "\"version\":\"$version\""
  expect_box '"state":"delivering"'
  expect_true 'on air again after the upgrade' [ "$(recordings "$1")" = 2 ]
  expect_settings
}

expect_settings() {
  expect_true "the owner's line is in the settings" grep -q '^# a line of the owner' "$box/etc/onair/onair.toml"
  expect_true 'the file is for root and the service alone' [ "$("${sudo[@]}" stat -c %a "$box/etc/onair/onair.toml")" = 640 ]
  api settings | grep '"video.fps"' >"$work/fps" || true
  expect_true 'video.fps is what was set' grep -q '"value": 25' "$work/fps"
}

remove_and_install_again() { # KEY
  in_box apt-get remove -y -qq onair >"$work/install.log" 2>&1 || miss "$release: $(tail -n 20 "$work/install.log")"
  expect_false 'a service after the removal' in_box systemctl is-active onair.service
  expect_false 'a program after the removal' test -e "$box/usr/bin/onair"
  in_box apt-get install -y -qq /root/onair.deb >"$work/install.log" 2>&1 || miss "$release: $(tail -n 20 "$work/install.log")"
  # It was on air when it was removed: a person decides anew.
  expect_box '"lamp":"off_air"'
  expect_settings
}

purge() {
  in_box apt-get purge -y -qq onair >"$work/install.log" 2>&1 || miss "$release: $(tail -n 20 "$work/install.log")"
  expect_false 'a service after the purge' in_box systemctl is-active onair.service
  remains >"$work/remains"
  expect_true 'nothing is left after the purge' [ ! -s "$work/remains" ]
  cat "$work/remains"
}

try_release() { # RELEASE TARGET
  local since
  release=$1
  "$root/Tests/fresh-debian" "$release" "$box" || fail 70 "The tree of $release cannot be made."
  "${sudo[@]}" cp "$packages"/*"~$2.deb" "$box/root/onair.deb"
  "${sudo[@]}" cp "$work/older"/*"~$2.deb" "$box/root/older.deb"
  since=$(milliseconds)
  in_tree apt-get update -qq >"$work/install.log" 2>&1
  in_tree apt-get install -y -qq --download-only /root/onair.deb >"$work/install.log" 2>&1 || miss "$release: $(tail -n 20 "$work/install.log")"
  figure "$release: download of what it needs s" $((($(milliseconds) - since) / 1000))
  boot_box
  install_and_go_live "$release-fresh"
  purge
  upgrade_on_air "$release-upgrade"
  remove_and_install_again
  purge
  stop_box
  # lintian of the same release; the one for boards, too.
  "${sudo[@]}" cp "$packages"/*"~${2%_*}"_*.deb "$box/root/"
  in_tree apt-get install -y -qq --no-install-recommends lintian >"$work/install.log" 2>&1
  expect_true 'lintian finds no error' in_tree bash -c 'lintian --allow-root --fail-on error /root/onair_*.deb'
  cat "$work/said"
  "${sudo[@]}" rm -rf --one-file-system "$box"
}

install_packages "$work/install.log" "${container_packages[@]}"
become_root 'for containers'
make_packages
version=$(sed -nE 's/.*current = "(.*)"/\1/p' "$root/Sources/Figures/Version.swift")
"${sudo[@]}" ip netns add "$network"
"${sudo[@]}" ip -n "$network" link set lo up
rtmp_port=1935
mkdir "$work/platform"
start_bound "$work/platform.log" "${sudo[@]}" ip netns exec "$network" "$root/board/platform" "$work/platform" --rtmp "$rtmp_port" --http 8088 --record
wait_until test -s "$work/platform/nginx.pid" || fail 70 'The server does not start.'
for package in "$packages"/*_amd64.deb; do
  case $package in
    *~deb12_*) try_release bookworm deb12_amd64 ;;
    *~deb13_*) try_release trixie deb13_amd64 ;;
  esac
done
conclude
