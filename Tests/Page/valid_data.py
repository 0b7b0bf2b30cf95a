#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hooks of schemathesis: each operation also gets data that the box takes, with what it needs to be there.

A schema does not say which relay there is, what a Wi-Fi's password is, or that a test needs a box off air. Every second request
of an operation, the first among them, is made one of those below, after what has to be so was brought about over the box's own
socket. At the end the statuses of all answers are in the file ANSWERS, one a line: "POST /api/relays 200".

The environment gives SOCKET, the box's; REQUESTS, the folder of requests for updates; URL, an RTMP server;
PASSWORD; ANSWERS; and EACH: of the cases that schemathesis lists rather than makes up, each so many-th of an operation is sent.
"""

import collections
import http.client
import json
import os
import socket
import time

import requests
import schemathesis

URL, PASSWORD = os.environ["URL"], os.environ["PASSWORD"]
RELAY = {"name": "second", "url": URL, "key": "second"}
OVERLAY = {"name": "first", "kind": "text", "text": "{api:score}", "width": 0, "from": "18:30", "enabled": False}
TRACK = {"name": "guest", "source": "tone", "volume": 30}
FILTER = {"name": "warm", "kind": "colour", "temperature": 10}
counts, listed = collections.Counter(), collections.Counter()
taken = set()


class Box(http.client.HTTPConnection):
    """The box's own socket."""

    def __init__(self):
        super().__init__("onair", timeout=120)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(os.environ["SOCKET"])


def ask(method, path, body=None):
    box = Box()
    box.request(method, path, None if body is None else json.dumps(body), {"Content-Type": "application/json"})
    answer = box.getresponse().read()
    box.close()
    return json.loads(answer or b"{}")


def on_air():
    ask("POST", "/api/start")


def off_air():
    ask("POST", "/api/stop")


def with_relay():
    ask("POST", "/api/relays", RELAY)
    on_air()


def without_relay():
    ask("DELETE", f"/api/relays/{RELAY['name']}")


def with_overlay():
    ask("POST", "/api/overlays", OVERLAY)


def without_overlays():
    ask("PUT", "/api/overlays", [])


def with_filter():
    ask("POST", "/api/filters", FILTER)


def without_filters():
    ask("PUT", "/api/filters", [])


def with_track():
    ask("POST", "/api/tracks", TRACK)


def without_tracks():
    ask("PUT", "/api/tracks", [])


def with_file():
    ask("PUT", "/api/media/clip.mp4", {})


def with_music():
    ask("POST", "/api/music", {"source": "https://radio.invalid/live"})


def with_paused_music():
    with_music()
    ask("POST", "/api/music/pause")


def with_token():
    ask("POST", "/api/tokens", {"name": "extra", "scope": "read"})


def without_token():
    ask("DELETE", "/api/tokens/extra")


def without_update():
    """As the image's helper does when an update has ended."""
    off_air()
    request = os.path.join(os.environ["REQUESTS"], "update-request")
    if os.path.exists(request):
        os.remove(request)


def settled():
    """One change of the network at a time: confirms the last one, and waits for its end."""
    for _ in range(600):
        change = ask("GET", "/api/network").get("change") or {"state": "done"}
        if change["state"] == "unconfirmed":
            ask("POST", "/api/network/confirm", {"number": change["number"]})
        elif change["state"] != "trying":
            return
        time.sleep(0.1)


def with_wifi():
    settled()
    ask("POST", "/api/network/wifi/join", {"name": "Café"})
    settled()


