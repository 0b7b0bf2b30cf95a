# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Clients that come in crowds: each function attacks for some seconds, and returns what it did as text."""

import itertools
import os
import random
import socket
import threading
import time

SEED = int(os.environ.get("SEED", "20260"))


def open_many(box, count, first=b""):
    clients = []
    for _ in range(count):
        try:
            client = box.connect(timeout=0.5)
            client.settimeout(0.2)
            client.sendall(first)
            clients.append(client)
        except OSError:
            pass
    return clients


def close_all(clients):
    for client in clients:
        client.close()


def silent(box, seconds, _):
    """200 connections that say nothing, opened again when they are closed."""
    opened = 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        clients = open_many(box, 200)
        opened += len(clients)
        time.sleep(min(1, max(0, end - time.monotonic())))
        close_all(clients)
    return f"{opened} silent connections"


def dribbling(box, seconds, tokens):
    """500 clients that give their head, or their body, a byte at a time, or never read."""
    host = b"Host: 127.0.0.1\r\n"
    body = (b"PATCH /api/settings HTTP/1.1\r\n" + host + b"Authorization: Bearer " + tokens["admin"].encode()
            + b"\r\nContent-Length: 60000\r\n\r\n{")
    flood = (b"GET /app.js HTTP/1.1\r\n" + host + b"\r\n") * 50
    groups = [open_many(box, 170, b"GET / HTTP/1.1\r\n" + host), open_many(box, 165, body), open_many(box, 165, flood)]
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for clients, byte in zip(groups, (b"X", b" ", b"")):
            for client in clients if byte else ():
                try:
                    client.sendall(byte)
                except OSError:
                    pass
        time.sleep(0.2)
    count = sum(len(clients) for clients in groups)
    for clients in groups:
        close_all(clients)
    return f"{count} clients that dribble heads or bodies, or never read"


def long_heads(box, seconds, _):
    """Heads of 64 MB, in one field and in many."""
    sent = 0
    end = time.monotonic() + seconds
    pieces = (b"a" * 65536, b"A: b\r\n" * 10_000, b"Cookie: " + b"c" * 8_000 + b"\r\n")
    for piece in (*pieces, *pieces):
        client = box.connect()
        client.settimeout(5)
        try:
            client.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ")
            begin = sent
            while sent - begin < 64 << 20:
                client.sendall(piece)
                sent += len(piece)
        except OSError:
            pass
        client.close()
        if time.monotonic() > end:
            break
    return f"heads that would have 64 MB: {sent >> 10} kB sent before they were cut off"


def pipelining(box, seconds, _):
    """40 connections with thousands of requests in one go, opened again when they are closed: 4 MB a second."""
    requests = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 1_500
    clients = []
    sent = 0
    begin = time.monotonic()
    while (passed := time.monotonic() - begin) < seconds:
        if len(clients) < 40:
            clients += open_many(box, 40 - len(clients))
        for client in clients[:]:
            if sent > 4e6 * passed:
                break
            try:
                client.setblocking(False)
                sent += client.send(requests)
            except BlockingIOError:
                pass
            except OSError:
                client.close()
                clients.remove(client)
        time.sleep(0.01)
    close_all(clients)
    return f"{sent >> 10} kB of requests in one go"


def trickling(box, seconds, _):
    """47 bodies that trickle, and 100 silent connections a second."""
    head = b"POST /api/login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 65000\r\n\r\n{"
    bodies, silent_ones = [], []
    opened = 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        bodies += open_many(box, 47 - len(bodies), head)
        for client in bodies[:]:
            try:
                client.sendall(b" " * 120)
            except OSError:
                client.close()
                bodies.remove(client)
        for _ in range(10):
            silent_ones += open_many(box, 1)
            opened += 1
            time.sleep(0.01)
        close_all(silent_ones[:-30])
        del silent_ones[:-30]
    close_all(bodies + silent_ones)
    return f"47 bodies that trickle and {opened} silent connections"


