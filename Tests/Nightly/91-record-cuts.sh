#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The board loses its power CUTS times while it records, on vfat and on ext4 in turn: in the middle of a film, while one is
# finished, and while the next one begins. After the next boot the file system is mended, OnAir has mended the films and
# records again, and every film plays: the last one up to 2 s before what the status had told. SEED picks the moments: to go on
# where it stopped, give the rest of CUTS and another SEED.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

cuts=${CUTS:-50}
RANDOM=${SEED:-7}
cat >"$work/record" <<'END'
set -u
kept=/tmp/kept
mkdir -p $kept
if [ "$FS" = vfat ]; then
  modprobe -a vfat nls_cp437 nls_ascii
  [ "$(blkid -s TYPE -o value /dev/vdc)" = vfat ] || mkfs.vfat -F 32 /dev/vdc >/dev/null
  # 1: mistakes were mended.
  fsck.vfat -a /dev/vdc >"$OUT/fsck" || [ $? = 1 ] || { echo "no fsck: $(cat "$OUT/fsck")"; exit 1; }
else
  e2fsck -p /dev/vdc >"$OUT/fsck" || [ $? = 1 ] || { echo "no fsck: $(cat "$OUT/fsck")"; exit 1; }
fi
mount -t "$FS" /dev/vdc $kept || exit 1
mkdir -p $kept/films /tmp/state
chmod 700 /tmp/state
(umask 077 && echo "$SPEED" >/tmp/state/speed.json)
api() { path=$1; shift; curl -s --max-time 60 --unix-socket /tmp/state/control "$@" "http://onair/api/$path"; }
./onair run --set publish.url=rtmp://127.0.0.1/live --set publish.key=none --set publish.autostart=never \
  --set state.directory=/tmp/state --set video.source=pattern --set audio.source=tone --set video.size=160x90 --set video.fps=10 \
  --set video.speed=superfast --set page.listen= --set record.start=always --set record.keep_free_mb=1 \
  --set "record.directory=$kept/films" >"$OUT/onair.log" 2>&1 &
recorded() { api status | grep -o '"record":{.*' | grep -o '"state":"recording".*\|.*"state":"recording"'; }
tries=1200
until recorded >/dev/null; do
  sleep 0.5
  tries=$((tries - 1))
  [ $tries -gt 0 ] || { echo "nothing is recorded: $(api status) $(tail -n 5 "$OUT/onair.log")"; exit 1; }
done
# What is not being written is finished now: it goes to the host, and all but the newest to nowhere.
running=$(api recordings | tr '{' '\n' | grep '"running":true' | sed 's/.*"file":"\([^"]*\)".*/\1/')
for film in $kept/films/[!.]*.mp4; do
  [ "${film##*/}" != "$running" ] || continue
  cp "$film" "$OUT/" && rm "$film"
done
echo ready
# What has certainly been written, until the power is cut; and a new film now and then.
round=0
while :; do
  round=$((round + 1))
  api recordings | tr '{' '\n' | grep '"running":true' | sed 's/.*"file":"\([^"]*\)".*/film \1/'
  api status | grep -o '"record":{[^}]*}' | sed 's/.*"seconds":\([0-9]*\).*/seconds \1/'
  [ $((round % EVERY)) != 0 ] || { api record/stop -X POST >/dev/null; api record/start -X POST >/dev/null; echo again; }
done
END

# The films of the boot before: each plays, and the last one has what the status had told.
examine() { # FOLDER OUTPUT-OF-THE-BOOT-BEFORE WHAT
  local film name said seconds lasting bad=''
  for film in "$1"/*.mp4; do
    [[ -e $film ]] || continue
    said=$(wrong_with "$film")
    [[ -z $said ]] || bad+=" ${film##*/}: $said"
  done
  # The length counts all films of a recording: it is that of the last one if it was the first.
  name=$(sed -n 's/^film //p' "$2" | tail -n 1)
  seconds=$(awk '/^again|^ready/ { seconds = "" } /^seconds/ { seconds = $2 } END { print seconds }' "$2")
  [[ -n $name ]] || bad+=' nothing was told of a film before the cut'
  [[ -n $(find "$1" -name '*.mp4') ]] || bad+=' there is no film'
  if [[ -n $seconds && -n $name ]]; then
    if [[ -e $1/$name ]]; then
      lasting=$(ffprobe -v error -show_entries format=duration -of csv=p=0 "$1/$name")
      awk -v a="$lasting" -v b="$seconds" 'BEGIN { exit !(a >= b - 2) }' || bad+=" $name lasts $lasting s, not $seconds"
    else
      # A film that began before the clock was set gets its name when it ends.
      bad+=" $name is missing in $(ls "$1")"
    fi
  fi
  if [[ -z $bad ]]; then ok "$3: $(find "$1" -name '*.mp4' | wc -l) films play, ${name:-none} with ${lasting:-no} s of ${seconds:-no}"; else miss "$3:$bad"; fi
}

kinds=(vfat ext4)
((cuts > 1)) || kinds=(vfat)
disks=${#kinds[@]}
for ((cut = 1; cut <= cuts + disks; cut++)); do
  kind=${kinds[cut % disks]}
  start "$work/boot-$cut" run_on_board --timeout 1700 --disk "$work/disk-$kind" --env "FS=$kind" \
    --env "EVERY=$((2 + RANDOM % 6))" --env "SPEED=$board_speed" --out "$work/out-$cut" "$work/record"
  lab=$started
  if ! wait_for_line "$work/boot-$cut" '^ready' 1600; then
    miss "boot $cut on $kind: $(tail -n 5 "$work/boot-$cut")"
    break
  fi
  ((cut <= disks)) || examine "$work/out-$cut" "$work/boot-$((cut - disks))" "cut $((cut - disks)) on $kind"
  rm -rf "$work/out-$((cut - disks))"
  sleep "$((3 + RANDOM % 10)).$((RANDOM % 1000))"
  pkill -KILL -f "file=$work/disk-$kind" || miss 'the board had ended by itself'
  end_group "$lab" TERM 10
done
conclude
