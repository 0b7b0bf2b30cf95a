#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The program against every server of the table (Tests/FakeServer/BadServers.swift) at once, with its
# real deadlines: for each the sentence, the code, the seconds, the next try. Then all are stopped.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

bad_servers=${BAD_SERVERS:-$root/.build/release/BadServers}
if [[ -z ${BAD_SERVERS:-} ]]; then
  (cd "$root" && swift build -c release --static-swift-stdlib --product BadServers) >"$work/build" 2>&1 || {
    show_log_tail "$work/build"
    fail 70 'The bad servers cannot be built.'
  }
fi
start "$work/table" "$bad_servers"
wait_for_line "$work/table" '^$' 10 || fail 70 'The bad servers do not start.'

names=() urls=() codes=() gists=() deadlines=() retries=() loads=()
while IFS=$'\t' read -r server url code gist deadline retry load && [[ -n $server ]]; do
  names+=("$server") urls+=("$url") codes+=("$code") gists+=("$gist")
  deadlines+=("$deadline") retries+=("$retry") loads+=("$load")
  # The same once more by a name that has no other address.
  if [[ $server == 'IPv6 only' ]]; then
    names+=("$server, by name") urls+=("${url/'[::1]'/ipv6-only.test}") codes+=("$code")
    gists+=("$gist") deadlines+=("$deadline") retries+=("$retry") loads+=("$load")
  fi
done <"$work/table"
echo '::1 ipv6-only.test' >"$work/hosts"

# --- All of them in one process group -------------------------------------------------------------

# Puts the microseconds before each line. It outlives the program, to hear its last word.
# shellcheck disable=SC2317  # called by "start"
stamp() {
  local line
  trap '' TERM
  while IFS= read -r line; do printf '%s %s\n' "${EPOCHREALTIME/[.,]/}" "$line"; done
}

# shellcheck disable=SC2317  # called by "start"
run_one() { # INDEX
  local index=$1 input=/dev/null settings=(video.source=pattern) wrapper=''
  # It puts itself before the C library's own look-up of names.
  [[ ${urls[index]} != *ipv6-only* ]] || wrapper=libnss_wrapper.so
  case ${loads[index]} in
    # Noise, which no encoder makes small.
    stream) input=/dev/urandom settings=(video.source=pipe) ;;
    flood) input=/dev/urandom settings=(video.source=pipe video.bitrate_kbps=6000 video.fps=30 video.size=320x180) ;;
  esac
  local setting arguments=()
  for setting in video.size=160x90 video.fps=5 video.bitrate_kbps=1000 audio.source=none publish.key=k3y \
    publish.autostart=always page.listen= \
    "publish.url=${urls[index]}" "state.directory=$work/state-$index" "${settings[@]}"; do
    arguments+=(--set "$setting")
  done
  # A handler, not '': that would be handed on to the program.
  trap : TERM
  NSS_WRAPPER_HOSTS=$work/hosts LD_PRELOAD=$wrapper "$onair" run "${arguments[@]}" <"$input" 2>&1 |
    stamp >"$work/$index.log"
  echo "${PIPESTATUS[0]}" >"$work/$index.status"
}

# shellcheck disable=SC2317  # called by "start"
run_all() {
  local index
  trap : TERM
  for index in "${!names[@]}"; do run_one "$index" & done
  while ! wait; do :; done
}

start "$work/group.log" run_all
group=$started

# --- What each says -------------------------------------------------------------------------------

# The line that tells it: the first with a code, or for a server that is not bad that it goes well. That
# nothing is confirmed is told of some before it is known why.
telling() { # INDEX
  local pattern='\[code: '
  [[ ${codes[$1]} != - ]] || pattern='takes the stream'
  grep -e "$pattern" "$work/$1.log" 2>/dev/null | grep -m 1 -vF '[code: unconfirmed]'
}

deadline=$((SECONDS + 30))
while ((SECONDS < deadline)); do
  missing=0
  for index in "${!names[@]}"; do telling "$index" >/dev/null || missing=1; done
  ((missing)) || break
  sleep 0.5
