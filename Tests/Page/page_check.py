#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Walks through the page of a box that has no password yet, as a person would, and checks what they meet.

    Tests/Page/page_check.py http://127.0.0.1:8080 [--out DIR] [--key KEY] [--code CODE] [--axe axe.min.js]

It needs Debian's chromium, chromium-driver and python3-selenium. With --axe (or the package axe-core-python of PyPI) each
view is also examined by axe. It goes live to the chosen platform: give it a box whose network ends at a test server.
"""

import argparse
import pathlib
import sys
import time

import controls
import cures
import deeds
import guests
import picture
import recordings
import schedule
import sound
import steps
from steps import Person
from viewer import Viewer

MOST_TAPS = 8
MOST_FIELDS = 3
# Of one processor, here. A telephone of the cheap sort is about four times slower.
MOST_WORK_MS = 250
MOST_AGE_SECONDS = 1.0
LEAST_TARGET_PX = 44
SIZES = (360, 1280)
PASSWORD = "a password for tests"

AXE_RULES = """
const done = arguments[arguments.length - 1];
axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice']}).then((result) =>
  done(result.violations.map((v) => v.id + ': ' + v.help + ' | ' + v.nodes.slice(0, 3).map((n) => n.target).join(' ; '))),
  (error) => done(['axe: ' + error]));
"""

# Keys and links that a finger could miss; links within a text are excepted, as WCAG does.
SMALL_TARGETS = """
return [...document.querySelectorAll('button, select, summary, a[href], input:not([type=range])')].filter((e) => {
  const box = e.getBoundingClientRect();
  return e.checkVisibility() && !e.closest('.unseen, .skip') && box.width > 0 &&
    (box.height < arguments[0] - 0.5 || box.width < arguments[0] - 0.5) && e.getAttribute('aria-hidden') !== 'true' &&
    !(e.type === 'checkbox' || e.type === 'radio');
}).map((e) => (e.textContent || e.getAttribute('aria-label') || e.className || e.type).trim().slice(0, 40) + ' ' +
  Math.round(e.getBoundingClientRect().width) + 'x' + Math.round(e.getBoundingClientRect().height));
