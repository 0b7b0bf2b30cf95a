# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Attacks on who may do what: without a session, with too small a scope, from pages of other sites, with guesses."""

import base64
import os
import time

PASSWORD = "correct horse battery staple"


def run(box, tokens):
    no_session(box)
    small_scopes(box, tokens)
    other_sites(box, tokens)
    session = log_in(box)
    sessions(box, session)
    forms(box, session)


def log_in(box, source=None, cookie=None, device=None):
    headers = [f"Cookie: {device}"] if device else []
    answer = box.ask("POST", "/api/login", {"password": PASSWORD}, source=source, cookie=cookie, origin=box.own_origin,
                     headers=headers)
    set_cookie = answer.header("Set-Cookie")
    secret = set_cookie.partition("=")[2].partition(";")[0]
    # What the box gives to its owner is no leak.
    box.answers[-1] = box.answers[-1].replace(secret.encode(), b"") if secret else box.answers[-1]
    box.expect(answer.status == 200 and len(secret) == 43 and "HttpOnly" in set_cookie and "SameSite=Strict" in set_cookie,
               f"login: {answer.status}, a cookie that is HttpOnly and SameSite=Strict")
    return secret


def no_session(box):
    faults = []
    count = 0
    guess = base64.urlsafe_b64encode(os.urandom(32)).decode().rstrip("=")
    for method, path, scope, _ in box.operations():
        if scope is None:
            continue
        for extra in ({}, {"token": "wrong"}, {"token": guess}, {"cookie": guess}, {"headers": ["Authorization: Basic YTph"]}):
            answer = box.ask(method, path, body="" if method != "GET" else None, **extra)
            count += 1
            if answer.status != 401 or answer.json.get("code") != "not_logged_in":
                faults.append(f"{method} {path} {extra}: {answer.status}")
    box.expect_all(f"{count} requests without a session or with a wrong one: 401", faults)


def small_scopes(box, tokens):
    order = ["read", "operate", "control", "admin"]
    faults = []
    count = 0
    for method, path, scope, _ in box.operations():
        if scope is None:
            continue
        for held in order[: order.index(scope)]:
            answer = box.ask(method, path, body="{}" if method != "GET" else None, token=tokens[held])
            count += 1
            if answer.status != 403 or answer.json.get("code") != "scope_too_small":
                faults.append(f"{method} {path} with {held}: {answer.status}")
    answer = box.ask("POST", "/api/start", {"url": "rtmp://evil.example/live"}, token=tokens["control"])
    if answer.status != 403:
        faults.append(f"another address with control: {answer.status}")
    box.expect_all(f"{count + 1} requests with too small a scope: 403", faults)
    # What the command line may do, and no token.
    box.expect(box.ask("POST", "/api/access/reset", "", token=tokens["admin"]).status == 403, "a reset over TCP: 403")
    # After a factory reset the box is whoever's comes first: a token that was stolen must not do for that.
    for body, status in (({"confirm": "reset"}, 403), ({"confirm": "reset", "password": "a wrong one"}, 401)):
        found = box.ask("POST", "/api/factory_reset", body, token=tokens["admin"]).status
        box.expect(found == status, f"a factory reset with {list(body)}: {found}")
    # A password for operators would outlive the token.
    for body, status in (({"new": "a second one"}, 403), ({"new": "a second one", "password": "a wrong one"}, 401),
                         ({"new": None}, 403)):
        found = box.ask("POST", "/api/operator_password", body, token=tokens["admin"]).status
        box.expect(found == status, f"a password for operators with {list(body)}: {found}")
    # Whoever sees the number of no change confirms none.
    found = box.ask("POST", "/api/network/confirm", {}).status
    box.expect(found == 400, f"a change of the network confirmed without its number: {found}")


def other_sites(box, tokens):
    port = box.port
    faults = []

    def refused(name, status, **options):
        for method, path in (("GET", "/api/status"), ("POST", "/api/mute"), ("GET", "/api/settings"), ("GET", "/")):
            answer = box.ask(method, path, body="" if method == "POST" else None, token=tokens["admin"], **options)
            if answer.status != status:
                faults.append(f"{name}, {method} {path}: {answer.status}, not {status}")

    for origin in ("http://evil.example", "null", "http://127.0.0.1:1", f"http://127.0.0.1:{port}.evil.example",
                   f"http://evil.example:{port}", f"ftp://127.0.0.1:{port}", f"http://127.0.0.1:{port}/", "", "file://",
                   f"http://user@127.0.0.1:{port}"):
        refused(f"origin {origin!r}", 403, headers=[f"Origin: {origin}"])
    # DNS rebinding: the name of another site that leads here.
    for host in ("evil.example", f"evil.example:{port}", f"127.0.0.1.evil.example:{port}", f"127.0.0.1:{port}@evil.example",
                 f"evil.example#127.0.0.1:{port}", "127.1", "2130706433", "0x7f.1", "localhost.evil.example", "[::1", "[::1]x",
                 "127.0.0.1:99999999", "<script>alert(1)</script>", "127.0.0.1:8080:8080"):
        refused(f"host {host!r}", 403, host=host)
    for site in ("cross-site", "same-site", "nonsense"):
        refused(f"Sec-Fetch-Site {site}", 403, headers=[f"Sec-Fetch-Site: {site}"])
    refused("two Host headers", 400, headers=["Host: evil.example"])
    refused("two equal Host headers", 400, headers=[f"Host: 127.0.0.1:{port}"])
    for request in (b"GET /api/status HTTP/1.1\r\n\r\n", b"GET /api/status HTTP/1.1\r\nHost:\r\n\r\n",
                    b"GET http://evil.example/api/status HTTP/1.1\r\nHost: evil.example\r\n\r\n",
                    f"GET http://evil.example/api/status HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode(),
                    b"GET /api/status HTTP/1.0\r\n\r\n", b"OPTIONS * HTTP/1.1\r\nHost: evil.example\r\n\r\n",
                    b"CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n"):
        answer = box.say(request, wait=2)
        if answer.status not in (0, 400, 403):
            faults.append(f"{request!r}: {answer.status}")
    box.expect_all("forged Origin, Host and Fetch Metadata, DNS rebinding: 403; two Host headers: 400", faults)


