#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# An image takes little memory however many pixels its file has: a board may have 512 MB for all.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# Files of a few kilobytes that state many pixels, and one with as many bytes as an image may have.
python3 - "$work" <<'END'
import os, struct, sys, zlib

folder = sys.argv[1]


def png(name, width, height, depth, colour, interlaced=0, extra=b""):
    """A PNG of one shade."""
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    bits = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour] * depth
    passes = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
    packer = zlib.compressobj(9)
    data = b""
    for x, y, dx, dy in passes if interlaced else [(0, 0, 1, 1)]:
        row = b"\0" + b"\x40" * (((width - x + dx - 1) // dx * bits + 7) // 8)
        for _ in range((height - y + dy - 1) // dy):
            data += packer.compress(row)
    data += packer.flush()
    head = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlaced)
    palette = chunk(b"PLTE", bytes(range(256)) * 3) if colour == 3 else b""
    with open(os.path.join(folder, name), "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + palette + chunk(b"IDAT", data) + extra
                   + chunk(b"IEND", b""))
    return chunk


chunk = png("wide.png", 32768, 732, 1, 0)
png("photo.png", 6000, 4000, 8, 2)
png("deep.png", 6000, 4000, 16, 6)
png("palette.png", 4000, 6000, 8, 3)
png("square.png", 3839, 3839, 8, 6)
png("interlaced.png", 6000, 4000, 16, 6, 1)
png("long.png", 3839, 3839, 8, 6, 0, chunk(b"teXt", bytes(31 << 20)))
END
ffmpeg -v error -f lavfi -i color=gray:s=6000x4000 -frames:v 1 -pix_fmt yuvj420p "$work/photo.jpg"

# Prints the peak of the memory of a check, in MB.
peak() { # SETTING...
  python3 - "$onair" check --set publish.url=rtmp://127.0.0.1/live --set publish.key=x --set video.source=pattern \
    --set audio.source=tone "${@/#/--set=}" <<'END'
import resource, subprocess, sys

done = subprocess.run(sys.argv[1:], capture_output=True, text=True)
if "pause.image" in done.stderr + done.stdout:
    sys.exit(done.stderr + done.stdout)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
END
}

without=$(peak)
for image in wide.png photo.png deep.png palette.png square.png interlaced.png long.png photo.jpg; do
  if ! with=$(peak "pause.image=$work/$image"); then
    miss "$image is refused: $with"
  elif ((with - without <= 64)); then
    ok "$image of $(stat -c %s "$work/$image") bytes takes $((with - without)) MB"
  else
    miss "$image takes $((with - without)) MB"
  fi
done
conclude