done

printf '%-44s %-32s %7s  %-22s %s\n' server code seconds 'next try' sentence
for index in "${!names[@]}"; do
  log=$work/$index.log
  if ! line=$(telling "$index"); then
    miss "${names[index]}: nothing was told in:"$'\n'"$(cat "$log" 2>/dev/null)"
    continue
  fi
  begun=$(grep -m 1 'Connecting to' "$log" | cut -d ' ' -f 1)
  took=$(((${line%% *} - begun) / 1000))
  code=$(sed -n 's/.*\[code: \(.*\)\]$/\1/p' <<<"$line")
  next=$(sed -nE 's/.* (Next try in|Trying again) ([0-9]+ s(, then less often)?|at once)\..*/\2/p' <<<"$line")
  said=$(sed -E 's/^[0-9]+ [0-9:]+ (warning: )?//; s/ (It has failed [0-9]+ times now\. )?(Next try in|Trying again) .*//; s/ \[code: .*//' <<<"$line")
  printf '%-44s %-32s %3d.%03d  %-22s %s\n' "${names[index]}" "$code" $((took / 1000)) $((took % 1000)) "$next" "$said"

  [[ "|${codes[index]}|" == *"|${code:--}|"* ]] || miss "${names[index]}: the code is $code, not ${codes[index]}"
  [[ $said == *"${gists[index]}"* ]] || miss "${names[index]}: the sentence does not say \"${gists[index]}\""
  # Buffers fill before a link is too slow; and forty programs begin at once.
  allowed=$((deadlines[index] + 1500))
  [[ ${loads[index]} == nothing ]] || allowed=$((allowed + 12000))
  ((took <= allowed)) || miss "${names[index]}: told after $took ms, allowed are $allowed"
  if [[ ${codes[index]} == timed_out_* ]]; then
    ((took >= deadlines[index] - 100)) || miss "${names[index]}: told after $took ms, before the deadline of ${deadlines[index]}"
  fi
  wanted=${retries[index]}
  [[ $code != link_too_slow ]] || wanted=none
  case $wanted in
    none) [[ -z $next ]] ;;
    # A connection that has carried the stream is made anew at once.
    even) [[ $next == '2 s' || $next == 'at once' ]] ;;
    growing) [[ $next == '2 s, then less often' ]] ;;
  esac || miss "${names[index]}: next try \"$next\", not $wanted"
done

# --- None has crashed, and all stop ---------------------------------------------------------------

programs() { pgrep -g "$group" -x "$(basename "$onair")" || true; }

mapfile -t running < <(programs)
if ((${#running[@]} == ${#names[@]})); then
  ok "${#running[@]} programs in one process group, all still at it"
else
  miss "${#running[@]} of ${#names[@]} programs are left"
fi
most=0
for process in "${running[@]}"; do
  count=$(find "/proc/$process/fd" -mindepth 1 2>/dev/null | wc -l)
  ((count <= most)) || most=$count
done
if ((most <= 40)); then ok "$most descriptors at most"; else miss "$most descriptors in one program"; fi

begun=${EPOCHREALTIME/[.,]/}
kill -TERM -- "-$group"
until [[ -z $(programs) ]] || ((${EPOCHREALTIME/[.,]/} - begun > 5000000)); do sleep 0.05; done
took=$(((${EPOCHREALTIME/[.,]/} - begun) / 1000))
if ((took <= 2000)); then ok "all stopped within $took ms"; else miss "it took $took ms until all had stopped"; fi
sleep 0.5
for index in "${!names[@]}"; do
  status=$(cat "$work/$index.status" 2>/dev/null || true)
  [[ $status == 0 ]] || miss "${names[index]}: exit ${status:-unknown}: $(tail -n 3 "$work/$index.log")"
done
if grep -l k3y "$work"/*.log; then miss 'a key was shown'; fi
conclude
