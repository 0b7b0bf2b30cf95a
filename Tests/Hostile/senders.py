#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hostile and broken guests who send to a box by RTMP: so many in all, so many of them at once.

    senders.py HOST:PORT KEY[,KEY...] FILM.flv ALL AT_ONCE SEED

Each connection is one of the kinds in KINDS. At the end a line for each kind says how many there were.
"""

import collections
import random
import socket
import struct
import sys
import threading
import time

address, keys, film, everything, at_once, seed = sys.argv[1:]
HOST, PORT = address.rsplit(":", 1)
KEYS = keys.split(",")
ALL, AT_ONCE = int(everything), int(at_once)
# The longest that one of them stays, in seconds.
STAY = 4
CHUNK = 65_536


def read_film(path):
    """The tags of an FLV file: type, milliseconds, bytes."""
    data = open(path, "rb").read()
    at, tags = 13, []
    while at + 11 <= len(data):
        kind, size = data[at], int.from_bytes(data[at + 1 : at + 4], "big")
        millis = int.from_bytes(data[at + 4 : at + 7], "big") | data[at + 7] << 24
        tags.append((kind, millis, data[at + 11 : at + 11 + size]))
        at += 15 + size
    return tags


FILM = read_film(film)


def text(value):
    return b"\x02" + struct.pack(">H", len(value)) + value.encode()


def number(value):
    return b"\x00" + struct.pack(">d", value)


def member(name, value):
    return struct.pack(">H", len(name)) + name.encode() + value


def message(kind, body, stream=0, millis=0, chunk=CHUNK):
    head = struct.pack(">I", millis & 0xFFFFFF)[1:] + struct.pack(">I", len(body))[1:] + bytes([kind]) + struct.pack("<I", stream)
    parts = [body[at : at + chunk] for at in range(0, len(body), chunk)] or [b""]
    return b"\x03" + head + b"\xc3".join(parts)


class Guest:
    """A connection to the door, up to the point that its kind asks for."""

    def __init__(self, dice):
        self.dice = dice
        self.socket = socket.create_connection((HOST, int(PORT)), timeout=STAY)
        self.ends = time.monotonic() + STAY * dice.uniform(0.3, 1)

    @property
    def stays(self):
        return time.monotonic() < self.ends

    def shake(self):
        self.socket.sendall(b"\x03" + bytes(8) + self.dice.randbytes(1528))
        answer = b""
        while len(answer) < 3073:
            more = self.socket.recv(4096)
            if not more:
                raise ConnectionError
            answer += more
        self.socket.sendall(answer[1:1537])
        threading.Thread(target=self.drain, daemon=True).start()

    def drain(self):
        try:
            while self.socket.recv(4096):
                pass
        except OSError:
            pass

    def publish(self, key):
        self.shake()
        self.socket.sendall(message(1, struct.pack(">I", CHUNK), chunk=128))
        end = b"\x00\x00\x09"
        server = member("app", text("live")) + member("tcUrl", text("rtmp://box/live"))
        self.socket.sendall(message(20, text("connect") + number(1) + b"\x03" + server + end))
        self.socket.sendall(message(20, text("createStream") + number(2) + b"\x05"))
        self.socket.sendall(message(20, text("publish") + number(3) + b"\x05" + text(key) + text("live"), stream=1))

    def send(self, tag, pace=1.0):
        kind, millis, body = tag
        self.socket.sendall(message(kind, body, stream=1, millis=millis))
        if pace:
            due = self.started + millis / 1000 * pace
            time.sleep(max(0, min(due - time.monotonic(), self.ends - time.monotonic())))

    def play(self, key, change=lambda tag, dice: tag, pace=1.0):
        self.publish(key)
        self.started = time.monotonic()
        for tag in FILM:
            if not self.stays:
                break
            changed = change(tag, self.dice)
            if changed:
                self.send(changed, pace)


def silent(guest):
    time.sleep(max(0, guest.ends - time.monotonic()))


def noise(guest):
    while guest.stays:
        guest.socket.sendall(guest.dice.randbytes(guest.dice.randint(1, 20_000)))
        time.sleep(0.05)


def drip(guest):
    guest.socket.sendall(b"\x03")
    while guest.stays:
        guest.socket.sendall(guest.dice.randbytes(1))
        time.sleep(0.1)


def noise_after_handshake(guest):
    guest.shake()
    noise(guest)


def huge_message(guest):
    guest.shake()
    guest.socket.sendall(b"\x03" + bytes(3) + b"\xff\xff\xff\x14" + bytes(4))
    while guest.stays:
        guest.socket.sendall(bytes(10_000))


def wrong_key(guest):
    guest.play("no-such-key-%d" % guest.dice.randrange(1_000_000))


def long_key(guest):
    guest.publish("k" * guest.dice.randint(1_000, 60_000))
    silent(guest)


def bits(tag, dice):
    """Some bits of each hundredth byte, also of the headers of tags."""
    kind, millis, body = tag
    body = bytearray(body)
    for _ in range(max(1, len(body) // 100)):
        if body:
            body[dice.randrange(len(body))] ^= 1 << dice.randrange(8)
    return kind, millis, bytes(body)


def pieces(tag, dice):
    kind, millis, body = tag
    return None if dice.random() < 0.1 else (kind, millis, body[: dice.randint(0, len(body))] if dice.random() < 0.3 else body)


def times(tag, dice):
    kind, millis, body = tag
    return kind, dice.choice([millis, 0, millis // 2, dice.randrange(1 << 24), (millis + 0xFFF000) & 0xFFFFFF]), body


def kinds_of_tags(tag, dice):
    return dice.choice([8, 9, 15, 18, 20, dice.randrange(256)]), tag[1], tag[2]


def flood(guest):
    while guest.stays:
        guest.play(guest.dice.choice(KEYS), pace=0)


KINDS = {
    "silent": silent, "noise": noise, "drip": drip, "noise after the handshake": noise_after_handshake,
    "huge message": huge_message, "wrong key": wrong_key, "long key": long_key, "flood": flood,
    "bits": lambda guest: guest.play(guest.dice.choice(KEYS), bits),
    "pieces": lambda guest: guest.play(guest.dice.choice(KEYS), pieces),
    "times": lambda guest: guest.play(guest.dice.choice(KEYS), times),
    "kinds of tags": lambda guest: guest.play(guest.dice.choice(KEYS), kinds_of_tags),
}
counts, lock, left = collections.Counter(), threading.Lock(), iter(range(ALL))


def work():
    while True:
        with lock:
            index = next(left, None)
        if index is None:
            return
        dice = random.Random(f"{seed} {index}")
        kind = dice.choice(list(KINDS))
        outcome = "stayed"
        try:
            guest = Guest(dice)
            try:
                KINDS[kind](guest)
            finally:
                guest.socket.close()
        except OSError:
            outcome = "was refused or closed"
        with lock:
            counts[f"{kind} {outcome}"] += 1


workers = [threading.Thread(target=work) for _ in range(min(AT_ONCE, ALL))]
for worker in workers:
    worker.start()
for worker in workers:
    worker.join()
for name, count in sorted(counts.items()):
    print(f"{count} {name}")