# By operation: what is brought about before, the parts of the path, and the body. PUT /api/destination is not among them, and the
# start has no address: this box has its own from the command line, which comes before all others.
VALID = {
    "POST /api/login": (None, None, {"password": PASSWORD}),
    "POST /api/logout": (None, None, None),
    "POST /api/tokens": (without_token, None, {"name": "extra", "scope": "control"}),
    "POST /api/operator_password": (None, None, {"new": "who only operates", "password": PASSWORD}),
    "DELETE /api/tokens/{name}": (with_token, {"name": "extra"}, None),
    "POST /api/start": (off_air, None, {}),
    "POST /api/{command}": (on_air, {"command": "mute"}, None),
    "POST /api/uplink": (off_air, None, None),
    "POST /api/lipsync": (None, None, {"x": 0.25, "y": 0.25, "width": 0.5, "height": 0.5}),
    "POST /api/network/wifi/scan": (None, None, None),
    "POST /api/network/wifi/join": (settled, None, {"name": "Home", "password": "home-password"}),
    "POST /api/network/wifi/forget": (with_wifi, None, {"name": "Café"}),
    "PUT /api/network/address": (settled, None, {"interface": "eth0", "method": "dhcp"}),
    "PATCH /api/settings": (None, None, {"video.fps": 20, "audio.gain_db": None}),
    "POST /api/settings/export": (None, None, {"passphrase": "three plain words", "password": PASSWORD}),
    "POST /api/settings/import": (None, None, {"text": "video.fps = 20\n"}),
    "PUT /api/relays": (None, None, [RELAY]),
    "POST /api/relays": (without_relay, None, RELAY),
    "PATCH /api/relays/{name}": (with_relay, {"name": "second"}, {"enabled": True}),
    "DELETE /api/relays/{name}": (with_relay, {"name": "second"}, None),
    "PUT /api/overlays": (None, None, [OVERLAY]),
    "POST /api/overlays": (without_overlays, None, {key: value for key, value in OVERLAY.items() if key != "name"}),
    "PATCH /api/overlays/{name}": (with_overlay, {"name": "first"}, {"enabled": True, "from": None}),
    "DELETE /api/overlays/{name}": (with_overlay, {"name": "first"}, None),
    "PUT /api/filters": (None, None, [FILTER]),
    "POST /api/filters": (without_filters, None, {"kind": "sharpen", "sharpness": 20}),
    "PATCH /api/filters/{name}": (with_filter, {"name": "warm"}, {"temperature": -10, "enabled": False}),
    "DELETE /api/filters/{name}": (with_filter, {"name": "warm"}, None),
    "PATCH /api/audio": (with_track, None, {"scene": "speech", "tracks": [{"name": "main", "volume": 40}, {"name": "guest", "pan": -30}]}),
    "PUT /api/tracks": (None, None, [TRACK]),
    "POST /api/tracks": (without_tracks, None, {"source": "tone", "mute": True}),
    "PATCH /api/tracks/{name}": (with_track, {"name": "guest"}, {"volume": 20, "mute": None}),
    "DELETE /api/tracks/{name}": (with_track, {"name": "guest"}, None),
    "PATCH /api/text/{name}": (None, {"name": "score"}, {"text": "2 : 1"}),
    "POST /api/music": (None, None, {"source": "https://radio.invalid/live", "loop": True, "volume": 40}),
    "POST /api/music/pause": (with_music, None, None),
    "POST /api/music/resume": (with_paused_music, None, None),
    "POST /api/music/stop": (with_music, None, None),
    "POST /api/volumes": (None, None, {"voice": 60, "music": 40}),
    "DELETE /api/stills/{still}": (None, {"still": "pause"}, None),
    "PUT /api/media/{name}": (None, {"name": "clip.mp4"}, b"a film"),
    "DELETE /api/media/{name}": (with_file, {"name": "clip.mp4"}, None),
    "POST /api/update": (without_update, None, {"url": "https://example.org/onair.raucb", "older": True}),
    "PUT /api/update": (without_update, None, b"hsqs and the rest of a bundle"),
}
for action in ("start", "stop", "pause", "resume"):
    VALID[f"POST /api/relays/{action}"] = (with_relay, None, None)
    VALID[f"POST /api/relays/{{name}}/{action}"] = (with_relay, {"name": "second"}, None)


@schemathesis.hook
def filter_case(context, case):
    if case.meta is None or case.meta.phase.name != "coverage":
        return True
    listed[case.operation.label] += 1
    return (listed[case.operation.label] - 1) % int(os.environ["EACH"]) == 0


@schemathesis.hook
def before_call(context, case, kwargs):
    name = case.operation.label
    if name not in VALID or case.method.upper() != case.operation.method.upper():
        return
    counts[name] += 1
    if counts[name] % 2 == 0:
        return
    prepare, parts, body = VALID[name]
    if prepare:
        prepare()
    if parts:
        case.path_parameters = dict(parts)
    case.query = {}
    if body is not None:
        case.body = body
        case.media_type = "application/octet-stream" if isinstance(body, bytes) else "application/json"


@schemathesis.hook
def after_call(context, case, response):
    name, status = case.operation.label, response.status_code
    # The box takes so many changes in a time: what it would take is sent again after the time that it asks for.
    if status == 429 and name in VALID and name not in taken:
        time.sleep(1 + float(response.headers["retry-after"][0]))
        status = requests.Session().send(response.request, timeout=120).status_code
    if 200 <= status < 300:
        taken.add(name)
    with open(os.environ["ANSWERS"], "a", encoding="utf-8") as answers:
        print(name, status, file=answers)


if __name__ == "__main__":
    # As Tests/lib.sh, run_checks: whether each operation has had data that the box took.
    with open(os.environ["ANSWERS"], encoding="utf-8") as answers:
        seen = collections.defaultdict(collections.Counter)
        for line in answers:
            operation, status = line.rsplit(" ", 1)
            seen[operation][int(status)] += 1
    for operation in VALID:
        statuses = ", ".join(f"{status}: {count}" for status, count in sorted(seen[operation].items()))
        word = "good" if any(200 <= status < 300 for status in seen[operation]) else "WRONG"
        print(f"{word} {operation}, answers: {statuses or 'none'}")
