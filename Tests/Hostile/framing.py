# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Attacks by how a request is put together: chunks that are none, requests without an end, many in one go, late ones."""

import time

POST = b"POST /api/login HTTP/1.1\r\nHost: 127.0.0.1\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"
# What the box reads of a request at most is 1 MB; the rest is in the buffers of the kernel.
MOST_BYTES = 24 << 20


def run(box, admin):
    malformed(box)
    endless(box)
    in_one_go(box)
    late(box, admin)


def malformed(box):
    faults = []
    for body in (b"5\n{\"a\":\n", b"10000000000000000\r\n", b"FFFFFFFFFFFFFFFFF\r\n", b"x\r\n", b"-1\r\n", b"1\r\nab\r\n",
                 b"0\r\n" + b"A: b\r\n" * 200, b"0\r\n" + b"A" * 20_000):
        answer = box.say(CHUNKED + body, wait=5)
        if answer.status != 400:
            faults.append(f"{body[:20]!r}: {answer.status}")
    for coding in (b"xchunked", b"chunked, gzip"):
        answer = box.say(POST + b"Transfer-Encoding: " + coding + b"\r\n\r\n0\r\n\r\n", wait=5)
        if answer.status != 400:
            faults.append(f"{coding!r}: {answer.status}")
    box.expect_all("chunks that are none: 400", faults)


def endless(box):
    for name, start, piece in (("extensions of a chunk", b"1;", b"a" * 65_536), ("trailers", b"0\r\n", b"A: b\r\n" * 10_000),
                               ("chunks of a byte", b"", b"1\r\na\r\n" * 10_000)):
        client = box.connect(timeout=5)
        sent = 0
        end = time.monotonic() + 120
        try:
            client.sendall(CHUNKED + start)
            while sent < 1 << 30 and time.monotonic() < end:
                client.sendall(piece)
                sent += len(piece)
        except OSError:
            pass
        client.close()
        box.expect(sent <= MOST_BYTES, f"{name} without an end: cut off after {sent >> 10} kB")


def in_one_go(box):
    """The first requests of many in one go are answered, and the others are not even read."""
    client = box.connect(timeout=10)
    raw = b""
    try:
        client.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 90)
        while piece := client.recv(65_536):
            raw += piece
    except OSError:
        pass
    client.close()
    count = raw.count(b"HTTP/1.1 200")
    box.expect(1 <= count <= 8, f"90 requests in one go: {count} answered, and the connection closed")


def late(box, admin):
    """A command that came six seconds ago is not done: its sender may have done something else."""
    client = box.connect(timeout=10)
    raw = b""
    try:
        client.sendall(b"POST /api/unmute HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: 14000\r\n"
                       b"Authorization: Bearer " + admin.encode() + b"\r\n\r\n")
        for _ in range(7):
            client.sendall(b" " * 2_000)
            time.sleep(1)
        while piece := client.recv(65_536):
            raw += piece
    except OSError:
        pass
    client.close()
    box.expect(raw.startswith(b"HTTP/1.1 409") and b'"too_late"' in raw, f"a command that took 6 s to come: {raw[:12]!r}")
    # A page that has heard nothing of the box for a while is not obeyed, but may make the room private.
    now = int(time.time() * 1000)
    for command, seen, status in (
        ("unmute", now - 20_000, 409), ("start", now - 20_000, 409), ("pause", now - 20_000, 200), ("unmute", -2**63, 409),
        ("resume", now - 20_000, 409), ("resume", now, 200), ("unmute", "yesterday", 200), ("unmute", now + 60_000, 200),
    ):
        reply = box.ask("POST", f"/api/{command}", headers=[f"X-OnAir-Seen: {seen}"], token=admin)
        box.expect(reply.status == status, f"{command} by somebody who has seen the box at {seen}: {reply.status}")
