#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Attacks a box that is on air, and checks its answers.

    attacks.py PORT --openapi FILE --process PID --state DIR --log FILE --still FILE --key STREAM-KEY <tokens

Standard input has the tokens: "read", "operate", "control" and "admin", one a line. It prints a line for each check, and ends with 1
if one has failed. It needs PyYAML.
"""

import argparse
import pathlib
import sys
import time

import access
import framing
import hogs
import images
import texts
from box import Box


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("port", type=int)
    for name in ("openapi", "state", "log", "still", "key"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--process", type=int, required=True)
    options = parser.parse_args()
    tokens = dict(line.split() for line in sys.stdin)
    box = Box(options.port, options.openapi, options.process)
    admin = tokens["admin"]

    access.run(box, tokens)
    texts.run(box, admin, options.still)
    images.run(box, admin, options.state)
    framing.run(box, admin)
    hogs.run(box, tokens["read"])
    slow_heads(box, admin)
    access.brute_force(box)

    access.browsers(box)

    session = access.log_in(box, source="127.0.0.9")
    for path in ("/metrics", "/api/diagnostics", "/api/events?after=0&with=status,figures,levels", "/api/log?lines=500",
                 "/api/settings", "/api/status", "/api/tokens", "/api/history", "/api/figures", "/api/devices", "/api/session"):
        box.expect(box.ask("GET", path, cookie=session, wait=3).status == 200, f"GET {path} with a session")
    access.crowd_of_guessers(box)
    judge(box)
    secrets = {"the password": access.PASSWORD, "the stream key": options.key, "the session": session,
               **{f"the token {name}": token for name, token in tokens.items()}}
    search(box, secrets, pathlib.Path(options.log))
    sys.exit(box.failures > 0)


def slow_heads(box, admin):
    """Heads that come a byte at a time (Slowloris): more of them than the box has places."""
    clients = []
    for _ in range(150):
        try:
            client = box.connect(timeout=1)
            client.sendall(b"GET /api/status HTTP/1.1\r\nHost: 127.0.0.1\r\n")
            clients.append(client)
        except OSError:
            pass
    begin = time.monotonic()
    worst = 0.0
    answered = 0
    while time.monotonic() - begin < 7:
        for client in clients:
            try:
                client.sendall(b"X")
            except OSError:
                pass
        since = time.monotonic()
        answered += box.ask("GET", "/api/status", token=admin, wait=5).status == 200
        worst = max(worst, time.monotonic() - since)
        time.sleep(0.3)
    ended = 0
    for client in clients:
        client.settimeout(1)
        try:
            ended += client.recv(100) == b""
        except TimeoutError:
            pass
        except OSError:
            ended += 1
        client.close()
    box.expect(ended == len(clients), f"{len(clients)} heads that never end: {ended} were closed")
    box.expect(answered >= 1, f"meanwhile a person was answered {answered} times, after {worst * 1000:.0f} ms at most")


def judge(box):
    """What must be true of each answer, whatever was asked."""
    faults = set()
    for raw in box.answers:
        head, _, body = raw.partition(b"\r\n\r\n")
        lower = head.lower()
        if lower.startswith(b"http/1.1 5") and not lower.startswith(b"http/1.1 503"):
            faults.add(head[:60])
        if b"text/html" in lower and b"content-security-policy:" not in lower:
            faults.add(b"HTML without a policy: " + head[:60])
        if body and b"content-type:" in lower and b"x-content-type-options: nosniff" not in lower:
            faults.add(b"no nosniff: " + head[:200])
        if b"access-control-" in lower:
            faults.add(b"CORS: " + head[:60])
    box.expect_all(f"{len(box.answers)} answers: no failure within, no other type can be guessed, no CORS", sorted(faults))


def search(box, secrets, log):
    places = {"the answers": b"".join(box.answers), "the log": log.read_bytes()}
    found = [f"{name} is in {place}" for place, text in places.items() for name, secret in secrets.items()
             if secret.encode() in text]
    size = sum(len(text) for text in places.values())
    box.expect_all(f"{len(secrets)} secrets are nowhere in {size} bytes of answers and log", found)


main()
