#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds the Markdown files to the code, and makes the tables in them.

Usage: Tests/documents.py           compares, and finds faults that it plants itself
       Tests/documents.py --write   makes the tables anew

Asks the program ONAIR (.build/test/debug/onair) for its commands and settings. Compared are: links and their anchors; files;
scripts and their options; commands of onair, their options and settings; sections of settings files; codes of events, causes
and names of fields; paths and methods of the API; types of the code; and the tables between "<!-- made: NAME -->" and
"<!-- /made -->".
"""

import fnmatch
import json
import os
import pathlib
import posixpath
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
MOST_README_BYTES = 10_000
MADE = re.compile(r"(<!-- made: (\w+) -->\n).*?(<!-- /made -->)", re.DOTALL)
FILE_NAME = re.compile(r"[\w.-]+\.(swift|sh|py|md|yaml|service|timer|path|conf|rules|js|csv|svg)")
API_PATH = re.compile(r"(?:\b(GET|PUT|POST|PATCH|DELETE) )?(/api/[\w./{}-]*\w|/healthz\b|/metrics\b)")
OPERATORS = set("|&;<>()")
# Options of swift-argument-parser itself, which it does not list.
PARSER_OPTIONS = {"--experimental-dump-help": False, "--generate-completion-script": True}


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def snake(name):
    return re.sub("[A-Z]", lambda letter: "_" + letter[0].lower(), name)


def commented(text, pattern):
    """(comment, match) of each case of an enumeration: the comment in one line, and from group 2 on the pattern's groups."""
    for match in re.finditer(rf"((?:^ *///.*\n)*)(?:^ *// .*\n)*^ *case {pattern}", text, re.MULTILINE):
        yield " ".join(line.strip().removeprefix("///").strip() for line in match[1].splitlines()), match


