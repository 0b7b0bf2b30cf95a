#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checks the page's files without a browser: size, languages, and what must not stand in them."""

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ASSETS = ROOT / "Sources/Page/Assets"
MOST_BYTES = 200_000
# Names of texts that are made of parts: t(`grade.${grade}`).
DYNAMIC = re.compile(r"`([a-z_.]+)\$\{")


def problems():
    files = sorted(ASSETS.iterdir())
    size = sum(file.stat().st_size for file in files)
    print(f"{len(files)} files, {size} bytes")
    if size > MOST_BYTES:
        yield f"{size} bytes, {MOST_BYTES} allowed"
    for file in files:
        if not re.fullmatch(r"[a-z0-9.-]+", file.name):
            yield f"{file.name}: not a name that is served"
        if file.suffix != ".json" and "SPDX-License-Identifier: GPL-3.0-or-later\n" not in file.read_text()[:400]:
            yield f"{file.name}: no SPDX lines"
    yield from languages()
    yield from forbidden(files)
    yield from events()


def languages():
    """Both languages have the same texts with the same {values}; each text that the code names exists."""
    english, chinese = (
        {f"{group}.{name}": text for group, texts in json.loads((ASSETS / file).read_text()).items()
         for name, text in texts.items()} for file in ("en.json", "zh.json"))
    for key in sorted(english.keys() ^ chinese.keys()):
        yield f"only in one language: {key}"
    for key in english.keys() & chinese.keys():
        values = [sorted(re.findall(r"\{(\w+)\}", words[key])) for words in (english, chinese)]
        if values[0] != values[1]:
            yield f"other values in the other language: {key}"
    code = "\n".join(file.read_text() for file in ASSETS.glob("*.js"))
    for key in set(re.findall(r"""\bt\(\s*"([a-z_.0-9]+)""", code)):
        if key not in english:
            yield f"no text: {key}"
    named = set(re.findall(r'"([a-z_]+\.[a-z_.0-9]+)"', code))
    starts = set(DYNAMIC.findall(code))
    for key in english:
        if key not in named and not any(key.startswith(start) for start in starts) and not key.endswith(".next"):
            yield f"a text that nothing shows: {key}"


def forbidden(files):
    """The strict Content-Security-Policy allows none of these, and data must never become HTML."""
    for file in files:
        text = file.read_text()
        if file.suffix == ".js":
            for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"):
                if word in text:
                    yield f"{file.name}: {word}"
            if re.search(r"""setAttribute\(["']style|style:\s""", text):
                yield f"{file.name}: an inline style"
        if file.suffix == ".html" and re.search(r"\son\w+=|\sstyle=|<style|<script>", text):
            yield f"{file.name}: an inline script or style"
        if file.suffix in (".js", ".css", ".html"):
            for address in re.findall(r"https?://[^\s\"')]+", text):
                if not address.startswith("http://www.w3.org/"):
                    yield f"{file.name}: an address outside: {address}"


def events():
    """The page listens to each code of an event that the box can send."""
    swift = (ROOT / "Sources/Control/API/Event.swift").read_text()
    body = swift[swift.index("enum Code"):swift.index("The figures of a broadcast")]
    codes = set()
    for line in re.findall(r"^\s*case (.+)$", body, re.MULTILINE):
        for part in line.split(","):
            name = re.search(r'"(\w+)"', part) or re.search(r"(\w+)", part)
            codes.add(name.group(1))
    script = (ASSETS / "box.js").read_text()
    known = set(re.findall(r'"(\w+)"', script[script.index("const CODES"):script.index("];")]))
    for code in sorted(codes ^ known):
        yield f"an event only in one of Event.swift and box.js: {code}"


if __name__ == "__main__":
    found = list(problems())
    print("\n".join(found) or "The page's files are good.")
    sys.exit(bool(found))
