#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds the modules to their order: which may import which, and how many files a folder has.

Compares the `import` lines of all Swift files with the dependencies that Package.swift declares. No module leads back to itself;
none imports what it does not declare, or declares what it does not import. The box is built without a web server, and the
modules of the media path know none of their neighbours. At each run faults of each kind are planted in a copy, and have to be
found.
"""

import copy
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
IMPORT = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))? +)*(?:(?:public|package|internal|fileprivate|private) +)?"
    r"import +(?:(?:struct|class|enum|protocol|typealias|func|let|var) +)?(\w+)(?:\.\w+)*$", re.MULTILINE)
# They come with the compiler.
SYSTEM = {"Foundation", "FoundationEssentials", "Glibc", "Synchronization", "Testing"}
# Modules, and what they do not reach, not even by way of others.
FORBIDDEN = {name: re.compile("Hummingbird|HTTPTypes|NIO") for name in ("Box", "BoxTests")}
FORBIDDEN |= {name: re.compile("Media$") for name in ("Director", "Guests", "RateControl", "Settings", "Networking", "Panel", "Access")}
# They import these and C modules alone; the play-out has the fragments of the preview, too.
ALONE, BELOW = ("Capture", "Video", "Audio", "Encode", "Mux", "Publish", "Preview", "Playout", "Recording", "Access"), {"Base", "Media", "Mux", "Posix"}
MOST_FILES = 14


class Module:
    """A target of Package.swift: what it declares, and the modules that each of its Swift files imports."""

    def __init__(self, target):
        self.name = target["name"]
        folder = "Tests" if target["type"] == "test" else "Sources"
        self.folder = target.get("path") or f"{folder}/{self.name}"
        self.declared = {next(iter(one.values()))[0] for one in target["dependencies"]}
        self.files = {
            path.relative_to(ROOT).as_posix(): set(IMPORT.findall(path.read_text(encoding="utf-8")))
            for path in sorted((ROOT / self.folder).rglob("*.swift"))}

    @property
    def imports(self):
        return set().union(*self.files.values()) - SYSTEM


def modules():
    text = subprocess.run(
        ["swift", "package", "dump-package"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return {target["name"]: Module(target) for target in json.loads(text)["targets"]}


def reached(name, ladder):
    """What a module imports or declares, itself or by way of others."""
    found, left = set(), [name]
    while left:
        module = ladder.get(left.pop())
        new = (module.imports | module.declared if module else set()) - found
        found |= new
        left += new
    return found


def problems(ladder):
    """One sentence for each fault."""
    for name, module in ladder.items():
        if name in reached(name, ladder):
            yield f"{name} leads back to itself"
        if not module.files:
            continue
        for file, imports in module.files.items():
            for other in sorted(imports - SYSTEM - module.declared - {name}):
                yield f"{file} imports {other}, which Package.swift does not declare for {name}"
        for other in sorted(module.declared - module.imports):
            yield f"Package.swift declares {other} for {name}, which does not import it"
        if name in ALONE:
            for other in sorted(module.imports - BELOW - ({"Preview"} if name == "Playout" else set())):
                if not re.match("C[A-Z]", other):
                    yield f"{name} imports its neighbour {other}"
    for name, pattern in FORBIDDEN.items():
        for other in sorted(reached(name, ladder)):
            if pattern.match(other):
                yield f"{name} reaches {other}"
    counts = {}
    for module in ladder.values():
        for file in module.files:
            folder = file.rpartition("/")[0]
            counts[folder] = counts.get(folder, 0) + 1
    for folder, count in counts.items():
        if count > MOST_FILES:
            yield f"{folder} has {count} files: divide it"


def plant_import(ladder, name, other, declared):
    ladder[name].files[f"{ladder[name].folder}/Planted.swift"] = set(IMPORT.findall(f"import Base\ninternal import {other}\n"))
    if declared:
        ladder[name].declared.add(other)


# What is planted, and what has to be found then.
PLANTED = {
    "a circle": (lambda ladder: plant_import(ladder, "Media", "Studio", True), "Media leads back to itself"),
    "an import that is not declared": (
        lambda ladder: plant_import(ladder, "Panel", "Studio", False),
        "Sources/Panel/Planted.swift imports Studio, which Package.swift does not declare for Panel"),
    "a dependency that is not used": (
        lambda ladder: ladder["Panel"].declared.add("Video"),
        "Package.swift declares Video for Panel, which does not import it"),
    "a web server in the box": (lambda ladder: plant_import(ladder, "Box", "NIOCore", True), "Box reaches NIOCore"),
    "frames in the settings": (lambda ladder: plant_import(ladder, "Settings", "Media", True), "Settings reaches Media"),
    "a web server below the box": (
        lambda ladder: plant_import(ladder, "Events", "Hummingbird", True), "Box reaches Hummingbird"),
    "a web server in the tests of the box": (
        lambda ladder: plant_import(ladder, "BoxTests", "Control", True), "BoxTests reaches Hummingbird"),
    "a neighbour": (lambda ladder: plant_import(ladder, "Encode", "Publish", True), "Encode imports its neighbour Publish"),
    "a large folder": (
        lambda ladder: ladder["Audio"].files.update({f"Sources/Audio/{number}.swift": set() for number in range(100)}),
        f"Sources/Audio has {100 + len(list((ROOT / 'Sources/Audio').glob('*.swift')))} files: divide it"),
}


def main():
    if len(sys.argv) > 1:
        sys.exit(__doc__)
    ladder = modules()
    found = list(problems(ladder))
    for what, (plant, fault) in PLANTED.items():
        planted = copy.deepcopy(ladder)
        plant(planted)
        if fault not in set(problems(planted)) - set(found):
            found.append(f"this check did not find {what} that it planted: {fault}")
    files = sum(len(module.files) for module in ladder.values())
    print(f"{len(ladder)} modules, {files} files")
    print("\n".join(found) or "The modules are in order.")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