class Facts:
    """What the code says."""

    def __init__(self, program):
        self.program = program
        self.help = json.loads(self.ask("--experimental-dump-help"))["command"]
        with tempfile.TemporaryDirectory() as folder:
            # Where no OnAir runs, so that nobody's own values are asked for.
            own = "--set", f"state.directory={folder}/none", "--set", "track.NAME.source=silence", "--set", "relay.NAME.url=rtmp://HOST/APP", "--set", "overlay.NAME.kind=text", "--set", "overlay.NAME.text=x", "--set", "filter.NAME.kind=mask", "--set", "guest.NAME.key=not-a-key", "--set", "layout.NAME.panes=host 0 0 1 1", "--set", "schedule.NAME.at=09:55", "--set", "schedule.NAME.days=sun"
            self.settings = json.loads(self.ask("settings", "--json", *own))
        self.table = self.ask("settings", "--markdown").strip()
        self.names = {setting["key"] for setting in self.settings} | {"track.NAME.name", "relay.NAME.name", "overlay.NAME.name", "filter.NAME.name", "guest.NAME.name", "layout.NAME.name", "schedule.NAME.name"}
        seed = next(one for one in self.help["subcommands"] if one["commandName"] == "seed")
        self.seeds = set(re.findall(r"(?m)^([a-z]+\.[a-z]+): ", seed["discussion"]))
        self.sections = {name.split(".")[0] for name in self.names}
        listed = subprocess.run(
            ["git", "-c", f"safe.directory={ROOT}", "ls-files", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT, capture_output=True, text=True, check=True).stdout
        self.files = {name for name in listed.splitlines() if (ROOT / name).is_file()}
        self.folders = {parent.as_posix() for name in self.files for parent in pathlib.PurePath(name).parents}
        swift = "\n".join(read(name) for name in self.files if name.endswith(".swift"))
        self.types = set(re.findall(r"\b(?:struct|class|enum|protocol|actor|typealias|module) (\w+)", swift))
        self.types |= set(re.findall(r'name: "(\w+)"', read("Package.swift")))
        self.types |= {folder.rsplit("/", 1)[-1] for folder in self.folders}
        self.events = list(self.find_events())
        self.causes = list(self.find_causes())
        description = read("Sources/Page/API/openapi.yaml")
        self.words = {snake(name) for name in re.findall(r"\b(?:var|let|case) (\w+)", swift)}
        self.words |= set(re.findall(r"\w+", description)) | {name.split(".")[-1] for name in self.names}
        self.words |= set(re.findall(r"\w+", read("board/package")))
        self.words |= {code for code, _ in self.events} | {code for code, _ in self.causes} | {"no_destination"}
        self.methods, self.commands = self.find_paths(description)

    def ask(self, *arguments):
        return subprocess.run([self.program, *arguments], capture_output=True, text=True, check=True).stdout

    @staticmethod
    def find_events():
        text = read("Sources/Events/Log/Event.swift")
        body = text[text.index("enum Code"):text.index("The figures of a broadcast")]
        for comment, match in commented(body, r"""(\w+)(?: = "(\w+)")?$"""):
            yield match[3] or match[2], re.sub(r"`(\w+)`", lambda name: f"`{snake(name[1])}`", comment)

    @staticmethod
    def find_causes():
        text = read("Sources/Publish/Destination/Reports/DestinationCause.swift")
        means = {match[2]: comment for comment, match in commented(text[:text.index("var code")], r"(\w+)")}
        refusals = re.search(r"enum RTMPRefusal.*?^}", text, re.DOTALL | re.MULTILINE)[0]
        for name, code in re.findall(r'case \.(\w+)(?:\(let \w+\))?: "([^"]+)"', text):
            if "\\(refusal" in code:
                for comment, match in commented(refusals, r"""(\w+)(?: = "(\w+)")?$"""):
                    yield f"refused_{match[3] or match[2]}", comment
            else:
                yield re.sub(r"\\\(.*\)", "STEP", code), means[name]

    @staticmethod
    def find_paths(description):
        methods, path = {"/api/openapi.yaml": {"GET"}}, None
        for line in description.splitlines():
            if match := re.match(r"  (/\S*):$", line):
                path = match[1]
                methods[path] = set()
            elif match := re.match(r"    (get|put|post|patch|delete):$", line):
                methods[path].add(match[1].upper())
            elif re.match(r"\w", line):
                path = None
        commands = re.search(r"/api/\{command\}:.*?enum: \[(.*?)\]", description, re.DOTALL)[1].split(", ")
        return methods, commands

    def methods_of(self, path):
        """The methods of a path as people write it: parts in capital letters or braces may be anything."""
        found, parts = set(), path.split("/")
        for known, methods in self.methods.items():
            names = known.split("/")
            if known == "/api/{command}" and parts[-1] not in (*self.commands, "{command}"):
                continue
            if len(parts) == len(names) and all(
                    name == part or name.startswith("{") and (part.isupper() or part.startswith("{") or "command" in name)
                    for part, name in zip(parts, names)):
                found |= methods
        return found

    # MARK: Tables

    def made(self, name):
        if name == "settings":
            return self.table
        if name == "waiting":
            effects = {"next_broadcast": "from the next broadcast on", "next_start": "after `sudo systemctl restart onair`"}
            rows = [(f"`{one['key']}`", effects[one["effect"]]) for one in self.settings if one["effect"] in effects]
            return table("Setting", "A change counts", rows)
        if name == "events":
            return table("Code", "When", [(f"`{code}`", comment) for code, comment in self.events])
        if name == "causes":
            return table("Cause", "Means", [(f"`{code}`", comment) for code, comment in self.causes])
        return None


def table(first, second, rows):
    return "\n".join([f"| {first} | {second} |", "|---|---|", *(f"| {one} | {other} |" for one, other in rows)])


class Document:
    """A Markdown file: its headings, links and pieces of code."""

    def __init__(self, path, text):
        self.path, self.text = path, text
        prose, self.blocks = [], []
        block, fence = None, None
        for line in text.splitlines():
            if fence is not None:
                if line.startswith("```"):
                    fence, block = None, None
                else:
                    block.append(line)
            elif line.startswith("```"):
                fence, block = line[3:], []
                self.blocks.append((fence, block))
            elif line.startswith("    ") and (block is not None or not prose or not prose[-1].strip()):
                if block is None:
                    block = []
                    self.blocks.append(("", block))
                block.append(line[4:])
            else:
                if block is not None and line.strip():
                    block = None
                prose.append(line)
        self.prose = "\n".join(prose)
        # A span may go on in the next line, but not over an empty one.
        self.spans = [re.sub(r"\s+", " ", span) for span in re.findall(r"`((?:[^`\n]|\n(?!\n))+)`", self.prose)]
        without = re.sub(r"`(?:[^`\n]|\n(?!\n))+`", "`…`", self.prose)
        self.links = re.findall(r"\]\(([^)\s]+)\)", without) + re.findall(r'(?:src|href)="([^"]+)"', without)
        self.anchors = set()
        for heading in re.findall(r"(?m)^#+ (.+)$", self.prose):
            slug = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", heading).lower()).replace(" ", "-")
            number = 0
            while (name := f"{slug}-{number}" if number else slug) in self.anchors:
                number += 1
            self.anchors.add(name)


class Check:
    """Compares documents with facts; `problems` are what differs."""

    def __init__(self, facts, texts):
        self.facts = facts
        self.documents = {path: Document(path, text) for path, text in texts.items()}
        self.problems = []
        self.counts = dict.fromkeys(("links", "commands", "settings", "names", "paths", "tables"), 0)
        for document in self.documents.values():
            self.here = document
            for link in document.links:
                self.link(link)
            for span in document.spans:
                self.span(span)
            # Commands in quotation marks, as comments of examples have them.
            for words in re.findall(r'"((?:sudo )?onair [^"\n]*|board/[^"\n]*)"', document.text):
                self.shell(words)
            for kind, lines in document.blocks:
                self.block(kind, lines)
            for method, path in API_PATH.findall(document.text):
                self.path(method, path)
            for match in MADE.finditer(document.text):
                self.count("tables")
                name = match[2]
                if (made := facts.made(name)) is None:
                    self.fault(f"no table is made under the name {name}")
                elif match[0] != f"{match[1]}{made}\n{match[3]}":
                    self.fault(f"the table {name} is not what the code gives: run Tests/documents.py --write")
        self.reachable()

    def fault(self, text):
        self.problems.append(f"{self.here.path}: {text}")

    def count(self, what):
        self.counts[what] += 1

    # MARK: Links

    def target(self, link):
        """The file or folder that a link leads to, or `None` for an address elsewhere."""
        if re.match(r"[a-z]+:", link):
            return None
        path = link.split("#")[0]
        return posixpath.normpath(posixpath.join(posixpath.dirname(self.here.path), path)) if path else self.here.path

    def link(self, link):
        if (target := self.target(link)) is None:
            return
        self.count("links")
        anchor = link.partition("#")[2]
        if target not in self.facts.files and target not in self.facts.folders and target not in self.documents:
            self.fault(f"there is nothing at {link}")
        elif anchor and target in self.documents and anchor not in self.documents[target].anchors:
            self.fault(f"there is no heading for {link}")
        elif anchor and target.endswith(".html") and f'id="{anchor}"' not in read(target):
            self.fault(f"there is no part for {link}")

    def reachable(self):
        """Each document can be found from README.md."""
        seen, waiting = set(), ["README.md"]
        while waiting:
            path = waiting.pop()
            if path in seen or path not in self.documents:
                continue
            seen.add(path)
            self.here = self.documents[path]
            waiting += [target for link in self.here.links if (target := self.target(link))]
        for path in self.documents.keys() - seen:
            self.here = self.documents[path]
            self.fault("no link leads here from README.md")
        self.here = self.documents["README.md"]
        if (size := len(self.here.text.encode())) > MOST_README_BYTES:
            self.fault(f"{size} bytes, {MOST_README_BYTES} allowed")

    # MARK: Pieces of code

    def span(self, span):
        if re.match(r"(sudo )?onair( |$)|(board|Tests)/\S+( |$)", span):
            self.shell(span)
        elif re.match(r"(Sources|LICENSES|systemd|board|Tests)/\S+$", span):
            self.file(span)
        elif FILE_NAME.fullmatch(span):
            if not any(name.rsplit("/", 1)[-1] == span for name in self.facts.files):
                self.fault(f"there is no file {span}")
        elif match := re.match(r"\[+([a-z]+)\]+$", span):
            if match[1] not in self.facts.sections:
                self.fault(f"there is no section {span} in a settings file")
        elif match := re.match(r"([a-z]+(?:\.NAME)?\.[a-z_]+)( = .*)?$", span):
            if match[1].split(".")[0] in self.facts.sections and match[1].split(".")[-1] not in ("local", "toml"):
                self.setting(match[1])
        elif re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)+", span):
            self.count("names")
            if span not in self.facts.words:
                self.fault(f"nothing is called {span}")
        elif re.fullmatch(r"--[a-z-]+", span):
            self.count("names")
            if not any(span in read(name) for name in self.facts.files if name.startswith("board/")) \
                    and span not in options(self.facts.help, deep=True):
                self.fault(f"nothing has the option {span}")
        elif re.fullmatch(r"(?=\w*[a-z])[A-Z]\w*[A-Z]\w*", span):
            self.count("names")
            if span not in self.facts.types:
                self.fault(f"there is no type or module {span}")

    def block(self, kind, lines):
        section = None
        for line in lines:
            if match := re.match(r"\[+([a-z]+)\]+$", line):
                section = match[1]
                self.span(line)
            elif section and (match := re.match(r"([a-z_]+) = ", line)):
                self.setting({"track": "track.NAME", "relay": "relay.NAME", "overlay": "overlay.NAME", "filter": "filter.NAME", "guest": "guest.NAME", "layout": "layout.NAME", "schedule": "schedule.NAME"}.get(section, section) + "." + match[1])
            elif kind in ("", "sh"):
                section = section if line.strip() else None
                self.shell(line)
            for key in re.findall(r'"([a-z]+\.[a-z_]+)": ', line):
                self.setting(key)

    def shell(self, line):
        lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        try:
            tokens = list(lexer)
        except ValueError:
            tokens = line.split()
        words = []
        for token in [*tokens, ";"]:
            if set(token) <= OPERATORS or token == "…":
                self.command(words)
                words = []
            else:
                words.append(token.rstrip(","))

    def command(self, words):
        while words and (words[0] == "sudo" or re.match(r"[A-Za-z_]+=", words[0])):
            words = words[1:]
        if not words:
            return
        if words[0] == "onair":
            self.count("commands")
            self.onair(words[1:])
        elif re.match(r"(board|Tests|systemd)/", words[0]):
            self.count("commands")
            self.script(*words)
        elif words[0] == "curl":
            method = words[words.index("-X") + 1] if "-X" in words else "GET"
            for word in words:
                if match := re.match(r"http://[^/]+(/.*)", word):
                    self.path(method, match[1])

    def onair(self, words):
        command, name = self.facts.help, "onair"
        while inner := {one["commandName"]: one for one in command.get("subcommands", [])}:
            if words and words[0] in inner:
                command, name, words = inner[words[0]], f"{name} {words[0]}", words[1:]
            elif default := command.get("defaultSubcommand"):
                if words and re.fullmatch("[a-z]+", words[0]):
                    self.fault(f"there is no command {name} {words[0]}")
                command = inner[default]
            else:
                if words and not words[0].startswith("-") and not words[0].isupper():
                    self.fault(f"there is no command {name} {words[0]}")
                break
        known, plain, before = options(command) | PARSER_OPTIONS, [], None
        for word in words:
            option = word.split("=")[0]
            if before == "--set":
                self.setting(option)
            elif re.fullmatch(r"--?[a-z-]+", option):
                if option not in known:
                    self.fault(f"{name} has no option {option}")
            elif before not in known or not known[before]:
                plain.append(word)
            before = word
        verb = name.removeprefix("onair ")
        if verb == "set":
            # As the command does: KEY=VALUE, or KEY and VALUE in turn, where a value may have "=", too.
            rest, plain = iter(plain), []
            for word in rest:
                plain.append(word.split("=")[0])
                if "=" not in word:
                    next(rest, None)
        if verb in ("set", "unset", "settings"):
            for key in plain:
                if not (key.isupper() or verb == "settings" and key in self.facts.sections):
                    self.setting(key)

    def script(self, path, *words):
        if not self.file(path) or path not in self.facts.files:
            return
        text = "\n".join(read(name) for name in self.facts.files if name == path or name.startswith(f"{path}.d/"))
        for word in words:
            if re.fullmatch(r"--[a-z-]+|[a-z][a-z0-9-]+", word) and not re.search(rf"(?<![\w-]){word}(?![\w-])", text):
                self.fault(f"{path} does not know {word}")

    def file(self, path):
        """A file or a folder; parts in capital letters may be anything."""
        pattern = re.sub(r"\b[A-Z]{4,}\b", "*", path.rstrip("/."))
        good = any(fnmatch.fnmatch(name, pattern) for name in self.facts.files | self.facts.folders)
        if not good:
            self.fault(f"there is no {path}")
        return good

    def setting(self, key):
        self.count("settings")
        known = re.sub(r"^(track|relay|overlay|filter|guest|layout|schedule)\.[\w-]+\.", r"\1.NAME.", key)
        if known not in self.facts.names and key not in self.facts.seeds:
            self.fault(f"there is no setting {key}")

    def path(self, method, path):
        self.count("paths")
        methods = self.facts.methods_of(path)
        if not methods:
            self.fault(f"the API has no path {path}")
        elif method and method not in methods:
            self.fault(f"the API has no {method} {path}")