def sessions(box, session):
    own = box.own_origin
    box.expect(box.ask("GET", "/api/status", cookie=session).status == 200, "a session reads the status")
    # Planted before the login: it must not become valid.
    planted = "A" * 43
    box.expect(box.ask("GET", "/api/status", cookie=planted).status == 401, "a planted cookie before the login: 401")
    second = log_in(box, cookie=planted)
    box.expect(second != planted and box.ask("GET", "/api/status", cookie=planted).status == 401,
               "a planted cookie after the login: 401, and another one is given")
    both = box.ask("GET", "/api/status", headers=[f"Cookie: onair_session={planted}; onair_session={second}"])
    box.expect(both.status == 200, f"two cookies of the name: {both.status}, the valid one counts")
    wrong = box.ask("GET", "/api/status", cookie=second, token="wrong")
    box.expect(wrong.status == 401, f"a wrong token beside a good cookie: {wrong.status}")
    box.expect(box.ask("POST", "/api/logout", "", cookie=second, origin=own).status == 200, "logout")
    replay = [box.ask("GET", "/api/status", cookie=second).status, box.ask("POST", "/api/mute", "", cookie=second, origin=own).status]
    box.expect(replay == [401, 401], f"the session replayed after the logout: {replay}")
    box.expect(box.ask("GET", "/api/status", cookie=session).status == 200, "another session is still in")


def forms(box, session):
    """Cross-site request forgery: what a form of another site can send with the victim's cookie."""
    faults = []
    kinds = ("application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain")
    for kind in kinds:
        for origin in ("http://evil.example", "null", None):
            for method, path, body in (("POST", "/api/stop", ""), ("POST", "/api/password", '{"new": "hacked by me", "x": "="}'),
                                       ("POST", "/api/tokens", '{"name": "evil", "scope": "admin", "x": "="}'),
                                       ("PATCH", "/api/settings", '{"publish.url": "rtmp://evil.example/live"}')):
                answer = box.ask(method, path, body, headers=[f"Content-Type: {kind}"], cookie=session, origin=origin)
                if answer.status != 403:
                    faults.append(f"{method} {path} as {kind} from {origin}: {answer.status}")
    box.expect_all("forms of other sites with the victim's cookie: 403", faults)


def brute_force(box):
    """A client that guesses waits longer and longer; others do not."""
    guesser = "127.0.0.7"
    statuses, waits = [], []
    # Until it has to wait for so long that a slow machine is no way around it.
    while len(statuses) < 40 and max(waits, default=0) < 8:
        answer = box.ask("POST", "/api/login", {"password": f"guess number {len(statuses)}"}, source=guesser)
        statuses.append(answer.status)
        if answer.status == 429:
            wait = answer.header("Retry-After") or ""
            box.expect(wait.isdigit() and 1 <= int(wait) <= 60, f"Retry-After: {wait or 'missing'}")
            waits.append(int(wait))
            time.sleep(waits[-1] if waits[-1] < 8 else 0)
    box.expect(statuses[:5] == [401] * 5 and set(statuses[5:]) <= {401, 429} and statuses[-1] == 429,
               f"guesses: {statuses}, seconds to wait: {waits}")
    box.expect(max(waits, default=0) >= 8, f"it waits longer and longer: {waits}")
    right = box.ask("POST", "/api/login", {"password": PASSWORD}, source=guesser)
    box.expect(right.status == 429, f"the right password while it has to wait: {right.status}, so that guessing tells nothing")
    log_in(box, source="127.0.0.8")


def crowd_of_guessers(box):
    """Sixty addresses of the local network guess: who is new has to wait, and a browser that was in before has not."""
    first = box.ask("POST", "/api/login", {"password": PASSWORD}, source="127.0.0.9", origin=box.own_origin)
    device = next((value.partition(";")[0] for key, value in first.headers
                   if key.lower() == "set-cookie" and "device" in value), "")
    box.answers[-1] = b""
    box.expect("=" in device, "a login gives the browser a name")
    for host in range(1, 70):
        box.ask("POST", "/api/login", {"password": "short"}, source=f"127.0.1.{host}")
    fresh = box.ask("POST", "/api/login", {"password": PASSWORD}, source="127.0.2.1")
    box.expect(fresh.status == 429 and "button" in fresh.json.get("sentence", ""), f"a browser that is new: {fresh.status}, and what else works")
    log_in(box, source="127.0.2.1", device=device)
    log_in(box, source="127.0.1.1", device=device)


def browsers(box):
    """Other names for the box: a person gets a page, a script JSON; no page of another site may embed an answer."""
    page = box.ask("GET", "/", host="streambox.example", headers=["Accept: text/html"])
    box.expect(page.status == 403 and "text/html" in page.header("Content-Type"), f"a browser under another name: {page.status}, a page")
    begun = box.say(f"POST /api/login HTTP/1.1\r\nHost: 127.0.0.1:{box.port}\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n{{}}"
                    .encode(), wait=3)
    box.expect(begun.status == 100, f"Expect: 100-continue: {begun.status}")
    for path in ("/api/snapshot.jpg", "/api/status", "/", "/nowhere"):
        policy = box.ask("GET", path).header("Cross-Origin-Resource-Policy")
        box.expect(policy == "same-origin", f"GET {path} is for pages of the box alone: {policy}")
