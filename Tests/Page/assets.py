#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checks the page's files without a browser: size, languages, links, the help, and what must not stand in them."""

import fnmatch
import itertools
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ASSETS = ROOT / "Sources/Page/Assets"
# Each view loads when it is opened, so this is what a visit to all of them costs.
MOST_BYTES = 523_000
# What a phone loads before its first view can be used: the page, its styles, the scripts that it names, and one language.
MOST_FIRST_BYTES = 200_500
# The English texts: of the first view, and of a part of the page.
WORDS = re.compile(r"(^|-)en\.json$")
# The help is loaded alone: a page in one language, and its style.
HELP = "help.html", "help-zh.html"
HELP_STYLE = "help.css"
MOST_HELP_BYTES = 30_000
# Addresses of a box, which the help tells: an example and those that are the same everywhere.
OWN_ADDRESS = re.compile(r"http://(onair(-2)?\.local|10\.42\.0\.1|192\.168\.1\.23)?</code>")
# Names of texts that are made of parts: t(`grade.${grade}`).
DYNAMIC = re.compile(r"`([a-z_.]+)\$\{")
# The document with the table of all settings.
SETTINGS = "systemd/README.md"
# Words of the code and of one kind of owner, which no text explains.
UNTOLD = re.compile(r"\blayers?\b|图层|\bas in the service\b", re.IGNORECASE)
# What the box says in English by itself.
CHINESE_ONLY = "help.", "refused.", "event."


# Spaces in a script that are not served, and lines that are served as they are.
SPACES = re.compile(r" (?=[,;:{}()=?&|<>\[\]])|(?<=[,;:{}()=?&|<>\[\]]) ")
KEPT_LINE = re.compile(r"""[`'/\\]""")


def dense(line):
    """A line of a script without the spaces beside its punctuation, outside of its strings."""
    parts = line.split('"')
    if KEPT_LINE.search(line) or len(parts) % 2 == 0:
        return line
    return '"'.join(part if i % 2 else SPACES.sub("", part) for i, part in enumerate(parts))


def served(file):
    """How many bytes of a file are served (Sources/Page/Asset.swift): scripts and styles without indentation, comments and spaces
    beside their punctuation, JSON without ends of lines."""
    text = file.read_bytes()
    if file.suffix == ".json":
        return len(text.replace(b"\n", b""))
    if file.suffix not in (".js", ".css"):
        return len(text)
    comment = rb"(?m)^(?://(?! SPDX-).*|/\*(?:(?!\*/).)*\*/|/\*\*(?:(?!\*/)[\s\S])*\*/)$"
    text = re.sub(comment, lambda found: b"\n" * found.group().count(b"\n"), re.sub(rb"(?m)^ +", b"", text))
    if file.suffix == ".css":
        text = re.sub(rb"(?m)^(?!SPDX-).+$", lambda line: re.sub(rb"(?<=[{;,:]) | (?=[{}])", b"", line.group()), text)
    else:
        text = "\n".join(dense(line) for line in text.decode().split("\n")).encode()
    return len(text)


def problems():
    files = sorted(ASSETS.iterdir())
    # A reader loads the texts of one language.
    unread = sum(min(served(file.with_name(file.name.replace("en.json", name))) for name in ("en.json", "zh.json"))
                 for file in files if WORDS.search(file.name))
    size = sum(served(file) for file in files if file.name not in (*HELP, HELP_STYLE)) - unread
    print(f"{len(files)} files, {size} bytes")
    if size > MOST_BYTES:
        yield f"{size} bytes, {MOST_BYTES} allowed"
    index = (ASSETS / "index.html").read_text()
    first = {"index.html", "zh.json", *re.findall(r'(?:href|src)="([^"#]+)"', index)}
    first_size = sum(served(ASSETS / name) for name in first)
    print(f"{first_size} bytes before the first view")
    if first_size > MOST_FIRST_BYTES:
        yield f"{first_size} bytes before the first view, {MOST_FIRST_BYTES} allowed"
    embedded = (ROOT / "Sources/CEmbedded/page.c").read_text()
    for file in files:
        if f'FILE_OF("{file.name}"' not in embedded:
            yield f"{file.name}: not in Sources/CEmbedded/page.c, so it is not served"
        if not re.fullmatch(r"[a-z0-9.-]+", file.name):
            yield f"{file.name}: not a name that is served"
        if file.suffix != ".json" and "SPDX-License-Identifier: GPL-3.0-or-later\n" not in file.read_text()[:400]:
            yield f"{file.name}: no SPDX lines"
    english, chinese = (texts(language) for language in ("en", "zh"))
    yield from languages(english, chinese)
    yield from settings(english, chinese)
    yield from causes(chinese)
    yield from sentences_of_sound(chinese)
    yield from refusals(english)
    yield from links(files)
    yield from help_pages()
    yield from forbidden(files)
    yield from events()