def options(command, deep=False):
    """The options of a command, and whether each takes a value."""
    dashes = {"long": "--", "short": "-", "longWithSingleDash": "-"}
    found = {
        dashes[name["kind"]] + name["name"]: argument["kind"] == "option"
        for argument in command.get("arguments", []) for name in argument.get("names") or []}
    for inner in command.get("subcommands", []) if deep else []:
        found |= options(inner, deep)
    return found


# Each has to be found: where it is planted, and what is planted.
PLANTED = {
    "a link": ("README.md", "[more](board/nothing.md)"),
    "an anchor": ("README.md", "[more](board/README.md#nothing)"),
    "a setting": ("systemd/README.md", "`sudo onair set video.szie 1280x720`"),
    "an option": ("systemd/README.md", "`onair status --colour`"),
    "a command": ("README.md", "`onair explode`"),
    "a script": ("Tests/README.md", "`board/test --slowly`"),
    "an event": ("Sources/Page/API/README.md", "`picture_improved`"),
    "a path": ("Sources/Page/API/README.md", "`PUT /api/status`"),
    "a table": ("systemd/README.md", "<!-- made: waiting -->\n| nothing |\n<!-- /made -->"),
}


def main():
    program = os.environ.get("ONAIR", str(ROOT / ".build/test/debug/onair"))
    if not os.access(program, os.X_OK):
        sys.exit(f"There is no program {program}: run board/test --only documents, or name one in ONAIR.")
    facts = Facts(program)
    texts = {name: read(name) for name in sorted(facts.files) if name.endswith(".md")}
    if sys.argv[1:] == ["--write"]:
        for name, text in texts.items():
            new = MADE.sub(lambda match: f"{match[1]}{facts.made(match[2])}\n{match[3]}", text)
            if new != text:
                (ROOT / name).write_text(new, encoding="utf-8")
                print(name)
        return 0
    if len(sys.argv) > 1:
        sys.exit(__doc__)
    check = Check(facts, texts)
    problems = check.problems
    for what, (name, planted) in PLANTED.items():
        found = Check(facts, texts | {name: f"{texts[name]}\n{planted}\n"}).problems
        if len(found) != len(problems) + 1:
            problems = [*problems, f"this check did not find {what} that it planted, or more: {planted}"]
    for code, comment in [*facts.events, *facts.causes]:
        if not comment:
            problems.append(f"no comment says what {code} means")
    print(f"{len(texts)} documents:", ", ".join(f"{count} {what}" for what, count in check.counts.items()))
    print("\n".join(problems) or "The documents are good.")
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
