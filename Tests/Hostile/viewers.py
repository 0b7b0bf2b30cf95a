#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Watches the preview with 0, 1 and 10 viewers, of whom one of several never reads, and prints what they cost.

    viewers.py PORT PROCESS SECONDS <tokens

A viewer's newest fragment grows old until the next one comes: the time between two is printed. What passes from the camera
to the fragment is not in it.
"""

import json
import socket
import sys
import threading
import time
import urllib.request

STEP = 0.25


class Viewer(threading.Thread):
    """Reads fragments as they come, or not at all."""

    def __init__(self, port, token, reads):
        super().__init__(daemon=True)
        self.reads = reads
        self.is_done = False
        self.arrivals = []
        self.connection = socket.create_connection(("127.0.0.1", port), 10)
        self.connection.sendall(f"GET /api/preview.mp4 HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n\r\n".encode())

    def run(self):
        while not self.is_done:
            if not self.reads:
                time.sleep(STEP)
                continue
            data = self.connection.recv(1 << 18)
            if not data:
                break
            if b"moof" in data:
                self.arrivals.append(time.monotonic())
        self.connection.close()


def processor_seconds(process):
    fields = open(f"/proc/{process}/stat").read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def figures(port, token):
    request = urllib.request.Request(f"http://127.0.0.1:{port}/api/figures", headers={"Authorization": f"Bearer {token}"})
    return json.load(urllib.request.urlopen(request, timeout=10))


def percentile(values, part):
    return sorted(values)[min(len(values) - 1, int(len(values) * part))] if values else -1


def measure(port, process, tokens, seconds, viewers):
    # Each token has room for a few.
    crowd = [Viewer(port, tokens[number % len(tokens)], reads=viewers == 1 or number > 0) for number in range(viewers)]
    for viewer in crowd:
        viewer.start()
    time.sleep(3)
    begin, used = time.monotonic(), processor_seconds(process)
    delays = []
    while time.monotonic() - begin < seconds:
        found = figures(port, tokens[0])
        delays += [one["capture_to_acknowledged_ms"] for one in found.get("destinations", []) if "capture_to_acknowledged_ms" in one]
        time.sleep(1)
    share = (processor_seconds(process) - used) / (time.monotonic() - begin) * 100
    for viewer in crowd:
        viewer.is_done = True
    gaps = [b - a for viewer in crowd for a, b in zip(viewer.arrivals, viewer.arrivals[1:])]
    return share, percentile(delays, 0.99), percentile(delays, 0.5), percentile(gaps, 0.99) * 1000, max(gaps, default=-1) * 1000


def main():
    port, process, seconds = (int(word) for word in sys.argv[1:4])
    tokens = [line.split()[1] for line in sys.stdin]
    time.sleep(5)
    base = None
    for viewers in (0, 1, 10):
        share, late, usual, gap, longest = measure(port, process, tokens, seconds, viewers)
        base = base or (share, late)
        print(f"figure {viewers}/processor, percent of a core {share:.1f}")
        print(f"figure {viewers}/processor, percent more than without viewers {(share / base[0] - 1) * 100:.1f}")
        print(f"figure {viewers}/capture to acknowledged, ms, median {usual:.1f}")
        print(f"figure {viewers}/capture to acknowledged, ms, p99 of the seconds {late:.1f}")
        print(f"figure {viewers}/p99 more than without viewers, ms {late - base[1]:.1f}")
        if viewers:
            print(f"figure {viewers}/age of the newest fragment when the next comes, ms, p99 {gap:.0f}")
            print(f"figure {viewers}/the same, longest, ms {longest:.0f}", flush=True)


main()
