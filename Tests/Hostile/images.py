# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Uploads that are no image that can be shown, or that would need more memory than a small board has."""

import pathlib
import struct
import threading
import time
import zlib

MOST_MB = 60
LIMIT = 32 << 20


def run(box, admin, folder):
    before = {path for path in pathlib.Path(folder).rglob("*") if path.is_file()}
    with Meter(box) as meter:
        faults = []
        for name, body, statuses in attacks():
            answer = box.ask("PUT", "/api/stills/pause", body, token=admin, wait=300)
            # A body that the box does not read to its end may cost the answer.
            is_cut = len(body) > LIMIT and answer.status == 0
            if not is_cut and (answer.status not in statuses or not answer.sentence.endswith(".")):
                faults.append(f"{name}: {answer.status} {answer.sentence!r}")
        endless(box, admin, faults)
    box.expect_all("images that are none, too large or damaged: refused with a sentence", faults)
    box.expect(meter.growth < MOST_MB, f"memory grew by {meter.growth:.0f} MB at most meanwhile, less than {MOST_MB}")
    box.expect(box.ask("DELETE", "/api/stills/pause", token=admin).status == 200, "back to the still from before")
    end = time.monotonic() + 300
    while (left := [str(path) for path in pathlib.Path(folder).rglob("*") if path.is_file() and path not in before]) \
            and time.monotonic() < end:
        time.sleep(0.1)
    box.expect(not left, f"nothing stays in the state directory {' '.join(left)}")


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, data=b"", depth=8, colour=2):
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def bomb(megabytes):
    """Zeros that zlib makes a thousand times smaller."""
    squeeze = zlib.compressobj(9)
    piece = bytes(1 << 20)
    return b"".join(squeeze.compress(piece) for _ in range(megabytes)) + squeeze.flush()


def jpeg(width, height, rest=b""):
    frame = struct.pack(">BHHB", 8, height, width, 3) + bytes((1, 0x22, 0, 2, 0x11, 0, 3, 0x11, 0))
    return (b"\xff\xd8\xff\xe0\x00\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0"
            b"\xff\xc0" + struct.pack(">H", len(frame) + 2) + frame + rest + b"\xff\xd9")


def attacks():
    text_bomb = chunk(b"zTXt", b"x\0\0" + bomb(256))
    good = png(64, 64, zlib.compress((b"\0" + bytes(192)) * 64))
    return [
        ("PNG of 50000x50000", png(50_000, 50_000), (400,)),
        ("PNG of 50000x50000 with all its pixels", png(50_000, 50_000, bomb(512)), (400,)),
        ("PNG of 2^31-1 pixels a side", png(0x7FFFFFFF, 0x7FFFFFFF), (400,)),
        ("PNG of 0x0", png(0, 0), (400,)),
        # Nothing behind the last row is decompressed, so this one may be shown.
        ("PNG with 1 GB of zeros behind a small size", png(64, 64, bomb(1_024)), (200, 400)),
        ("PNG with a text of 256 MB", png(40_000, 40_000)[:33] + text_bomb + chunk(b"IEND", b""), (400,)),
        ("PNG of 32769x2", png(32_769, 2), (400,)),
        ("PNG of 16 bits and 23 megapixels without data", png(4_800, 4_800, b"", 16, 6), (400,)),
        ("PNG cut off", good[:60], (400,)),
        ("PNG of the signature only", good[:8], (400,)),
        ("JPEG of 65500x65500", jpeg(65_500, 65_500), (400,)),
        ("JPEG of 65500x65500 with a scan", jpeg(65_500, 65_500, b"\xff\xda\x00\x0c\x03\x01\0\x02\x11\x03\x11\0\x3f\0" + bytes(1_000)), (400,)),
        ("JPEG cut off", jpeg(640, 360)[:40], (400,)),
        ("JPEG without tables", jpeg(640, 360, b"\xff\xda\x00\x0c\x03\x01\0\x02\x11\x03\x11\0\x3f\0" + bytes(1_000)), (400,)),
        ("a page that begins as JPEG", b"\xff\xd8\xff<html><script>alert(1)</script>", (400,)),
        ("a page", b"<html><script>alert(1)</script>", (400,)),
        ("SVG", b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', (400,)),
        ("GIF and script", b"GIF89a/*" + bytes(50) + b"*/=1;alert(1)", (400,)),
        ("nothing", b"", (400,)),
        ("33 MB", b"\x89PNG\r\n\x1a\n" + bytes(33 << 20), (413,)),
    ]


def endless(box, admin, faults):
    """A body in chunks, of which no length tells beforehand that it is too long."""
    connection = box.connect(timeout=20)
    head = (f"PUT /api/stills/pause HTTP/1.1\r\nHost: 127.0.0.1:{box.port}\r\nAuthorization: Bearer {admin}\r\n"
            "Transfer-Encoding: chunked\r\n\r\n")
    piece = b"40000\r\n" + bytes(0x40000) + b"\r\n"
    sent = 0
    raw = b""
    try:
        connection.sendall(head.encode())
        while sent < 4 * LIMIT:
            connection.sendall(piece)
            sent += 0x40000
    except OSError:
        pass
    try:
        connection.settimeout(3)
        raw = connection.recv(65536)
    except OSError:
        pass
    connection.close()
    box.answers.append(raw)
    if sent >= 4 * LIMIT:
        faults.append(f"chunks without end: {sent >> 20} MB were taken")
    # One that stays open without an end, and one that is cut off.
    for wait in (14, 0):
        connection = box.connect()
        connection.sendall(head.encode() + piece)
        if wait:
            connection.settimeout(wait)
            try:
                if connection.recv(100)[:12] == b"HTTP/1.1 200":
                    faults.append("an upload that stands still: 200")
            except OSError:
                faults.append("an upload that stands still is not ended")
        connection.close()


class Meter:
    """The growth of the program's memory, watched meanwhile."""

    def __init__(self, box):
        self.box = box
        self.growth = 0.0

    def __enter__(self):
        self.start = self.box.memory_mb()
        self.is_running = True
        self.thread = threading.Thread(target=self.watch)
        self.thread.start()
        return self

    def watch(self):
        while self.is_running:
            self.growth = max(self.growth, self.box.memory_mb() - self.start)
            time.sleep(0.02)

    def __exit__(self, *_):
        self.is_running = False
        self.thread.join()
