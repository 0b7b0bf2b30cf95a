#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A camera and a microphone that are missing, busy or forbidden, and no network: one sentence each,
# and it goes on when the cause is gone.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

begin_platform
cat >"$work/troubles" <<'END'
set -u
misses=0
run() { # KEY SETTING…
  key=$1
  shift
  arguments=
  for setting in "$@"; do arguments="$arguments --set $setting"; done
  $as ./onair run --set "publish.url=$URL" --set "publish.key=$key" \
    --set state.directory=/tmp/state-$key --set publish.autostart=always --set video.size=320x180 $arguments >/tmp/$key.log 2>&1 &
  onair=$!
}
as=
stop() { kill -INT $onair; wait $onair; }
back() { # the camera's picture is there again, and stays for a while
  expect 'Picture: .*320x180' 6
  sleep 3
}
expect() { # PATTERN SECONDS
  tries=$(($2 * 10))
  while [ $tries -gt 0 ]; do
    if line=$(tr -d '\0' </tmp/$key.log | grep -E -m 1 -- "$1"); then
      echo "ok      troubles: $line"
      return
    fi
    sleep 0.1
    tries=$((tries - 1))
  done
  echo "FAILED  troubles: no line like \"$1\" within $2 s in:"
  tr -d '\0' </tmp/$key.log
  misses=$((misses + 1))
}
again() { # what was said so far does not count (the program writes on behind a hole)
  : >/tmp/$key.log
}

echo 'Camera missing, then plugged in'
v4l2-ctl -c test_pattern=0 2>/dev/null || true
devices down camera
run missing video.source=camera audio.source=none
expect 'Picture: No camera was found' 5
again; devices up camera
back
echo 'Camera pulled out while in use, then back'
stop
run pulled video.source=camera audio.source=none
expect 'Picture: .*320x180' 6
sleep 1
v4l2-ctl -c disconnect=1 2>/dev/null || true
again
back
stop
devices down camera; devices up camera

echo 'Camera busy, then free'
v4l2-ctl --stream-mmap --stream-count=100000 >/dev/null 2>&1 &
holder=$!
sleep 1
run busy video.source=camera:/dev/video0 audio.source=none
expect 'Picture: .*used by' 5
again; kill $holder
back
stop

echo 'Camera forbidden, then allowed'
chmod 600 /dev/video*; chown root /dev/video*
chown onair . ; as="setpriv --reuid onair --regid onair --init-groups"
run forbidden video.source=camera:/dev/video0 audio.source=none
expect 'Picture: .*group video' 5
again; chmod 666 /dev/video*
back
stop

echo 'Microphone missing, forbidden, busy; then not'
devices down sound
as=
run nomic video.source=none audio.source=microphone
expect 'Sound: There is no microphone' 5
again; devices up sound
expect 'Sound: .*(48000|48 kHz|Hz)' 6
stop
chmod 600 /dev/snd/pcm* /dev/snd/control*; chown root /dev/snd/*
as="setpriv --reuid onair --regid onair --init-groups"
run nomicright video.source=none audio.source=microphone:hw:Loopback,1,0
expect 'Sound: .*group .?audio' 5
again; chmod 666 /dev/snd/*
expect 'Sound: .*(48000|48 kHz|Hz)' 6
stop
as=
arecord -q -D hw:Loopback,1,0 -f S16_LE -r 48000 -c 2 /dev/null &
holder=$!
sleep 1
run busymic video.source=none audio.source=microphone:hw:Loopback,1,0
expect 'Sound: .*(used by|in use|busy)' 5
again; kill $holder
expect 'Sound: .*(48000|48 kHz|Hz)' 6
stop

echo 'No network, then one'
ip link set eth0 down
run nonet video.source=pattern audio.source=tone
expect '(no way to|Nobody answers|network)' 20
again; ip link set eth0 up; ip route replace default via 10.0.2.2
expect 'takes the stream' 10
stop
exit $misses
END
"$root/board/lab" --timeout 300 --env "URL=rtmp://10.0.2.2:$rtmp_port/live" --out "$work/out" \
  "$work/troubles" || miss "$? of the board's checks failed"
# What is told is what viewers see: vivid's red and blue bars at the end of each.
for key in missing pulled busy forbidden; do
  late=$("$root/board/received" "$(recording $key)" --json | sed 's/.*"seconds": \([0-9.]*\).*/\1/' | awk '{ print $1 - 0.5 }')
  expect_pixels $key "$late" 16 220,172=191,0,0 260,172=0,0,191
done
conclude
