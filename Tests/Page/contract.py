#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares the status codes that openapi.yaml lists for each operation with those that the program can answer.

Requests find an undocumented status only by luck. Here each route's handler is read, with the functions that it calls: which
statuses they name, which errors they throw, and what the table of routes answers before a handler is called.
"""

import os
import pathlib
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CONTROL = os.path.join(ROOT, "Sources/Control")
ACCESS = os.path.join(ROOT, "Sources/Access")

STATUSES = {
    "badRequest": 400, "unauthorized": 401, "forbidden": 403, "notFound": 404, "conflict": 409, "contentTooLarge": 413,
    "rangeNotSatisfiable": 416,
    "unprocessableContent": 422, "tooManyRequests": 429, "internalServerError": 500, "serviceUnavailable": 503,
}
# What a path with a variable part is called in openapi.yaml, and for which values there is a route.
ACTIONS = {"api/guests": ["admit", "hide", "remove", "allow"], "api/": ["start", "stop", "pause", "resume"]}
LISTS = ["relays", "overlays", "filters", "tracks", "schedule", "guests"]
# Pages and the description itself are not described.
NOT_DESCRIBED = {"api/openapi.yaml"}


def read(folder):
    """The text of all Swift files in a folder and in those inside it, by name."""
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(pathlib.Path(folder).rglob("*.swift"))}


def block(text, start, opening="{", closing="}"):
    """The text from `start` to the end of the block that begins there, or after it."""
    depth, index = 0, text.index(opening, start)
    while True:
        if text[index] == opening:
            depth += 1
        elif text[index] == closing:
            depth -= 1
            if depth == 0:
                return text[start:index + 1]
        index += 1


def functions(files):
    """The functions by name: the files and texts of all of that name."""
    found = {}
    for name, text in files.items():
        for match in re.finditer(r"\bfunc (\w+)|\bvar (?=\w+: Response)(\w+)", text):
            found.setdefault(match[1] or match[2], []).append((name, block(text, match.start())))
    return found


def access_errors():
    """The statuses of what the functions of Access throw, as their descriptions say."""
    cases = {}
    answer = read(os.path.join(CONTROL, "Answers"))["Answer.swift"]
    switch = block(answer, answer.index("extension AccessError"))
    for match in re.finditer(r"case ((?:\.\w+(?:\([^)]*\))?,?\s*)+): \.(\w+)", switch):
        for case in re.findall(r"\.(\w+)", match[1]):
            cases[case] = STATUSES[match[2]]
    thrown = {}
    for text in read(ACCESS).values():
        for match in re.finditer(r"((?: *///[^\n]*\n)+)(?: *@\w+\n)* *(?:public )?func (\w+)", text):
            said = re.search(r"- Throws:(.*)", match[1], re.DOTALL)
            names = re.findall(r"`\.(\w+)`", said[1]) if said else []
            unknown = [name for name in names if name not in cases]
            if unknown:
                sys.exit(f"{match[2]} throws {unknown}, which have no status")
            thrown.setdefault(match[2], set()).update(cases[name] for name in names)
    return thrown


class Code:
    """What the program can answer."""

    def __init__(self):
        self.files = read(os.path.join(CONTROL, "Routes")) | read(os.path.join(CONTROL, "Answers"))
        # How a reply becomes an answer is in `statuses`.
        self.functions = functions({name: text for name, text in self.files.items() if name != "Answer.swift"})
        self.access = access_errors()
        self.known = {}
        # Parameters that are read, and refused before that.
        self.unlisted = []

    def statuses(self, file, text, seen=()):
        """The statuses that a piece of code can answer with, besides success."""
        found = {STATUSES[name] for name in re.findall(r"\.(\w+)", text) if name in STATUSES}
        if "body(of:" in text or "decode(" in text:
            found.add(413)
        if re.search(r"\.httpStatus\b|\.reply, ", text):
            for match in re.finditer(r"var httpStatus", self.files[file]):
                found |= self.statuses(file, block(self.files[file], match.start()), seen + ("httpStatus",))
        # The station's reply to something: done, or not possible now. A change of settings may have mistakes.
        if re.search(r"Answer\.reply\((?!\s*(?:ControlReply\(changed|fault))", text) or "Answer.reply(reply" in text:
            found.add(409)
            if re.search(r"SettingsPatch|patch|reload", text):
                found.add(400)
        for name in re.findall(r"\baccess\.(\w+)\(", text):
            found |= self.access.get(name, set())
        # A thread that has too many jobs takes none.
        if re.search(r"\bpreview\.(?!segment)\w+\(|\b(jobs|JobThread\.\w+)\.run\b", text):
            found.add(503)
        for name in set(re.findall(r"(?:(?<!\.)\b(\w+)(?=[(<]| \{)|\bRoutes\.(\w+))", text)):
            name = name[0] or name[1]
            if name in seen or name not in self.functions or name.startswith("add"):
                continue
            everywhere = self.functions[name]
            for where, body in [each for each in everywhere if each[0] == file] or everywhere:
                found |= self.statuses(where, body, seen + (name,))
        return found

    def routes(self):
        """(method, path, statuses) of all routes."""
        table = self.files["RouteTable.swift"]
        long = re.findall(r'"([^"]+)"', re.search(r"static let longAnswerPaths: Set = \[([^\]]*)\]", table)[1])
        for file, text in self.files.items():
            for match in re.finditer(r'table\.on\(\s*\.(\w+), (path|"[^"]*"), needs: ([^)]*)\)', text):
                method, path, scope = match[1], match[2].strip('"'), match[3].strip()
                if path == "path" or path in NOT_DESCRIBED:
                    continue
                handler = block(text, match.end())
                found = self.statuses(file, handler)
                is_safe = method == "get"
                if not is_safe:
                    # A parameter that is not known.
                    found.add(400)
                    self.unlisted += [
                        f"{method.upper()} /{path} reads the parameter {name}, which its query: does not list"
                        for name in re.findall(r'queryParameters\["(\w+)"\]', handler) if f'"{name}"' not in scope]
                if scope != "nil":
                    found |= {401, 403} | (set() if is_safe else {429})
                elif not is_safe:
                    found.add(403)
                if path in long:
                    found.add(503)
                if ":" not in path:
                    # What is not there can only be named by the address.
                    found.discard(404)
                paths = [path]
                if "\\(action.rawValue)" in path:
                    actions = next(ACTIONS[start] for start in ACTIONS if path.startswith(start))
                    paths = [path.replace("\\(action.rawValue)", action) for action in actions]
                elif "\\(routes.path)" in path:
                    paths = [path.replace("\\(routes.path)", one) for one in LISTS]
                elif "\\(word)" in path or ":command" in path:
                    # One operation; an unknown word is not found.
                    paths, found = ["api/:command"], found | {404}
                for each in paths:
                    yield method, "/" + re.sub(r":(\w+)", r"{\1}", each), found


def documented(text):
    """(method, path) of each operation with its statuses. The file is YAML of one style."""
    found, path, method = {}, None, None
    for line in text.splitlines():
        if match := re.match(r"  (/\S*):$", line):
            path, method = match[1], None
        elif match := re.match(r"    (get|put|post|patch|delete):$", line):
            method = match[1]
            found[method, path] = set()
        elif (match := re.match(r'        "(\d+)":', line)) and method:
            found[method, path].add(int(match[1]))
        elif re.match(r"\w", line):
            path = method = None
    return found


def dangling(text):
    """The references to components that are not there."""
    there, section = set(), None
    for line in text[text.index("\ncomponents:") :].splitlines():
        if match := re.match(r"  (\w+):$", line):
            section = match[1]
        elif match := re.match(r"    (\w+):", line):
            there.add(f"{section}/{match[1]}")
    return sorted(set(re.findall(r"#/components/([\w/]+)", text)) - there)


def main():
    text = open(os.path.join(ROOT, "Sources/Page/API/openapi.yaml"), encoding="utf-8").read()
    api = documented(text)
    code, program = {}, Code()
    for method, path, found in program.routes():
        code.setdefault((method, path), set()).update(found)
    wrong = 0
    for method, path in sorted(api.keys() | code.keys()):
        said = {status for status in api.get((method, path), set()) if status >= 400}
        can = code.get((method, path))
        name = f"{method.upper()} {path}"
        if can is None:
            problem = "there is no such route"
        elif (method, path) not in api:
            problem = "openapi.yaml does not know it"
        elif said != can:
            parts = []
            if can - said:
                parts.append(f"openapi.yaml does not list {sorted(can - said)}")
            if said - can:
                parts.append(f"nothing answers {sorted(said - can)}")
            problem = "; ".join(parts)
        else:
            print(f"good {name}: {sorted(said)}")
            continue
        wrong += 1
        print(f"WRONG {name}: {problem}")
    problems = program.unlisted + [f"openapi.yaml has no #/components/{name}" for name in dangling(text)]
    for problem in problems:
        print(f"WRONG {problem}")
    return 1 if wrong or problems else 0


if __name__ == "__main__":
    sys.exit(main())
