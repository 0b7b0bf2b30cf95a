#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Loads a box that is on air with crowds of clients, and checks that the broadcast and a person do not suffer.

    load.py PORT --openapi FILE --process PID <tokens

Standard input has the tokens: "read", "control" and "admin", one a line. It prints a line for each check, and ends with 1
if one has failed. The environment's SEED chooses the random requests. It needs PyYAML.
"""

import argparse
import sys
import time

import access
import crowd
from box import Box

SECONDS = 8
MOST_GROWTH_MB = 20
PATIENCE = 300


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("port", type=int)
    parser.add_argument("--openapi", required=True)
    parser.add_argument("--process", type=int, required=True)
    options = parser.parse_args()
    tokens = dict(line.split() for line in sys.stdin)
    box = Box(options.port, options.openapi, options.process)
    session = access.log_in(box)
    warm_up(box, tokens)
    before, memory = figures(box, session), box.memory_mb()

    for attack in crowd.ALL:
        load(box, attack, tokens, session)

    after = wait_for_figures(box, session)
    for place, name in (("video", "dropped_late"), ("destinations", "dropped"), ("destinations", "reconnects")):
        grown = count(after, place, name) - count(before, place, name)
        box.expect(grown <= 0, f"{place} {name}: {grown:+}")
    judge_memory(box, memory)
    sys.exit(box.failures > 0)


def warm_up(box, tokens):
    """What the first request of each kind loads stays loaded, and is no leak."""
    for method, path, _, _ in box.operations():
        if method == "GET" and path not in ("/api/events", "/api/preview.mp4"):
            box.ask(method, path, token=tokens["admin"], wait=3)
    crowd.deaf_listeners(box, 2, tokens)
    crowd.close_all(crowd.open_many(box, 60, b"GET / HTTP/1.1\r\n"))


def load(box, attack, tokens, session):
    before = box.memory_mb()
    person = crowd.Person(box, session)
    person.start()
    did = attack(box, SECONDS, tokens)
    person.is_done = True
    most = box.memory_mb() - before
    person.join(60)
    if attack in crowd.WEAK:
        # On a busy machine there are few requests, of which one that is refused says nothing.
        box.expect(len(person.waits) > 9 * (person.refused - 1), f"{attack.__name__}: a person is answered nine times of ten")
    box.expect(len(person.waits) > 0, f"{did}; meanwhile a person was answered {len(person.waits)} times and {person.refused} times not")
    name = attack.__name__
    print(f"figure {name}/ms, longest answer meanwhile {max(person.waits, default=-1):.0f}")
    print(f"figure {name}/MB more memory at its end {most:.1f}", flush=True)
    best = answer_afterwards(box, session)
    box.expect(best is not None and best <= 1_000, f"{name}: afterwards an answer takes {best or -1:.0f} ms, at most 1000")


def answer_afterwards(box, session):
    """Milliseconds of the first answer within a second; of the last one if there is none. A busy machine may need some time."""
    end = time.monotonic() + PATIENCE
    wait = None
    while time.monotonic() < end:
        since = time.monotonic()
        try:
            if box.ask("GET", "/api/status", cookie=session, wait=3).status == 200:
                wait = (time.monotonic() - since) * 1000
                if wait <= 1_000:
                    break
        except OSError:
            pass
        time.sleep(0.5)
    return wait


def figures(box, session):
    return box.ask("GET", "/api/figures", cookie=session).json


def wait_for_figures(box, session):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        time.sleep(1.5)
        found = figures(box, session)
        if "machine" in found:
            return found
    return {}


def count(found, place, name):
    part = found.get(place) or {}
    part = part if isinstance(part, list) else [part]
    return sum(one.get(name, 0) for one in part)


def judge_memory(box, before):
    """Memory that connections used is given back a moment later."""
    end = time.monotonic() + PATIENCE
    while (growth := box.memory_mb() - before) > MOST_GROWTH_MB and time.monotonic() < end:
        time.sleep(0.5)
    box.expect(growth <= MOST_GROWTH_MB, f"memory: {growth:+.1f} MB after it all, at most {MOST_GROWTH_MB}")
    box.expect(before > 0, f"it began with {before:.1f} MB")


main()