def uploads(box, seconds, tokens):
    """Uploads of 1 GB: announced, in chunks, and to a route that takes no body."""
    sent = 0
    piece = bytes(1 << 18)
    for target, length in (("/api/stills/pause", b"Content-Length: 1000000000"), ("/api/stills/pause", b"Transfer-Encoding: chunked"),
                           ("/api/status", b"Content-Length: 1000000000"), ("/api/login", b"Transfer-Encoding: chunked")):
        client = box.connect()
        client.settimeout(5)
        method = b"PUT" if "stills" in target else b"POST"
        begin = sent
        try:
            client.sendall(method + b" " + target.encode() + b" HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer "
                           + tokens["admin"].encode() + b"\r\n" + length + b"\r\n\r\n")
            while sent - begin < 1 << 30:
                client.sendall(b"40000\r\n" + piece + b"\r\n" if b"chunked" in length else piece)
                sent += len(piece)
        except OSError:
            pass
        client.close()
    return f"uploads of 1 GB: {sent >> 20} MB sent before they were cut off"


def fuzz(box, seconds, tokens):
    """10,000 random requests, the same in each run: parts of good ones, cut, doubled and with bits turned."""
    source = random.Random(SEED)
    goods = []
    for method, path, _, _ in box.operations():
        if path in ("/api/password", "/api/setup", "/api/logout", "/api/events", "/api/preview.mp4") or method == "POST":
            continue
        token = b"Authorization: Bearer " + tokens["admin"].encode() + b"\r\n" if source.random() < 0.5 and method == "GET" else b""
        goods.append(method.encode() + b" " + path.encode() + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n" + token + b"\r\n")
    goods += [b"POST /api/login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\n\r\n{\"a\":", b"0\r\n\r\n", b"\r\n",
              b"POST /api/nothing HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n"]
    sent = 0
    while sent < 10_000:
        try:
            client = box.connect(timeout=2)
            client.settimeout(0.02)
            for _ in range(20):
                sent += 1
                client.sendall(mutated(source, goods))
            client.recv(65536)
        except OSError:
            pass
        client.close()
    return f"{sent} random requests, SEED={SEED}"


def mutated(source, goods):
    data = bytearray(source.choice(goods))
    for _ in range(source.choice((0, 1, 1, 2, 5))):
        kind = source.randrange(5)
        at = source.randrange(len(data) + 1)
        if kind == 0 and data:
            data[min(at, len(data) - 1)] = source.randrange(256)
        elif kind == 1:
            del data[at:]
        elif kind == 2:
            data[at:at] = source.choice(goods)
        elif kind == 3:
            data[at:at] = bytes(source.randrange(256) for _ in range(source.randrange(20)))
        else:
            data[at:at] = source.choice((b"\r\n", b"\0", b"Content-Length: 99999999\r\n", b"Transfer-Encoding: chunked\r\n", b"%00",
                                         b"Expect: 100-continue\r\n", b"Upgrade: h2c\r\n", b" ", b":", b"HTTP/2.0"))
    return bytes(data)


def deaf_listeners(box, seconds, tokens):
    """Viewers, and listeners to events, that never read: more than the tokens may have."""
    clients = []
    paths = ["/api/preview.mp4"] * 8 + ["/api/events?after=0&with=status,figures,levels"] * 32
    for path, token in zip(paths, itertools.cycle(tokens.values())):
        try:
            client = socket.socket()
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.settimeout(2)
            client.connect(("127.0.0.1", box.port))
            client.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
            clients.append(client)
        except OSError:
            pass
    time.sleep(seconds)
    close_all(clients)
    return f"{len(clients)} listeners and viewers that never read"


ALL = (silent, dribbling, long_heads, pipelining, trickling, uploads, fuzz, deaf_listeners)
# Attacks that a person hardly notices.
WEAK = (pipelining, trickling)


class Person(threading.Thread):
    """Somebody with a session, who opens a new connection each time, as a browser does after a while."""

    def __init__(self, box, session):
        super().__init__(daemon=True)
        self.box = box
        self.session = session
        self.waits = []
        self.refused = 0
        self.is_done = False

    def run(self):
        while not self.is_done:
            since = time.monotonic()
            try:
                is_answered = self.box.ask("GET", "/api/status", cookie=self.session, wait=30).status == 200
            except OSError:
                is_answered = False
            if is_answered:
                self.waits.append((time.monotonic() - since) * 1000)
            else:
                self.refused += 1
            time.sleep(0.1)
