#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Filters that are processes of their own: the example of board/filter, built with gcc, and a plug-in of frei0r where that is
# installed. The process is killed, hangs and sends nonsense while live: one connection, no gap, and a sentence about each.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

mkdir -m 755 "$work/filters"
gcc -O2 -Wall -Wextra -Werror -I "$root/Sources/CFilter/include" "$root/board/filter/poster.c" -o "$work/filters/poster"
gcc -O2 -I "$root/Sources/CFilter/include" "$root/Tests/Hostile/filter.c" -o "$work/filters/sleeps" -lpthread
export ONAIR_FILTERS=$work/filters
change() { # SETTING=VALUE...
  if ask top set "${@/#/filter.}" >"$work/answer" 2>&1; then sleep 2; else miss "set $*: $(<"$work/answer")"; fi
}
# The number of a process of the OnAir under test, by its name.
child() { pgrep -x "$1" -P "$program"; }
has_child() { [[ -n $(child "$1") ]]; }
lacks_child() { ! has_child "$1"; }

start_server
# Few frames a second: a busy machine has time for them.
go_on_air top video.source=pattern audio.source=tone video.size=640x360 video.fps=10
expect_delivered top
sleep 2
change poster.kind=outside poster.program=poster poster.parameters=steps=2
if wait_until has_child poster; then ok 'the program runs'; else miss 'the program does not run'; fi
sleep 2
# Killed: the frames are shown without it, a sentence says so, and nothing is left of it.
kill -KILL "$(child poster)"
expect_line "$work/top.log" 'The filter "poster" is off: it was ended by the system \(SIGKILL\).*filter\.poster\.enabled.*filter_off'
if wait_until lacks_child poster; then ok 'nothing is left of it'; else miss 'a process is left'; fi
expect_status top '"subject":"filter.poster"'
sleep 2
change poster.enabled=false
expect_line "$work/top.log" 'The trouble with filter\.poster is over'
change poster.enabled=true
wait_until has_child poster || miss 'the program does not run again'
sleep 2
# Its own sentence about wrong parameters; right ones let it go on.
change poster.parameters=steps=99
expect_line "$work/top.log" 'The filter "poster" is off: it takes the parameters "steps=2"'
change poster.parameters=steps=3
wait_until has_child poster || miss 'the program does not run with other parameters'
change poster.removed=true
# One that takes each frame and never answers.
change lazy.kind=outside lazy.program=sleeps
expect_line "$work/top.log" 'The filter "lazy" is off: it has not answered for a second'
change lazy.removed=true
# What is not a file of the folder, and a folder that others can change.
if ask top set filter.bad.kind=outside filter.bad.program=../../bin/sh >"$work/answer" 2>&1; then
  miss 'a path was taken for the name of a program'
else
  ok "$(head -n 1 "$work/answer")"
fi
chmod 777 "$work/filters"
change open.kind=outside open.program=poster
expect_line "$work/top.log" 'The filter "open" is off: it cannot use .*: others than root can change it'
change open.removed=true
change plug.kind=frei0r plug.plugin=invert0r
if [[ -n $(find /usr/lib/frei0r-1 /usr/lib/*/frei0r-1 -name invert0r.so 2>/dev/null) ]]; then
  if wait_until has_child onair-filter; then ok 'a plug-in of frei0r runs'; else miss 'no plug-in runs'; fi
  sleep 2
else
  echo "skipped $name: a plug-in of frei0r runs: frei0r-plugins is not installed"
  expect_line "$work/top.log" 'The filter "plug" is off: it needs the plug-in invert0r, which is not installed'
fi
change plug.removed=true
sleep 1
go_off_air
expect_received top --min-seconds 30 --max-av-ms 1000 --max-gap-ms 350 --size 640x360
expect_line "$work/top.log" '0 packets dropped, 0 reconnect'

# Luma in the middle of the fourth bar, which is green, of full range (137): 255 of two steps, 127 of three, 118 of the plug-in that
# inverts. What is seen for less than half a second does not count: a frame that is late is shown without a filter.
seen=$(ffmpeg -v error -i "$(recording top)" -an -vf "fps=10,crop=4:4:318:250,extractplanes=y,scale=1:1" -f rawvideo -pix_fmt gray \
  - </dev/null | od -An -v -tu1 -w1 | awk '
    { name = $1 > 240 ? "two" : $1 > 132 && $1 < 142 ? "plain" : $1 > 122 && $1 < 132 ? "three" : $1 > 112 && $1 < 122 ? "inverted" : "other"
      if (name != was) { was = name; count = 0 }
      if (++count == 5 && name != shown) { if (shown) printf " "; printf "%s", name; shown = name } }')
wanted='plain two plain two plain three plain'
if [[ $seen == "$wanted" || $seen == "$wanted inverted plain" ]]; then ok "seen: $seen"; else miss "seen: $seen, not $wanted"; fi

# A kernel without Landlock: the program still does nothing that it must not, OnAir's memory is closed to it, and the owner is told
# that files are not.
gcc -O2 -Wall -Wextra -Werror "$root/Tests/Hostile/old-kernel.c" -o "$work/old-kernel"
printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "$work/old-kernel" "$onair" >"$work/old-onair"
chmod 755 "$work/old-onair" "$work/filters"
ln "$work/filters/sleeps" "$work/filters/escapes"
said=$("$onair" check --set video.source=pattern --set audio.source=tone --set filter.odd.kind=outside \
  --set filter.odd.program=escapes --set publish.url=rtmp://127.0.0.1:9/live --set publish.key=k)
if [[ $said == *Landlock* ]]; then miss "check misses the Landlock of this kernel: $said"; fi
onair=$work/old-onair
said=$("$onair" check --set video.source=pattern --set audio.source=tone --set filter.odd.kind=outside \
  --set filter.odd.program=escapes --set publish.url=rtmp://127.0.0.1:9/live --set publish.key=k)
if [[ $said == *'"odd" can read OnAir'*'no Landlock'* ]]; then ok "check: $said"; else miss "check: $said"; fi
go_on_air old video.source=pattern audio.source=tone video.size=640x360 video.fps=10 \
  filter.odd.kind=outside filter.odd.program=escapes
expect_delivered old
expect_line "$work/old.log" 'The program of the filter "odd" can read OnAir.s files.*no Landlock'
if wait_until has_child escapes; then ok 'it runs'; else miss 'it does not run'; fi
sleep 2
if grep -q 'The filter "odd" is off' "$work/old.log"; then miss "it could do more than filter: $(grep 'is off' "$work/old.log")"; fi
go_off_air
conclude
