#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Malformed and hostile servers: see Tests/Nightly/30-fuzz.sh --help.
set -euo pipefail
# shellcheck source=board/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../board/lib.sh"

usage() {
  cat <<'END'
Usage: Tests/Nightly/30-fuzz.sh [--seconds N] [--build] [INPUT…]

Lets libFuzzer play the RTMP server, from the handshake on, for 180 s or as long as --seconds says.
All code that reads its input is the real one, built with AddressSanitizer: the session in Swift
(Sources/Publish), and Debian's librtmp, compiled from its source package. Tests/Fuzz has the
fuzzer's part; .lab/fuzz keeps the build, the corpus, and the inputs that failed.

  INPUT…   runs only these inputs, each once
  --build  only builds

Exit codes: 0, 1 an input failed, 64 wrong option, 69 a needed package is not available.
END
}

seconds=180 build_only=no inputs=()
while (($# > 0)); do
  case $1 in
    --help)
      usage
      exit 0
      ;;
    --build) build_only=yes ;;
    --seconds)
      [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || fail 64 '30-fuzz.sh: --seconds needs a number'
      seconds=$2
      shift
      ;;
    -*) fail 64 "30-fuzz.sh: there is no option \"$1\"; see --help" ;;
    *) inputs+=("$(realpath -- "$1")") ;;
  esac
  shift
done

guard
lab=$root/.lab/fuzz
mkdir -p "$lab"/{lib,modules,corpus,found,log}
prepare "$lab/log/install.log" "${build_packages[@]}" "${test_packages[@]}"
swift_bin=$(dirname "$(readlink -f "$(command -v swift)")")
clang=$swift_bin/clang
if [[ -z $(find "$("$clang" --print-resource-dir)/" -name 'libclang_rt.fuzzer-*.a') ]]; then
  fail 69 "The Swift in $swift_bin has no libFuzzer (libclang_rt.fuzzer)." \
    'The one from https://www.swift.org/install/linux/ has it: unpack it as /opt/swift.'
fi

# --- Debian's librtmp, from source ----------------------------------------------------------------

