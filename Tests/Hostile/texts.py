# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Attacks by names and texts: paths that lead elsewhere, scripts in fields, bodies that are too long or not understood."""

SCRIPT = "<script>alert(1)</script>"
SECRET_FILE = "/etc/passwd"


def run(box, admin, still_path):
    paths(box, admin)
    scripts(box, admin, still_path)
    bodies(box, admin)


def paths(box, admin):
    faults = []
    names = ["..", "../../../../etc/passwd", "%2e%2e/%2e%2e/%2e%2e/etc/passwd", "..%2f..%2f..%2fetc%2fpasswd",
             "%252e%252e%252fetc%252fpasswd", "....//....//etc/passwd", "..\\..\\etc\\passwd", "%5c..%5c..%5cetc%5cpasswd",
             "/etc/passwd", "//etc/passwd", "%00", "pause%00.png", "index.html%00", "app.js/..%2f..%2faccess.json",
             "%c0%ae%c0%ae/etc/passwd", "x" * 4_000, "%2e" * 1_500, "pause-1", "pause.upload", "access.json", "~root", "%",
             "%zz", SCRIPT, "%3Cscript%3Ealert(1)%3C/script%3E", "pause;x=1", "pause?../../etc/passwd", "a\tb", "%0d%0aX-Evil:%201"]
    asked = 0
    for folder in ("/", "/api/", "/api/stills/", "/api/preview/", "/api/tokens/"):
        for name in names:
            if folder == "/" and name == "/etc/passwd":
                continue
            methods = {"/api/stills/": ("GET", "PUT", "DELETE"), "/api/tokens/": ("DELETE",)}.get(folder, ("GET",))
            for method in methods:
                if name.startswith("pause?") and method != "GET":
                    continue  # the still "pause" itself
                answer = box.ask(method, folder + name, body=b"x" if method == "PUT" else None, token=admin)
                asked += 1
                is_page = folder == "/" and name == ".." and answer.status == 200
                is_still = name.startswith("pause?") and folder == "/api/stills/"
                if answer.status not in (400, 403, 404, 405, 414, 431, 0) and not is_page and not is_still:
                    faults.append(f"{method} {folder}{name[:40]}: {answer.status}")
                if b"root:" in answer.raw or answer.header("X-Evil"):
                    faults.append(f"{method} {folder}{name[:40]} shows a file, or a header was injected")
                if "html" in answer.header("Content-Type") and not is_page:
                    faults.append(f"{method} {folder}{name[:40]}: {answer.header('Content-Type')}")
    for raw in (b"GET /\0 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", b"GET /api/status\0 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
                b"GET \\..\\etc\\passwd HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"):
        answer = box.say(raw, wait=3)
        asked += 1
        if answer.status not in (0, 400, 401, 404):
            faults.append(f"{raw[:30]!r}: {answer.status}")
    box.expect_all(f"{asked} paths that lead elsewhere: no file, nothing injected", faults)
    bad = [name for name in ("", "a b", "../x", "x" * 33, SCRIPT, "\0", "ä", "a/b", "\r\nX: y")
           if box.ask("POST", "/api/tokens", {"name": name, "scope": "read"}, token=admin).status != 400]
    box.expect_all("names of tokens that are none: 400", bad)


def scripts(box, admin, still_path):
    faults = []

    def try_it(name, status, method, path, body):
        answer = box.ask(method, path, body, token=admin)
        if answer.status != status:
            faults.append(f"{name}: {answer.status}, not {status}")
        check_text(name, answer, faults)

    address = f"rtmp://{SCRIPT}/live"
    try_it("in a key with spaces", 400, "PATCH", "/api/settings", {"publish.key": f"{SCRIPT} x\n"})
    try_it("in an address", 400, "PATCH", "/api/settings", {"publish.url": address})
    try_it("as a setting's name", 400, "PATCH", "/api/settings", {SCRIPT: 1})
    try_it("as a value", 400, "PATCH", "/api/settings", {"video.size": SCRIPT})
    try_it("in an address for once", 409, "POST", "/api/start", {"url": address})
    try_it("in a file's name", 400, "PATCH", "/api/settings?check=true", {"pause.image": f"/nowhere/{SCRIPT}.png"})
    # Only files of the media folder can be named from elsewhere.
    try_it("in a still's name", 400, "PATCH", "/api/settings", {"pause.image": still_path})
    for path in ("/api/settings", "/api/events?after=0&with=status,figures", "/api/status", "/api/log", "/api/diagnostics", "/metrics"):
        check_text(path, box.ask("GET", path, token=admin, wait=2), faults)
    try_it("no more in a still's name", 200, "PATCH", "/api/settings", {"pause.image": None})
    box.expect_all("scripts in fields and names: refused or kept as text, never sent as HTML", faults)


def check_text(name, answer, faults):
    kind = answer.header("Content-Type")
    if kind.split(";")[0] not in ("application/json", "text/event-stream", "text/plain"):
        faults.append(f"{name}: sent as {kind}")
    if answer.header("X-Content-Type-Options") != "nosniff":
        faults.append(f"{name}: no nosniff")


def bodies(box, admin):
    faults = []
    long = b'{"video.fps": ' + b" " * 70_000 + b"25}"
    nonsense = [b"", b"[", b"null", b"[]", b'"x"', b"{" * 60_000, b"[" * 60_000, b'{"a":' * 10_000, b"\xff\xfe", b"\0" * 1_000, b"1e999",
                b'{"video.fps": 1e999}', b'{"video.fps": [1]}', b'{"video.fps": {"a": 1}}', b'{"video.fps": NaN}']
    for path, method in (("/api/settings", "PATCH"), ("/api/login", "POST"), ("/api/password", "POST"), ("/api/tokens", "POST"),
                         ("/api/start", "POST"), ("/api/mute", "POST")):
        answer = box.ask(method, path, long, token=admin)
        if answer.status != 413:
            faults.append(f"{method} {path}, 70 kB: {answer.status}")
    for path, method in (("/api/settings", "PATCH"), ("/api/login", "POST"), ("/api/tokens", "POST"), ("/api/start", "POST")):
        for body in nonsense:
            if path == "/api/start" and body in (b"", b"null"):
                continue
            answer = box.ask(method, path, body, token=admin)
            if answer.status != 400:
                faults.append(f"{method} {path} {body[:20]!r}: {answer.status}")
    # Whoever misspells "url" must not go live to another server.
    for path, body in (("/api/start", {"URL": "rtmp://127.0.0.1/live"}), ("/api/start", {"url": "rtmp://127.0.0.1/live", "ky": "x"}),
                       ("/api/tokens", {"name": "more", "scope": "read", "more": 1}), ("/api/login", {"password": "x", "user": "x"})):
        answer = box.ask("POST", path, body, token=admin)
        if answer.status != 400:
            faults.append(f"POST {path} {body}: {answer.status}")
    box.expect_all("bodies that are too long: 413; that are not understood: 400", faults)
