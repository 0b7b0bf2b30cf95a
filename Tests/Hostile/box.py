# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Talks to a box over plain sockets, so that requests can be as wrong as an attacker's, and keeps all that it answers."""

import json
import pathlib
import re
import socket
import time

import yaml

TITLES = ("get", "put", "post", "patch", "delete")


class Answer:
    def __init__(self, raw):
        self.raw = raw
        head, _, self.body = raw.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        words = lines[0].split(" ", 2)
        self.status = int(words[1]) if len(words) > 1 and words[1].isdigit() else 0
        self.headers = [tuple(line.split(": ", 1)) for line in lines[1:] if ": " in line]

    def header(self, name):
        return next((value for key, value in self.headers if key.lower() == name.lower()), "")

    @property
    def json(self):
        try:
            return json.loads(self.body)
        except ValueError:
            return {}

    @property
    def sentence(self):
        return (self.json.get("sentence") or "") if isinstance(self.json, dict) else ""


class Box:
    """A box under test, the checks of it, and everything that it has answered."""

    def __init__(self, port, openapi, process=0):
        self.port = port
        self.process = process
        self.failures = 0
        self.answers = []
        self.document = yaml.safe_load(pathlib.Path(openapi).read_text())

    # --- Checks ---

    def expect(self, is_good, text):
        """Prints a line that the test script counts."""
        print(("good  " if is_good else "WRONG ") + text, flush=True)
        self.failures += not is_good

    def expect_all(self, text, faults):
        self.expect(not faults, text if not faults else f"{text}: not for {'; '.join(str(f) for f in faults[:6])}")

    # --- Requests ---

    def connect(self, timeout=10, source=None):
        return socket.create_connection(("127.0.0.1", self.port), timeout, source_address=source and (source, 0))

    def say(self, data, wait=10.0, source=None):
        """Sends bytes, and reads until the answer is whole, the box closes, or `wait` seconds have passed."""
        connection = self.connect(source=source)
        connection.settimeout(wait)
        raw = b""
        try:
            connection.sendall(data)
        except OSError:
            pass
        end = time.monotonic() + wait
        try:
            while not is_whole(raw) and time.monotonic() < end:
                piece = connection.recv(65536)
                if not piece:
                    break
                raw += piece
        except OSError:
            pass
        connection.close()
        self.answers.append(raw)
        return Answer(raw)

    def ask(self, method, path, body=None, headers=(), token=None, cookie=None, origin=None, host=None, source=None,
            wait=60.0):
        """A request as a well-behaved program makes it, but for what the arguments change."""
        lines = [f"{method} {path} HTTP/1.1", f"Host: {host or f'127.0.0.1:{self.port}'}", "Connection: close"]
        if token:
            lines.append(f"Authorization: Bearer {token}")
        if cookie:
            lines.append(f"Cookie: onair_session={cookie}")
        if origin:
            lines.append(f"Origin: {origin}")
        lines += headers
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
        if isinstance(body, str):
            body = body.encode()
        if body is not None:
            lines.append(f"Content-Length: {len(body)}")
        head = "\r\n".join(lines).encode("latin-1", "replace") + b"\r\n\r\n"
        answer = self.say(head + (body or b""), wait, source)
        # The limit on changes, which is not that on guesses.
        while answer.status == 429 and answer.json.get("code") == "too_many":
            time.sleep(0.25)
            answer = self.say(head + (body or b""), wait, source)
        return answer

    @property
    def own_origin(self):
        return f"http://127.0.0.1:{self.port}"

    # --- The contract ---

    def operations(self):
        """Each operation of openapi.yaml: method, a path that exists, the scope that it needs or None, the operation."""
        samples = {"command": "mute", "segment": "1.m4s", "still": "pause", "name": "nobody", "id": "0"}
        for path, item in self.document["paths"].items():
            for method, operation in item.items():
                if method not in TITLES:
                    continue
                real = re.sub(r"\{(\w+)\}", lambda found: samples[found[1]], path)
                found = re.search(r'Needs\s+"(\w+)"', operation.get("description", ""))
                is_open = operation.get("security") == []
                yield method.upper(), real, None if is_open else found[1] if found else "read", operation

    # --- The program ---

    def memory_mb(self):
        """Resident memory."""
        text = pathlib.Path(f"/proc/{self.process}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", text)[1]) / 1024


def is_whole(raw):
    head, separator, body = raw.partition(b"\r\n\r\n")
    if not separator:
        return False
    length = re.search(rb"(?im)^content-length: *(\d+)", head)
    if length:
        return len(body) >= int(length[1])
    if re.search(rb"(?im)^content-type: *(video/mp4|text/event-stream|multipart)", head):
        return len(body) > 200
    return body.endswith(b"0\r\n\r\n")