# Fetches the source package of the installed library with an apt configuration of its own, so that
# the machine's sources stay unchanged.
fetch_librtmp() { # VERSION
  local apt=$lab/apt mirror suite
  # shellcheck disable=SC2016  # apt's own placeholder
  mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Origin: Debian' \
    'Label: Debian' 'Component: main' | head -n 1)
  # shellcheck source=/dev/null
  suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
  if [[ -z $mirror ]]; then
    echo "apt's sources on this machine name no mirror of Debian."
    return 1
  fi
  rm -rf "$apt" "$lab/source"
  mkdir -p "$apt"/{lists,cache/archives}/partial
  echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" \
    >"$apt/sources.list"
  cat >"$apt/conf" <<CONF
Dir::State "$apt";
Dir::Cache "$apt/cache";
Dir::Etc::SourceList "$apt/sources.list";
Dir::Etc::SourceParts "/dev/null";
APT::Sandbox::User "";
Acquire::Languages "none";
CONF
  export APT_CONFIG=$apt/conf
  apt-get -q update && cd "$apt" && apt-get -q --download-only source "rtmpdump=$1" &&
    dpkg-source --extract ./*.dsc "$lab/source"
}

# As Debian builds it, plus the sanitizers. Not reported: undefined behaviour that Debian's compiler
# and the common processors define. librtmp adds 0 to null pointers, shifts into sign bits, and
# reads unaligned words.
compile_librtmp() {
  local name flags
  flags=(-O1 -g -fno-omit-frame-pointer -w -I "$lab/include/librtmp")
  flags+=('-DRTMPDUMP_VERSION="v2.4"' -DUSE_GNUTLS -fno-sanitize-recover=undefined)
  flags+=("-fsanitize=address,undefined,fuzzer-no-link")
  flags+=("-fno-sanitize=alignment,pointer-overflow,shift-base")
  rm -rf "${lab:?}/lib" "$lab/include" && mkdir -p "$lab/lib" "$lab/include" || return
  ln -s ../source/librtmp "$lab/include/librtmp" || return
  for name in rtmp log amf hashswf parseurl; do
    "$clang" "${flags[@]}" -c "$lab/source/librtmp/$name.c" -o "$lab/lib/$name.o" || return
  done
  "$swift_bin/llvm-ar" rcs "$lab/lib/librtmp.a" "$lab"/lib/*.o
}

make_librtmp() {
  local version
  # "+b2" is a rebuild of the same source.
  version=$(dpkg-query -W -f '${source:Version}' librtmp-dev)
  [[ $(cat "$lab/lib/version" 2>/dev/null) != "$version" ]] || return 0
  fetch_librtmp "$version" && compile_librtmp && echo "$version" >"$lab/lib/version"
}

# --- OnAir's part ---------------------------------------------------------------------------

make_fuzzer() {
  local module flags files
  flags=(-O -g -wmo -parse-as-library -swift-version 6 -package-name onair -enable-testing)
  flags+=(-strict-memory-safety -warnings-as-errors -enable-upcoming-feature ExistentialAny)
  flags+=(-enable-upcoming-feature InternalImportsByDefault "-sanitize=fuzzer,address" -use-ld=lld)
  flags+=(-Xcc "-I$lab/include" -I "$root/Sources/CGnuTLS" -I "$root/Sources/CPosix")
  flags+=(-I "$root/Sources/CRTMP" -I "$root/Sources/CFFmpeg")
  flags+=(-I "$lab/modules")
  rm -rf "$lab/modules" && mkdir "$lab/modules" && cd "$lab/modules" || return
  for module in Base Posix Media Mux Publish; do
    mapfile -t files < <(find "$root/Sources/$module" -name '*.swift')
    swiftc "${flags[@]}" -module-name "$module" -emit-module -c "${files[@]}" -o "$module.o" || return
  done
  # librtmp.a takes precedence over the installed library.
  swiftc "${flags[@]}" -module-name Fuzz -emit-executable "$root"/Tests/Fuzz/*.swift ./*.o \
    -L "$lab/lib" -lrtmp -lgnutls -lhogweed -lnettle -lgmp -lz -o "$lab/fuzz"
}

run_step_or_fail 69 'Building librtmp from source' "$lab/log/librtmp.log" make_librtmp
run_step_or_fail 69 'Building the fuzzer' "$lab/log/build.log" make_fuzzer
[[ $build_only == no ]] || exit 0

# --- Fuzzing --------------------------------------------------------------------------------------

export ASAN_OPTIONS=detect_stack_use_after_return=1:quarantine_size_mb=32
export UBSAN_OPTIONS=print_stacktrace=1
# Swift's own backtracer reads memory that AddressSanitizer protects, and then hangs.
export SWIFT_BACKTRACE=enable=no
if ((${#inputs[@]} > 0)); then exec "$lab/fuzz" "${inputs[@]}"; fi

rm -rf "$lab/seeds"
mkdir -p "$lab/seeds"
"$lab/fuzz" --seeds "$lab/seeds"

# 25 s for one input is a hang, even on a busy machine. No conversation needs more than about 100 kB;
# the rest of the memory is for AddressSanitizer and the fuzzer.
if ! run_step "Fuzzing for $(seconds_text "$seconds")" "$lab/log/run.log" "$lab/fuzz" \
  -max_total_time="$seconds" -max_len=20000 -timeout=25 \
  -rss_limit_mb=1024 -malloc_limit_mb=64 -dict="$root/Tests/Fuzz/dictionary.txt" \
  -artifact_prefix="$lab/found/" "$lab/corpus" "$lab/seeds"; then
  grep -aE -A 12 'ERROR: |runtime error: |Fatal error' "$lab/log/run.log" | head -n 40 >&2 || true
  fail 1 "$(grep -ao 'Test unit written to .*' "$lab/log/run.log" || tail -n 3 "$lab/log/run.log")" \
    "To see it again: Tests/Nightly/30-fuzz.sh FILE. The whole log is $lab/log/run.log."
fi
# A fuzzer that does not get past the handshake would find nothing.
reached=$(sed -nE 's/^#.* cov: ([0-9]+) .*/\1/p' "$lab/log/run.log" | tail -n 1)
runs=$(sed -nE 's/^Done ([0-9]+) runs.*/\1/p' "$lab/log/run.log")
echo "figure  30-fuzz/conversations  ${runs:-0}"
echo "figure  30-fuzz/branches reached  ${reached:-0}"
((${reached:-0} >= 1000)) || fail 1 'The conversations do not get as far as they should.'
