#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The Debian package for boards, made of the debug build: what is in it, what it depends on, what lintian says, and that
# packing it again gives the same bytes. Tests/Nightly/95-package.sh installs packages.
#
# needs: board/build
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

mkdir "$work/programs"
read -r native < <("$root/board/package" --list)
ln -s "$onair" "$work/programs/$native"
ln -s "$("$root/board/lab" "${board_build[@]}" --build 2>"$work/lab.log")" "$work/programs/deb13_arm64"
for turn in first second; do
  "$root/board/package" --programs "$work/programs" --out "$work/$turn" --quick deb13_arm64 >"$work/$turn.log" 2>&1 ||
    miss "board/package: $(tail -n 20 "$work/$turn.log")"
done
package=$(tail -n 1 "$work/first.log")
if cmp "$package" "$(tail -n 1 "$work/second.log")"; then ok 'packed twice, the same bytes'; else miss 'packed twice, not the same'; fi

version=$("$onair" --version)
expect_equal version "$(dpkg-deb -f "$package" Version)" "$version~deb13"
expect_equal 'settings that dpkg keeps' "$(dpkg-deb -I "$package" conffiles)" /etc/onair/onair.toml

# Everything that a service of systemd consists of, and what a person looks for.
dpkg-deb -c "$package" | awk '{ print $1, substr($6, 2) }' >"$work/content"
while read -r file; do
  if grep -qx -- "-rw\?.* $file" "$work/content"; then ok "$file"; else miss "$file is not in the package"; fi
done <<'END'
/usr/bin/onair
/usr/lib/onair/onair-filter
/usr/include/onair/filter.h
/usr/share/doc/onair/examples/poster.c
/usr/lib/systemd/system/onair.service
/usr/lib/sysusers.d/onair.conf
/usr/lib/tmpfiles.d/onair.conf
/usr/lib/udev/rules.d/60-onair.rules
/usr/lib/systemd/system/onair-guest.socket
/usr/lib/systemd/system/onair-guest@.service
/usr/lib/systemd/system/system-onairguests.slice
/usr/lib/systemd/system/onair-media@.service
/usr/lib/udev/rules.d/61-onair-media.rules
/etc/onair/onair.toml
/usr/share/man/man1/onair.1.gz
/usr/share/man/man5/onair.toml.5.gz
/usr/share/bash-completion/completions/onair
/usr/share/zsh/vendor-completions/_onair
/usr/share/fish/vendor_completions.d/onair.fish
/usr/share/doc/onair/changelog.gz
/usr/share/doc/onair/copyright
/usr/share/doc/onair/NOTICE
/usr/share/onair/boards/raspberry-pi-4/wiring.svg
END

# Each library that the program is linked with, or loads, is a dependency: by the name of its package in Debian 13.
depends=$(dpkg-deb -f "$package" Depends)
for library in libc6 libavcodec61 libavformat61 libx264-164 libasound2t64 libgnutls30t64 librtmp1 libgpiod3; do
  if [[ ", $depends" == *", $library ("* ]]; then ok "needs $library"; else miss "does not need $library: $depends"; fi
done

if lintian --fail-on error --suppress-tags unstripped-binary-or-object "$package" >"$work/lintian" 2>&1; then
  ok "lintian: $(grep -c '^W' "$work/lintian" || true) warnings"
else
  miss "lintian: $(<"$work/lintian")"
fi

# The documents.
tree=$work/tree
dpkg-deb -x "$package" "$tree"
for page in man1/onair.1.gz man5/onair.toml.5.gz; do
  said=$(LC_ALL=C.UTF-8 MANROFFSEQ='' man --warnings -E UTF-8 -l -Tutf8 -Z "$tree/usr/share/man/$page" 2>&1 >/dev/null)
  expect_equal "warnings about $page" "$said" ''
done
# Those of a track, a relay, an overlay or a filter are in a table of their own.
# shellcheck disable=SC2016  # Markdown's quotes, not the shell's
"$onair" settings --markdown | sed -n 's/^| `\([a-zA-Z_.]*\)`.*/\1/p' | sed -E 's/^(track|relay|overlay|filter|guest|layout|schedule)\.NAME\.//' >"$work/keys"
zcat "$tree/usr/share/man/man5/onair.toml.5.gz" | sed -n 's/^\\fB\(.*\)\\fR = .*/\1/p' >"$work/keys-of-page"
if cmp "$work/keys" "$work/keys-of-page"; then ok "the page has all $(wc -l <"$work/keys") settings"; else miss 'settings are missing in onair.toml(5)'; fi
if zcat "$tree/usr/share/man/man5/onair.toml.5.gz" | holds -F '[[relay]]'; then ok 'the page knows relays'; else miss 'no [[relay]] in onair.toml(5)'; fi
if zcat "$tree/usr/share/man/man1/onair.1.gz" | holds '^\.SH RELAYS'; then ok 'onair(1) tells of the service'; else miss 'onair(1) lacks what systemd/README.md says'; fi
# Which commands have an option is told by each command, not by a list at each option.
if zcat "$tree/usr/share/man/man1/onair.1.gz" | holds 'unmute, reconnect'; then miss 'onair(1) repeats the commands'; else ok 'onair(1) is brief'; fi

# What the shell offers after some words.
offers() { # WORD...
  bash -c '. "$0"; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE}
    _onair onair "${!#}" "${@: -2:1}"; echo "${COMPREPLY[@]}"' "$tree/usr/share/bash-completion/completions/onair" "$@"
}
expect_equal 'onair sta, Tab' "$(offers onair sta | tr -s ' ' | sed 's/ $//')" 'start status'
expect_equal 'onair set video.ro, Tab' "$(offers onair set video.ro | tr -s ' ' | sed 's/ $//')" video.rotate

# The settings of a board open the page to the network, as those of the package do.
listens() { "$onair" settings --json --config "$1" --set "state.directory=$work" | sed -n '/"page.listen"/s/.*"value": \("[^"]*"\).*/\1/p'; }
for file in "$tree"/usr/share/onair/boards/*/onair.toml; do
  expect_equal "page.listen of $(basename "${file%/*}")" "$(listens "$file")" "$(listens "$tree/etc/onair/onair.toml")"
done
conclude
