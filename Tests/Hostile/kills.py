#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Kills OnAir at random moments while settings and stills are saved, and checks that it always comes back with the old ones
or the new ones, whole.

    kills.py STATE-DIRECTORY COUNT ONAIR [ARGUMENT...]

It starts the program itself, and talks to its Unix socket. With PORT and DISK in the environment the command starts a whole
board instead: it is spoken to at that port of this machine, with the token that it prints as "token TOKEN", and its power is
cut by killing the emulator, which uses the file DISK. SEED chooses the moments.
"""

import json
import os
import pathlib
import random
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import zlib

# Saved together, so they are always equal.
PAIR = ("video.fps", "audio.gain_db")
PORT = os.environ.get("PORT")
DISK = os.environ.get("DISK")
# A board boots slowly, and then answers slowly.
PATIENCE = 300
LONGEST = 8 if PORT else 0.25


def ask(path, method, target, body=b"", token=""):
    """The status and the body of an answer; None if the program has gone before it was whole."""
    connection = socket.socket(socket.AF_INET if PORT else socket.AF_UNIX)
    connection.settimeout(20)
    try:
        connection.connect(("127.0.0.1", int(PORT)) if PORT else str(path))
        connection.sendall(f"{method} {target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
                           f"Authorization: Bearer {token}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        raw = b""
        while piece := connection.recv(65536):
            raw += piece
    except OSError:
        return None
    finally:
        connection.close()
    head, separator, rest = raw.partition(b"\r\n\r\n")
    length = next((int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")), -1)
    return (int(head.split()[1]), rest) if separator and len(rest) == length else None


def still(number):
    """A PNG that differs from all others, and takes some time to save."""
    rows = random.Random(number).randbytes(200 * (1 + 3 * 300))
    data = b"".join(b"\0" + rows[row * 900:(row + 1) * 900] for row in range(200))

    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 300, 200, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(data, 0)) + chunk(b"IEND", b""))


class Box:
    def __init__(self, directory, command):
        self.directory = pathlib.Path(directory)
        self.command = command
        self.control = self.directory / "control"
        self.number = 0
        self.token = ""
        # What may be there after a start: what was acknowledged last, and what was asked for since.
        self.values = [{name: None for name in PAIR}]
        self.stills = [None]

    def ask(self, method, target, body=b""):
        """Also when too many changes have been made in a short time."""
        answer = ask(self.control, method, target, body, self.token)
        while answer and answer[0] == 429:
            time.sleep(0.2)
            answer = ask(self.control, method, target, body, self.token)
        return answer

    def start(self):
        self.control.unlink(missing_ok=True)
        self.log = open(self.directory.with_suffix(".log"), "ab")
        self.program = subprocess.Popen(self.command, stdout=self.log, stderr=self.log, stdin=subprocess.DEVNULL,
                                        start_new_session=DISK is not None)
        self.session = os.getsid(self.program.pid)
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self.program.poll() is None:
            text = self.directory.with_suffix(".log").read_text(errors="replace")
            self.token = next((line[6:] for line in text.splitlines()[::-1] if line.startswith("token ")), "")
            answer = self.ask("GET", "/api/settings") if self.token or not PORT else None
            if answer and answer[0] == 200:
                return {entry["key"]: entry for entry in json.loads(answer[1])}
            time.sleep(0.5 if PORT else 0.005)
        return None

    def change(self, deadline):
        """Saves one after the other until the program is killed, which happens in the middle."""
        while time.monotonic() < deadline:
            self.number += 1
            if self.number % 3 == 0:
                image = still(self.number)
                self.stills.append(image)
                if (answer := self.ask("PUT", "/api/stills/pause", image)) and answer[0] == 200:
                    self.stills = [image]
            else:
                value = 5 + self.number % 25
                wanted = dict.fromkeys(PAIR, value)
                self.values.append(wanted)
                if (answer := self.ask("PATCH", "/api/settings", json.dumps(wanted).encode())) and answer[0] == 200:
                    self.values = [wanted]
            if answer is None:
                return
            if answer[0] != 200:
                raise SystemExit(f"WRONG a change is answered by {answer[0]}: {answer[1][:300]!r}")

    def kill_after(self, seconds):
        is_running = self.program.poll() is None
        killer = threading.Timer(seconds, self.kill)
        killer.start()
        self.change(time.monotonic() + PATIENCE)
        killer.join()
        status = self.program.wait()
        self.log.close()
        return is_running and (status == -signal.SIGKILL or PORT is not None)

    def kill(self):
        for process in self.emulators() if DISK else [self.program.pid]:
            os.kill(process, signal.SIGKILL)

    def emulators(self):
        """The emulator that this board's command has started."""
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if f"file={DISK}".encode() in (folder / "cmdline").read_bytes() and os.getsid(int(folder.name)) == self.session:
                    yield int(folder.name)
            except OSError:
                pass

    def stop(self):
        if DISK:
            self.kill()
        else:
            self.program.terminate()
        self.program.wait()

    def examine(self, found):
        """What is wrong after a start; None if nothing is."""
        values = {name: found[name]["value"] if found[name]["origin"] != "default" else None for name in PAIR}
        if values not in self.values:
            return f"{values}, not one of {self.values}"
        self.values = [values]
        shown = self.ask("GET", "/api/stills/pause")
        if shown is None or shown[0] != 200:
            return f"the still: {shown}"
        if None in self.stills and found["pause.image"]["value"] == "":
            return None
        if shown[1] not in self.stills:
            return f"a still of {len(shown[1])} bytes that was never saved whole"
        self.stills = [shown[1]]
        return None


def main():
    directory, count, command = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    seed = int(os.environ.get("SEED", "85"))
    moments = random.Random(seed)
    box = Box(directory, command)
    found = box.start()
    faults = []
    kills = 0
    for kill in range(count):
        if found is None:
            break
        if not box.kill_after(moments.uniform(0, LONGEST)):
            faults.append(f"kill {kill + 1}: it had ended by itself")
        kills += 1
        found = box.start()
        fault = "it does not start again" if found is None else box.examine(found)
        if fault:
            faults.append(f"after kill {kill + 1}: {fault}")
    print(("WRONG " if faults or kills < count else "good  ")
          + f"{kills} kills (SEED={seed}) during {box.number} changes: old or new, whole {' ; '.join(faults[:3])}")
    image = still(0)
    saved = box.ask("PUT", "/api/stills/pause", image)
    if not PORT:
        judge_folder(box, saved)
    box.stop()


def judge_folder(box, saved):
    left = sorted(path.name for path in (box.directory / "stills").iterdir())
    is_clean = saved is not None and saved[0] == 200 and len(left) == 1
    print(("good  " if is_clean else "WRONG ") + f"the next upload removes what was left: {len(left)} file")


main()
