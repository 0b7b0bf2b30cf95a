# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a person does on the view "Recordings", each with a check of what the box has then, and of what the page shows.
"""

import pathlib
import re
import tempfile
import time

from deeds import eventually, fetch
from steps import Person, go_live, log_in, see

MOST_TAPS = 3
# What is recorded at first, and for how many seconds.
FILMS = (("", 2), ("Concert", 2), ("Sunday service", 12))
FIRST = ".recordings li:first-child"
SIGN = ".rec-sign"
# Processor's time of the browser for the view with 10,000 recordings, and for each 100 more of them.
MOST_WORK_MS = 1_000
MANY = 10_000
# How far the film has come, whether it plays, and how long it is.
FILM = "const v = document.querySelector('.film-area video'); return [v.currentTime, v.paused, v.duration]"
# A recording as the box tells it.
MADE = """
const count = arguments[0];
return [...Array(count).keys()].map((i) => ({id: (i + 4096).toString(16).padStart(16, '0'), name: `2026-01-01_00-00-00 Film ${i}`,
  file: `2026-01-01_00-00-00 Film ${i}.mp4`, bytes: 1e9, modified: '2026-01-01T00:00:00Z', seconds: 3600, width: 1280, height: 720,
  marks: [{kind: 'hand', seconds: 5}], kept: false, running: false}));