def texts(language):
    """All texts of a language: those of the first view, and those that parts of the page load."""
    return {f"{group}.{name}": text for file in (ASSETS / f"{language}.json", *sorted(ASSETS.glob(f"*-{language}.json")))
            for group, names in json.loads(file.read_text(), object_pairs_hook=unique).items() for name, text in names.items()}


def unique(pairs):
    """An object of a file of texts; ends the run if a name is there twice."""
    names = [name for name, _ in pairs]
    if repeated := {name for name in names if names.count(name) > 1}:
        sys.exit(f"texts that are there twice: {', '.join(sorted(repeated))}")
    return dict(pairs)


def languages(english, chinese):
    """Both languages have the same texts with the same {values}; each text that the code names exists."""
    for key in sorted(english.keys() ^ chinese.keys()):
        if not key.startswith(CHINESE_ONLY):
            yield f"only in one language: {key}"
    for key in english.keys() & chinese.keys():
        values = [sorted(re.findall(r"\{(\w+)\}", words[key])) for words in (english, chinese)]
        if values[0] != values[1]:
            yield f"other values in the other language: {key}"
    for key, text in (english | {f"{key} (Chinese)": text for key, text in chinese.items()}).items():
        if UNTOLD.search(text):
            yield f"a word that nothing explains: {key}: {text}"
    code = "\n".join(file.read_text() for file in ASSETS.glob("*.js"))
    for key in set(re.findall(r"""\bt\(\s*"([a-z_.0-9]+)""", code)):
        if key not in english:
            yield f"no text: {key}"
    named = set(re.findall(r'"([a-z_]+\.[a-z_.0-9]+)"', code))
    starts = set(DYNAMIC.findall(code))
    for key in english | chinese:
        if key not in named and not any(key.startswith(start) for start in starts):
            yield f"a text that nothing shows: {key}"


def settings_table():
    """The output of `onair settings --markdown`, which Tests/documents.py keeps."""
    return (ROOT / SETTINGS).read_text().split("<!-- made: settings -->")[1].split("<!-- /made -->")[0]


def settings(english, chinese):
    """Each setting has a label in both languages and a help in Chinese; each named choice is one."""
    table = settings_table()
    allowed = dict(re.findall(r"^\| `([a-z_.]+)` \| .*? \| (.*?) \|", table, re.MULTILINE))
    for prefix, words in (("set.", english), ("help.", chinese)):
        keys = {key.removeprefix(prefix) for key in words if key.startswith(prefix)}
        for key in sorted(keys ^ allowed.keys()):
            yield f"only in one of {SETTINGS} and the texts: {prefix}{key}"
    for key in english:
        if key.startswith("choice."):
            section, name, choice = key.removeprefix("choice.").split(".", 2)
            # A choice that ends with a colon takes a free part: "file:PATH".
            values = re.findall(r"[\w:-]+", allowed.get(f"{section}.{name}", ""))
            if not any(value.startswith(choice) if choice.endswith(":") else value == choice for value in values):
                yield f"no such choice: {key}"


def refusals(english):
    """Each code of a mistake in a change has words, and each setting says what it may be."""
    swift = (ROOT / "Sources/Settings/Form/Problem.swift").read_text()
    body = swift[swift.index("enum Code"):]
    for case in re.findall(r"^    case (.+)$", body[:body.index("\n  }")], re.MULTILINE):
        code = re.search(r'"(\w+)"', case)
        code = code.group(1) if code else case
        # The first is for what only the box has words for, the second for the rules below.
        if code not in ("other", "not_allowed") and f"problem.{code}" not in english:
            yield f"no text for a mistake: problem.{code}"
    script = (ASSETS / "why.js").read_text()
    alike = [re.compile(one.replace("\\.", "[.]")) for one in re.findall(r'\[/(.+?)/, "', script)]
    table = settings_table()
    for key, allowed in re.findall(r"^\| `([a-z_.]+)` \| .*? \| (.*?) \|", table, re.MULTILINE):
        by_form = re.match(r"true or false|a (whole )?number, |\"|[0-9]+(, [0-9]+)* or ", allowed)
        if not by_form and f"rule.{key}" not in english and not any(one.search(key) for one in alike):
            yield f"no text for what {key} may be: {allowed}"