"""


class Check:
    def __init__(self, options):
        self.options = options
        self.failures = []
        self.axe = find_axe(options.axe)
        if options.out:
            pathlib.Path(options.out).mkdir(parents=True, exist_ok=True)

    def expect(self, is_good, text):
        print(("good  " if is_good else "WRONG ") + text)
        if not is_good:
            self.failures.append(text)

    def examine(self, person, name, language="en"):
        """Screenshots in both sizes and looks; axe, the width and the targets of each."""
        for width in SIZES:
            for dark in (False, True):
                person.resize(width, 740 if width < 700 else 900)
                person.look(dark)
                time.sleep(0.3)
                tag = f"{name}-{width}-{'dark' if dark else 'light'}-{language}"
                if self.options.out:
                    person.screenshot(str(pathlib.Path(self.options.out) / f"{tag}.png"))
                for problem in self.axe_problems(person):
                    self.expect(False, f"{tag}: {problem}")
            wide = person.driver.execute_script("return document.documentElement.scrollWidth - innerWidth")
            self.expect(wide <= 0, f"{name} {width}: nothing is wider than the screen")
            small = person.driver.execute_script(SMALL_TARGETS, LEAST_TARGET_PX)
            self.expect(not small, f"{name} {width}: targets of {LEAST_TARGET_PX} px{' ' + str(small) if small else ''}")
        person.look(False)

    def axe_problems(self, person):
        if not self.axe:
            return []
        if not person.driver.execute_script("return 'axe' in window"):
            person.driver.execute_script(self.axe)
        return person.driver.execute_async_script(AXE_RULES)


def find_axe(path):
    if not path:
        try:
            import axe_core_python
            path = pathlib.Path(axe_core_python.__file__).parent / "axe.min.js"
        except ImportError:
            print("axe is not installed: its rules are left out")
            return None
    return pathlib.Path(path).read_text()


def first_visit(check):
    """From the first visit to live, counted; then each step again for its looks."""
    options = check.options
    person = Person(options.base, 360, 740)
    person.open()
    person.find(".gate")
    check.examine(person, "01-password")
    person.resize(360, 740)
    person.write("input[type=password]", "password")
    person.tap(".gate .key.go")
    person.find(".gate .problem", "Everybody tries this")
    person.taps = person.fields = 0
    steps.set_up(person, PASSWORD, options.key, options.platform, options.code, options.url)
    person.picture_plays()
    # Without a scroll, and without a word of the settings file.
    bottom = person.driver.execute_script("return document.querySelector('.key.go.live').getBoundingClientRect().bottom")
    check.expect(bottom <= 740, f"Go live is on the screen of a phone: {bottom:.0f} of 740")
    check.examine(person, "04-picture")
    person.resize(360, 740)
    steps.go_live(person)
    check.expect(person.taps <= MOST_TAPS, f"{person.taps} taps from the first visit to live")
    check.expect(person.fields <= MOST_FIELDS, f"{person.fields} fields from the first visit to live")
    check.expect(not person.complaints(), f"no complaints of the browser {person.complaints()}")
    person.close()


def set_up(check):
    """From the first visit to "Go live", for checks that begin off the air."""
    options = check.options
    person = Person(options.base, 360, 740)
    person.open()
    steps.set_up(person, PASSWORD, options.key, options.platform, options.code, options.url)
    person.close()


def broadcast(check, language):
    """The three views, on the air, in a pause and off the air."""
    person = Person(check.options.base, 1280, 900, language)
    steps.log_in(person, PASSWORD)
    if person.driver.execute_script("return document.querySelector('.key.go.live') !== null"):
        steps.go_live(person)
    person.picture_plays()
    time.sleep(3)
    # A machine that stalls delays the picture for a moment; the player has to catch up.
    ages = []

    def is_fresh():
        ages.append(person.age())
        return ages[-1] is not None and ages[-1] <= MOST_AGE_SECONDS
    check.expect(deeds.eventually(is_fresh), f"the picture is {ages[-1]} s old")
    check.examine(person, "10-live", language)
    steps.see(person, "engineer")
    time.sleep(2.5)
    check.examine(person, "20-engineer", language)
    steps.see(person, "setup")
    time.sleep(1)
    check.examine(person, "30-setup", language)
    person.until("[...document.querySelectorAll('#part-update .button')].every((one) => one.disabled)", "an update while live")
    for section in ("video", "publish"):
        person.driver.execute_script(
            "for (const d of document.querySelectorAll('.group')) d.open = d.textContent.includes(arguments[0])",
            f"{section}.")
    check.examine(person, "31-settings", language)
    steps.see(person, "broadcast")
    person.tap(".key.go.private")
    person.until("document.querySelector('.tally').dataset.colour === 'blue'", "not paused")
    time.sleep(2)
    check.examine(person, "11-paused", language)
    person.tap(".key.go.live")
    person.until("document.querySelector('.tally').dataset.colour === 'green'", "not back")
    person.tap(".keys .key:last-child")
    person.find("dialog[open]")
    check.examine(person, "12-end", language)
    person.tap("dialog .solid")
    person.until("document.querySelector('.tally').dataset.colour === 'white'", "not off the air")
    check.examine(person, "13-off", language)
    person.resize(320, 640)
    for view in ("broadcast", "setup", "engineer"):
        steps.see(person, view)
        wide = person.driver.execute_script("return document.documentElement.scrollWidth - innerWidth")
        check.expect(wide <= 0, f"{view} fits into 320 px")
    check.expect(not person.complaints(), f"no complaints of the browser {person.complaints()}")
    person.close()


def off_air(check):
    """What a person sets up, and an engineer looks at."""
    person = Person(check.options.base, 1280, 900)
    steps.log_in(person, PASSWORD)
    deeds.everything(person, check, check.options.key)
    check.expect(not person.complaints(), f"no complaints of the browser {person.complaints()}")
    person.close()


def on_air(check):
    """Each control of a broadcast, as seen at the server."""
    person = Person(check.options.base, 1280, 900)
    steps.log_in(person, PASSWORD)
    person.find(".key.go.live")
    focused = person.driver.execute_script("return document.activeElement.matches('.key')")
    check.expect(not focused, "an Enter too many after the login opens no room")
    controls.everything(person, check, Viewer(check.options.url, check.options.stat), check.options.key)
    check.expect(not person.complaints(), f"no complaints of the browser {person.complaints()}")
    person.close()


def speed(check):
    """The first view, and a later visit: how long the browser works for them. When they stand there is a figure alone, since
    other tests may run beside this one."""
    person = Person(check.options.base, 360, 740)
    person.count_work()
    for name in ("the login", "the login again"):
        person.open()
        person.find(".gate")
        expect_little_work(check, person, name)
    steps.log_in(person, PASSWORD)
    person.open()
    person.find(".desk .key.go")
    expect_little_work(check, person, "the broadcast view")
    moved = person.driver.execute_async_script("""
      const done = arguments[0]; let sum = 0;
      new PerformanceObserver((list) => { for (const e of list.getEntries()) if (!e.hadRecentInput) sum += e.value; })
        .observe({type: 'layout-shift', buffered: true});
      setTimeout(() => done(sum), 1500);""")
    check.expect(moved < 0.1, f"the layout does not jump: {moved:.3f}")
    person.close()


def expect_little_work(check, person, name):
    stands = person.driver.execute_script("return performance.getEntriesByName('view')[0].startTime")
    print(f"figure {name.replace(' ', '-')}-ms {stands:.0f}")
    work = person.work_ms()
    check.expect(0 < work <= MOST_WORK_MS, f"{name} takes {MOST_WORK_MS} ms of work at most: {work:.0f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base")
    parser.add_argument("--out")
    parser.add_argument("--key", default="abcd-efgh-ijkl")
    parser.add_argument("--platform", default="youtube")
    parser.add_argument("--url")
    parser.add_argument("--stat", help="the address of the RTMP server's statistics: checks at the server what each "
                        "control does, with --url")
    parser.add_argument("--code")
    parser.add_argument("--axe")
    parser.add_argument("--languages", default="en,zh")
    parser.add_argument("--part", choices=("views", "deeds", "picture", "sound", "recordings", "schedule", "guests"),
                        help="only how the views look, only what they do, or only one of the other views")
    check = Check(options := parser.parse_args())
    views = {"picture": picture, "sound": sound, "recordings": recordings, "schedule": schedule, "guests": guests}
    if options.part in views:
        set_up(check)
        views[options.part].everything(check, options.base, PASSWORD)
    elif options.part == "deeds":
        set_up(check)
    else:
        first_visit(check)
        speed(check)
        for language in options.languages.split(","):
            broadcast(check, language)
    if options.part in (None, "deeds"):
        if options.stat:
            cures.everything(check, options.base, PASSWORD, options.url, options.key)
        off_air(check)
        if options.stat:
            on_air(check)
    print(f"{len(check.failures)} wrong")
    return bool(check.failures)


if __name__ == "__main__":
    sys.exit(main())
