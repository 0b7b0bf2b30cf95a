#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Two boxes are each other's guests: each sends its own camera to the other, and mixes what comes. Both programmes show both, nobody
# sees or hears himself twice, and each programme goes on while the line between them is cut. CUTS: how often one of the two lines
# is cut; SECONDS_TOGETHER: how long what is received is then looked at (Tests/Nightly/68-guest-boxes.sh: ten minutes).
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

cuts=${CUTS:-2} together=${SECONDS_TOGETHER:-20}
start_server
# A box: its colour, and its beep of 100 ms every two seconds.
make_film() { # NAME COLOUR HERTZ
  ffmpeg -nostdin -v error -f lavfi -i "color=$2:size=320x180:rate=25:d=$((together + cuts * 30 + 600))" \
    -f lavfi -i "aevalsrc=0.3*sin(2*PI*$3*t)*lt(mod(t\,2)\,0.1):s=48000:d=$((together + cuts * 30 + 600))" \
    -c:v libx264 -preset ultrafast -g 250 -pix_fmt yuv420p -c:a aac "$work/$1.mp4"
}
make_film left 0x20c020 500
make_film right 0x2020e0 1500

# A line that can be cut: what comes to the first port goes to the second one.
cat >"$work/line.py" <<'END'
import socket, sys, threading
listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
def pass_on(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
    except OSError:
        pass
    for end in (source, target):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
while True:
    caller = listener.accept()[0]
    try:
        server = socket.create_connection(("127.0.0.1", int(sys.argv[2])))
    except OSError:
        caller.close()
        continue
    for ends in ((caller, server), (server, caller)):
        threading.Thread(target=pass_on, args=ends, daemon=True).start()
END
declare -A listen line lines programs other=([left]=right [right]=left)
listen[left]=$(free_port $((first_port + 20)))
listen[right]=$(free_port $((listen[left] + 1)))
line[left]=$(free_port $((listen[right] + 1)))
line[right]=$(free_port $((line[left] + 1)))
connect() { # BOX: the line on which it sends
  start "$work/line-$1.log" python3 "$work/line.py" "${line[$1]}" "${listen[${other[$1]}]}"
  lines[$1]=$started
  wait_until is_listening "${line[$1]}" || miss "the line of $1 does not work"
}
for box in left right; do
  connect "$box"
  go_on_air "$box" "video.source=file:$work/$box.mp4" "audio.source=file:$work/$box.mp4" video.size=320x180 video.fps=25 \
    video.speed=superfast "guests.listen=127.0.0.1:${listen[$box]}" guests.lost_seconds=2 guest.friend.key=key-of-a-friend \
    guest.friend.admit=auto "relay.friend.url=rtmp://127.0.0.1:${line[$box]}/live" relay.friend.key=key-of-a-friend \
    relay.friend.program=camera
  programs[$box]=$program
done
for box in left right; do expect_delivered "$box"; done

# What there is in the last seconds of a programme: the colours in each half of its pictures, and how many beeps of each box.
cat >"$work/look.py" <<'END'
import array, math, subprocess, sys
path, seconds = sys.argv[1], sys.argv[2]
def decode(*options):
    return subprocess.run(["ffmpeg", "-nostdin", "-v", "quiet", "-sseof", f"-{seconds}", "-i", path, *options, "-"],
                          stdout=subprocess.PIPE, check=False).stdout
WIDTH, HEIGHT = 64, 36
frames = decode("-vf", f"fps=2,scale={WIDTH}:{HEIGHT}:flags=neighbor", "-pix_fmt", "rgb24", "-f", "rawvideo")
size = WIDTH * HEIGHT * 3
def kind(r, g, b):
    return "blue" if b > 120 and g < 100 else "green" if g > 120 and b < 100 else ""
looks = []
for frame in range(len(frames) // size):
    halves = [set(), set()]
    for place in range(WIDTH * HEIGHT):
        at = frame * size + place * 3
        x = place % WIDTH
        # The edge of the panes may have colours of both.
        if abs(x - WIDTH // 2) > 2:
            halves[x >= WIDTH // 2].add(kind(*frames[at:at + 3]))
    looks.append(" | ".join("+".join(sorted(half - {""})) for half in halves))
RATE, STEP = 8000, 400
samples = array.array("h", decode("-vn", "-ac", "1", "-ar", str(RATE), "-f", "s16le"))
def beeps(hertz):
    count, is_on = 0, False
    for begin in range(0, len(samples) - STEP, STEP):
        part = samples[begin:begin + STEP]
        sine = sum(s * math.sin(2 * math.pi * hertz * i / RATE) for i, s in enumerate(part))
        cosine = sum(s * math.cos(2 * math.pi * hertz * i / RATE) for i, s in enumerate(part))
        now = math.hypot(sine, cosine) / STEP > 500
        count += now and not is_on
        is_on = now
    return count
if sys.argv[3:] == ["newest"]:
    print(looks[-1] if looks else "nothing")
else:
    print("pictures:", " / ".join(sorted(set(looks))))
    print("beeps:", beeps(500), beeps(1500))
END
shows() { [[ $(python3 "$work/look.py" "$(recording "$1")" 3 newest) == "$2" ]]; } # BOX COLOURS
declare -A together_looks=([left]='green | blue' [right]='blue | green') alone_looks=([left]='green | green' [right]='blue | blue')
expect_both() {
  for box in left right; do
    if wait_until shows "$box" "${together_looks[$box]}"; then ok "$1: the programme of $box shows both"; else
      miss "$1: the programme of $box shows $(python3 "$work/look.py" "$(recording "$box")" 3 newest)"; fi
  done
}
expect_both 'at first'
for ((cut = 0; cut < cuts; cut++)); do
  box=left
  ((cut % 2 == 0)) || box=right
  end_group "${lines[$box]}" KILL 5
  if wait_until shows "${other[$box]}" "${alone_looks[${other[$box]}]}"; then ok "cut of $box: ${other[$box]} is alone"; else
    miss "cut of $box: ${other[$box]} is not alone"; fi
  connect "$box"
  expect_both "after the cut of $box"
done

sleep "$together"
for box in left right; do
  python3 "$work/look.py" "$(recording "$box")" "$((together - 2))" >"$work/looks"
  if [[ $(head -n 1 "$work/looks") == "pictures: ${together_looks[$box]}" ]]; then ok "$box: $(head -n 1 "$work/looks")"; else
    miss "$box: $(head -n 1 "$work/looks")"; fi
  read -r _ low high < <(tail -n 1 "$work/looks")
  expected=$(((together - 2) / 2))
  for count in "$low" "$high"; do
    if ((count >= expected - 1 && count <= expected + 1)); then ok "$box: $count beeps in $((together - 2)) s"; else
      miss "$box: $count beeps in $((together - 2)) s, not $expected"; fi
  done
done
for box in left right; do
  program=${programs[$box]}
  go_off_air
  expect_equal "connections of $box to its server" "$(find "$work/platform/recorded" -name "$box-*.flv" | wc -l)" 1
  expect_received "$box" --max-gap-ms 600
done
conclude