def causes(chinese):
    """Each cause that has a text is one that the box can name."""
    code = "\n".join(file.read_text() for file in (ROOT / "Sources").rglob("*.swift"))
    words = set(re.findall(r'"([a-z_]+)"', code)) | set(re.findall(r"\bcase ([a-z]+)$", code, re.MULTILINE))
    # Some are made of two parts: "timed_out_\\(step)", and the page tells those of picture, sound,
    # other sources and relays apart.
    starts = "video_", "audio_", "pattern_", "tone_", "file_", "pipe_", *re.findall(r'"([a-z_]+_)\\\(', code)
    for key in chinese:
        if key.startswith("cause."):
            name = key.removeprefix("cause.").removeprefix("relay_")
            parts = [name.removeprefix(start) for start in starts if name.startswith(start)]
            if not any(part in words for part in [name, *parts]):
                yield f"the box knows no such cause: {key}"


def sentences_of_sound(chinese):
    """Each trouble of the music and of the headphones has words in Chinese, as the box has only English ones."""
    for prefix, files, unused in (
            ("music", ("Music/MusicTrouble.swift", "File/FileTrouble.swift"), {"interrupted", "unfit_picture"}),
            ("headphones", ("Monitor/MonitorTrouble.swift",), set())):
        for file in files:
            swift = (ROOT / "Sources/Capture" / file).read_text()
            body = swift[swift.index("var code: String"):]
            for code in re.findall(r': "(\w+)"$', body[:body.index("\n  }\n")], re.MULTILINE):
                if code not in unused and f"event.{prefix}_{code}" not in chinese:
                    yield f"no text in Chinese: event.{prefix}_{code}"


def links(files):
    """Each local address is a file of the page, or a path that the description of the API has."""
    names = {file.name for file in files}
    description = (ROOT / "Sources/Page/API/openapi.yaml").read_text()
    paths = {"/api/openapi.yaml", *re.findall(r"^  (/\S+):$", description, re.MULTILINE)}
    patterns = {
        ".html": r'\b(?:href|src)="([^"]+)"',
        ".css": r"url\([\"']?([^\"')]+)",
        ".js": r"""(?:\b(?:href|src)\s*[:=]\s*|\bfetch\(|\bfrom |\bimport\()[("'`]*([^"'`\s]+)["'`]"""
               r"""|["'`](/api/[^"'`\s]+)""",
    }
    for file in files:
        for found in re.findall(patterns.get(file.suffix, r"(?!)"), file.read_text()):
            address = next(filter(None, found)) if isinstance(found, tuple) else found
            if address.startswith(("#", "data:")):
                continue
            target = re.sub(r"\$\{[^}]*\}", "*", address).split("?")[0].split("#")[0]
            is_file = any(fnmatch.fnmatch(name, target.removeprefix("./") or "index.html") for name in names)
            if not is_file and not any(leads_to(target, path) for path in paths):
                yield f"{file.name}: {address} is no file of the page and no path of the API"


def leads_to(target, path):
    """Whether an address is a path of the API. Parts in braces may be anything, and a "*" must be one of these."""
    # A command that is written out must be one of the paths.
    if path == "/api/{command}":
        return target == "/api/*"
    parts, names = target.split("/"), path.split("/")
    return len(parts) == len(names) and all(
        name.startswith("{") or part == name for part, name in zip(parts, names))


def help_pages():
    """The help in both languages has the same parts, and its lamps are those of the box."""
    ids = {}
    style = (ASSETS / HELP_STYLE).read_text()
    for name in HELP:
        text = (ASSETS / name).read_text()
        size = len(text.encode()) + len(style.encode())
        print(f"{name}: {size} bytes")
        if size > MOST_HELP_BYTES:
            yield f"{name}: {size} bytes with {HELP_STYLE}, {MOST_HELP_BYTES} allowed"
        ids[name] = re.findall(r'\sid="([^"]*)"', text)
        for one in sorted(set(ids[name])):
            if ids[name].count(one) > 1 or not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", one):
                yield f"{name}: the id {one} is there twice, or not in kebab-case"
        for one in re.findall(r'href="#([^"]*)"', text):
            if one not in ids[name]:
                yield f"{name}: no part #{one}"
    for one in sorted(set(ids[HELP[0]]) ^ set(ids[HELP[1]])):
        yield f"only in one of {' and '.join(HELP)}: #{one}"
    text = (ASSETS / HELP[0]).read_text()
    shown = re.findall(r'<p><i class="led (\w+) ([a-z-]+)"></i><b>([^<]*)</b></p>', text)
    lamps = lamp_words()
    for name in sorted(lamps.keys() ^ {pattern for _, pattern, _ in shown}):
        yield f"only in one of LampRhythm.swift and {HELP[0]}: the lamp {name}"
    for colour, pattern, told in shown:
        said = lamps.get(pattern, ("", ""))
        if colour != said[0] or not told.startswith(colour) or said[1].removeprefix("steady") not in told:
            yield f"{HELP[0]}: the lamp {pattern} is told as {told}, and the box says {', '.join(said)}"
    for rule in rhythms():
        if rule not in style:
            yield f"{HELP_STYLE}: a lamp blinks in another rhythm than in LampRhythm.swift, which needs: {rule}"