"""
# Answers requests for the list as a box with many recordings does.
MANY_ANSWERS = """
const [all, done] = arguments, ask = window.fetch;
window.pages = 0;
window.fetch = async (address, init) => {
  const [path, query] = String(address).split('?');
  if (path !== '/api/recordings') return ask(address, init);
  const {limit, after} = Object.fromEntries(new URLSearchParams(query));
  const from = after ? all.findIndex(({id}) => id === after) + 1 : 0;
  const recordings = all.slice(from, from + Number(limit));
  pages++;
  return new Response(JSON.stringify({recordings, more: from + recordings.length < all.length, count: all.length}));
};
done();
"""


def everything(check, base, password):
    watched(check, base, password)
    person = Person(base, 1280, 900)
    log_in(person, password)
    see(person, "recordings")
    renamed(person, check)
    deleted(person, check)
    off_air(person, check)
    on_air(person, check)
    stick(person, check)
    many(person, check)
    check.expect(not person.complaints(), f"no complaints of the browser {person.complaints()}")
    person.close()
    in_chinese(check, base, password)


def recordings(person):
    return fetch(person, "/api/recordings")["recordings"]


def record(person):
    """Records the test picture off air, so that there are films."""
    for name, seconds in FILMS:
        fetch(person, "/api/record/start", "POST", {"name": name} if name else {})
        eventually(lambda least=seconds: fetch(person, "/api/status")["record"].get("seconds", 0) >= least)
        fetch(person, "/api/record/stop", "POST")
        eventually(lambda: fetch(person, "/api/status")["record"]["state"] == "off")


def watched(check, base, password):
    """A film is watched, and another one downloaded, on a phone, in three taps each."""
    person = Person(base, 360, 740)
    log_in(person, password)
    record(person)
    with tempfile.TemporaryDirectory() as folder:
        person.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": folder})
        person.taps = 0
        see(person, "recordings")
        person.find(FIRST, "Sunday service")
        person.tap(FIRST + " .film")
        check.expect(eventually(lambda: person.driver.execute_script(FILM)[0] > 0.5), "the film plays")
        check.expect(person.taps <= MOST_TAPS, f"a recording is watched in {person.taps} taps")
        person.tap(FIRST + " .save", "Download")
        check.expect(person.taps <= MOST_TAPS, f"and downloaded in {person.taps}")
        newest = recordings(person)[0]
        saved, size = pathlib.Path(folder) / newest["file"], newest["bytes"]
        check.expect(eventually(lambda: saved.exists() and saved.stat().st_size == size), f"the whole film is saved under its name: {size} bytes")
    person.driver.execute_script("document.querySelector('.film-area video').currentTime = 8")
    check.expect(eventually(lambda: person.driver.execute_script(FILM)[0] > 8.2), "it goes on from another moment")
    length = person.driver.execute_script(FILM)[2]
    check.expect(abs(length - recordings(person)[0]["seconds"]) < 0.5, f"its length is right: {length:.1f} s")
    check.examine(person, "80-recordings-film")
    person.resize(360, 740)
    person.tap(".film-area .link", "Close the film")
    check.expect(not person.driver.find_elements("css selector", "video[src]"), "a film that is closed loads no more")
    pictures = "return [...document.querySelectorAll('.film img')].filter((one) => one.naturalWidth).length"
    check.expect(eventually(lambda: person.driver.execute_script(pictures) == len(FILMS)), "each has a picture")
    check.examine(person, "81-recordings")
    check.expect(not person.complaints(), f"no complaints of the browser {person.complaints()}")
    person.close()


def act(person, text, line=1):
    """Chooses something of the menu of a recording."""
    person.tap(f".recordings li:nth-child({line}) summary")
    person.tap(f".recordings li:nth-child({line}) .menu-list button", text)


def renamed(person, check):
    """A new name keeps the day and the time; one that is taken is told at its field."""
    act(person, "Rename")
    person.write(FIRST + " input", "Harvest festival")
    person.tap(FIRST + " .button.solid", "Save")
    person.find(FIRST + " b", "Harvest festival")
    name = recordings(person)[0]["name"]
    check.expect(re.fullmatch(r"\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d Harvest festival", name), f"its name is another one: {name}")
    act(person, "Rename", 2)
    person.write(".recordings li:nth-child(2) input", "a/b")
    person.tap(".recordings li:nth-child(2) .button.solid", "Save")
    check.expect(eventually(lambda: all("/" not in one["name"] for one in recordings(person))), "a name is no path")
    act(person, "Keep for good")
    person.find(FIRST + " small", "kept for good")
    check.expect(eventually(lambda: recordings(person)[0]["kept"]), "it is kept")
    act(person, "Keep no longer")
    check.expect(eventually(lambda: not recordings(person)[0]["kept"]), "and no longer")


def deleted(person, check):
    """What is deleted comes back by a tap, and is gone without one."""
    before = [one["id"] for one in recordings(person)]
    act(person, "Delete")
    person.find(".recordings .gone", "is deleted")
    check.expect(eventually(lambda: [one["id"] for one in recordings(person)] == before[1:]), "it is deleted")
    focused = person.driver.switch_to.active_element.text
    check.expect(focused == "Undo", f"the way back has the focus: {focused}")
    check.examine(person, "82-recordings-deleted")
    person.resize(1280, 900)
    person.tap(".recordings .gone .button", "Undo")
    check.expect(eventually(lambda: [one["id"] for one in recordings(person)] == before), "and comes back")
    person.find(FIRST + " b", "Harvest festival")


def off_air(person, check):
    """Off the air the camera is opened after a question, and each view says so until it is stopped."""
    see(person, "broadcast")
    person.tap(".recorder .button", "Record")
    person.find("dialog", "Record without a broadcast?")
    person.tap("dialog .solid")
    for view in ("broadcast", "picture", "sound", "recordings", "schedule", "setup", "engineer"):
        see(person, view)
        check.expect("the camera is open" in person.text(SIGN), f"{view} says that it is recorded")
        top = person.driver.execute_script(
            f"scrollTo(0, 1e6); return document.querySelector('{SIGN}').getBoundingClientRect().top")
        check.expect(top >= 0, f"and says it wherever one is on {view}: {top:.0f}")
    see(person, "recordings")
    person.find(FIRST, "is being recorded")
    check.examine(person, "83-recordings-off-air")
    person.resize(1280, 900)
    person.tap(SIGN + " .button", "Stop")
    person.until(f"!document.querySelector('{SIGN}').checkVisibility()", "the sign stays")
    check.expect(eventually(lambda: recordings(person)[0].get("seconds", 0) > 0 and not recordings(person)[0]["running"]), "the film is there")
    person.find(FIRST + " .save", "Download")
    check.expect(fetch(person, "/api/status")["intent"]["broadcast"] == "off", "nothing was sent")


def on_air(person, check):
    """In a broadcast it is recorded and marked by a tap; the pause is a mark, too. A tap on a mark goes there."""
    see(person, "broadcast")
    go_live(person)
    person.tap(".recorder .button", "Record")
    person.find(".rec-line", "Recording 0:0")
    check.expect(not any(one.is_displayed() for one in person.driver.find_elements("css selector", SIGN)), "on the air there is no such sign")
    time.sleep(3)
    person.tap(".recorder .button", "Set a mark")
    person.find("#toast", "The mark is set.")
    check.examine(person, "84-recordings-live")
    person.resize(1280, 900)
    fetch(person, "/api/pause", "POST")
    time.sleep(2)
    fetch(person, "/api/resume", "POST")
    time.sleep(1)
    person.tap(".recorder .button", "Stop recording")
    see(person, "recordings")
    person.find(FIRST + " .marks", "1 mark · 1 pause")
    check.expect(fetch(person, "/api/status")["intent"]["broadcast"] == "live", "the broadcast goes on")
    fetch(person, "/api/stop", "POST")
    person.tap(FIRST + " .film")
    place = next(one["seconds"] for one in recordings(person)[0]["marks"] if one["kind"] == "hand")
    person.tap(".film-area li .button", "Mark")
    check.expect(eventually(lambda: person.driver.execute_script(FILM)[0] >= place), f"a tap on a mark goes there: {place:.1f} s")
    person.tap(".film-area .link")


STICK = """
const [fields, stick, done] = arguments;
import('/box.js').then(({box}) => {
  box.take({...box.status, record: {...box.status.record, place: 'stick', free_bytes: 3e9, total_bytes: 32e9, room_seconds: 1500, room_low: true, ...fields,
    stick: {id: '1A2B', label: 'CHURCH', file_system: 'exfat', bytes: 32e9, read_only: false, state: 'ready', ...stick}}});
  setTimeout(done, 50);
});
"""


def stick(person, check):
    """What is told of a stick, by a status that is pretended: a real one may take its place."""
    for fields, of_stick, text in (
            ({}, {}, "Room for 25 minutes only"), ({}, {"state": "checking"}, "is being checked"), ({}, {"speed": "slow"}, "The stick is slow"),
            ({"place": "none", "cause": "no_place"}, {"state": "unusable", "problem": "format"}, "Format it as exFAT"),
            ({"cause": "full"}, {}, "is full"), ({"place": "none"}, {"state": "removed"}, "You can pull out the stick now"),
            ({}, {"problem": "busy"}, "still in use")):
        def tells(fields=fields, of_stick=of_stick, text=text):
            person.driver.execute_async_script(STICK, fields, of_stick)
            return text in person.text(".place")
        check.expect(eventually(tells), f"a stick is told of: {text}")
    person.answer("/api/record/eject", 409, {"code": "stick_busy", "sentence": "It is in use."})
    person.driver.execute_async_script(STICK, {}, {})
    person.tap(".place .button", "Remove safely")
    person.find(".place [role=alert]", "still in use")
    asked = person.driver.execute_script("return asked.map((one) => one.address)")
    check.expect(asked == ["/api/record/eject"], f"the box is asked to close it: {asked}")
    check.examine(person, "85-recordings-stick")
    person.resize(1280, 900)


def many(person, check):
    """10,000 recordings: the view is there at once, and those further down come as one scrolls."""
    see(person, "broadcast")
    made = person.driver.execute_script(MADE, MANY)
    person.driver.execute_async_script(MANY_ANSWERS, made)
    person.driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
    before = person.work_ms()
    see(person, "recordings")
    person.find(".recordings li", "Film 0")
    work = person.work_ms() - before
    check.expect(work < MOST_WORK_MS, f"the view of {MANY} recordings takes {MOST_WORK_MS} ms of work at most: {work:.0f}")
    shown = "return document.querySelectorAll('.recordings li').length"
    for step in range(1, 11):
        least = person.driver.execute_script(shown) + 1
        before = person.work_ms()
        person.driver.execute_script("scrollTo(0, document.documentElement.scrollHeight)")
        check.expect(eventually(lambda least=least: person.driver.execute_script(shown) >= least), f"more come at the end, {step}")
        work = person.work_ms() - before
        check.expect(work < MOST_WORK_MS, f"and take {work:.0f} ms")
    check.expect(person.driver.execute_script(shown) < MANY / 2, "not all are asked for at once")
    names = person.driver.execute_script("return [...document.querySelectorAll('.recordings b')].map((one) => one.textContent)")
    check.expect(names == [f"Film {i}" for i in range(len(names))], f"none is missing or twice: {len(names)}")
    person.driver.refresh()
    person.find(".place")


def in_chinese(check, base, password):
    """The same in Chinese, and on other screens."""
    person = Person(base, 360, 740, "zh")
    log_in(person, password)
    see(person, "recordings")
    person.find(FIRST + " .save", "下载")
    person.tap(FIRST + " summary")
    check.examine(person, "86-recordings", "zh")
    for width, height in ((320, 640), (740, 360), (768, 1024), (1024, 768)):
        person.resize(width, height)
        wide = person.driver.execute_script("return document.documentElement.scrollWidth - innerWidth")
        check.expect(wide <= 0, f"the recordings fit into {width}x{height}")
        if check.options.out:
            person.screenshot(f"{check.options.out}/87-recordings-{width}x{height}.png", whole=False)
    check.expect(not person.complaints(), f"no complaints of the browser {person.complaints()}")
    person.close()
