# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later

"""A script with a small scope that takes all it can get, and a person who wants to look at the same time."""

import time

import access

ADDRESS = "127.0.0.9"


def run(box, token):
    session = access.log_in(box, source=ADDRESS)
    for path in ("/api/events", "/api/preview.mp4", "/api/snapshot.jpg?count=1000&interval=3600"):
        # The answer before may hold its place for a moment.
        end = time.monotonic() + 300
        held = []
        while len(held) < 6 and time.monotonic() < end:
            client = ask(box, path, token)
            if status(client) == 200:
                held.append(client)
            else:
                client.close()
        more = [ask(box, path, token) for _ in range(58)]
        refused = [status(client) for client in more].count(503)
        box.expect(len(held) == 6 and refused == 58, f"64 of {path} with one token: {len(held)} are answered, 6 may be; {refused} of 58 more are refused")
        clients = held + more
        for mine in ("/api/events?after=0", "/api/preview.mp4", "/api/status"):
            answer = box.ask("GET", mine, cookie=session, source=ADDRESS)
            box.expect(answer.status == 200, f"meanwhile a person gets {mine}: {answer.status}")
        for client in clients:
            client.close()
        end = time.monotonic() + 300
        while time.monotonic() < end and (again := box.ask("GET", "/api/snapshot.jpg", token=token).status) != 200:
            time.sleep(0.5)
        box.expect(again == 200, f"afterwards the token gets an image: {again}")


def ask(box, path, token):
    client = box.connect()
    client.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
    return client


def status(client):
    """The status that a request is answered with, however long a busy machine takes for it; 0 without an answer."""
    client.settimeout(60)
    try:
        return int(client.recv(1_024).split(b" ")[1])
    except (OSError, IndexError):
        return 0