def lamp_words():
    """Each pattern of the lamp with its colour and the words for its rhythm, as the box says them."""
    swift = (ROOT / "Sources/Panel/LampRhythm.swift").read_text()
    colours = {case: colour for cases, colour in re.findall(r"case ((?:\.\w+,? ?)+): \.(\w+)$", swift, re.MULTILINE)
               for case in re.findall(r"\w+", cases)}
    words = dict(re.findall(r'case \.(\w+): "([^"]+)"', swift))
    kebab = {case: re.sub("[A-Z]", lambda letter: f"-{letter[0].lower()}", case) for case in words}
    return {kebab[case]: (colours[case], text) for case, text in words.items()}


def rhythms():
    """The rules of the style that let the lamps blink as the box does."""
    swift = (ROOT / "Sources/Panel/LampRhythm.swift").read_text()
    for name, beats in re.findall(r"case \.(\w+): LampPattern\.beats\(([\d_, ]+)\)", swift):
        name = re.sub("[A-Z]", lambda letter: f"-{letter[0].lower()}", name)
        *ends, total = itertools.accumulate(int(beat) for beat in beats.split(", "))
        if not ends:
            continue
        dark, lit = (", ".join(f"{100 * end / total:.4g}%" for end in ends[first::2]) for first in (0, 1))
        frames = f"{dark} {{ opacity: 0; }}" + (f" {lit} {{ opacity: 1; }}" if lit else "")
        yield f"@keyframes {name} {{ {frames} }}"
        yield f".{name} {{ --rhythm: {name} {total / 1000:g}s;"


def forbidden(files):
    """The strict Content-Security-Policy allows none of these, and data must never become HTML."""
    for file in files:
        text = file.read_text()
        if file.suffix == ".js":
            for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"):
                if word in text:
                    yield f"{file.name}: {word}"
            if '?? "?"' in text:
                yield f"{file.name}: what is not known is shown as a question mark"
            if any(line.count("`") % 2 for line in text.splitlines()):
                yield f"{file.name}: a text of several lines, which would lose its indentation"
            if re.search(r"""setAttribute\(["']style|style:\s""", text):
                yield f"{file.name}: an inline style"
        if file.suffix == ".html" and re.search(r"\son\w+=|\sstyle=|<style|<script>", text):
            yield f"{file.name}: an inline script or style"
        if file.suffix == ".css" and re.search(r"""["'][^"'\n]*([{;,:] | [{}])[^"'\n]*["'][;)]""", text):
            yield f"{file.name}: a string that would lose a space"
        if file.suffix in (".js", ".css", ".html"):
            for address in re.findall(r"https?://[^\s\"')]+", text):
                is_own = file.name in HELP and OWN_ADDRESS.match(address)
                if not is_own and not address.startswith("http://www.w3.org/"):
                    yield f"{file.name}: an address outside: {address}"


def events():
    """The page listens to each code of an event that the box can send."""
    swift = (ROOT / "Sources/Events/Log/Event.swift").read_text()
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
    yield from levels(dict(re.findall(r'case (\w+) = "(\w+)"', body)))


def levels(names):
    """The page marks each event that the log has as a warning or an error. `names`: codes by the name of their case."""
    script = (ASSETS / "engineer.js").read_text()
    errors, warnings = (re.search(rf"const {name} = /(.+)/;", script).group(1) for name in ("ERRORS", "WARNINGS"))
    code = "\n".join(file.read_text() for file in (ROOT / "Sources").rglob("*.swift"))
    for case, level in sorted(set(re.findall(r"(?<!\w)\.(\w+),\s*level: \.(warning|error)\b", code))):
        name = names.get(case, case)
        if not re.search(errors if level == "error" else f"{errors}|{warnings}", name):
            yield f"engineer.js: an event of the level {level} in the log has no mark: {name}"


if __name__ == "__main__":
    found = list(problems())
    print("\n".join(found) or "The page's files are good.")
    sys.exit(bool(found))
