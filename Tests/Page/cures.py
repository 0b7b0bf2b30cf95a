# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a person meets whose address, key or camera is wrong, and whether the page leads them to where it is mended."""

import time

from deeds import eventually, fetch
from steps import Person, log_in, see

NOWHERE = "rtmp://127.0.0.1:1/live"
KEY = "cUrEkEy"
AUTOMATIC = {"video.source": "camera", "audio.source": "microphone"}
USUAL = {"video.source": None, "audio.source": None}

# What of the reason, its key and the level is not in sight: below the header and above the pinned keys; and the grade, if there is one.
HIDDEN = """
const dock = document.querySelector('.dock').getBoundingClientRect().top, head = document.querySelector('.head');
const state = document.querySelector('.state').getBoundingClientRect(), hidden = [];
let above = state.bottom;
for (const name of ['.troubles li p', '.troubles li .button']) {
  const box = document.querySelector(name)?.getBoundingClientRect();
  if (!box || box.bottom > (innerWidth < 960 ? dock : innerHeight) || box.top < above - 1) hidden.push(name);
  above = box?.bottom ?? above;
}
// On a phone the level is in sight, too.
if (innerWidth < 720 && document.querySelector('.meter').getBoundingClientRect().bottom > dock) hidden.push('the meter');
if (state.top < head.getBoundingClientRect().bottom - 1) hidden.push('state');
if (document.querySelector('.grade').checkVisibility()) hidden.push('a grade of nothing');
return hidden;
"""

# Sentences of the last step, and steps before it that are called done. Each sentence has to be free at both ends of the page.
CHECK_STEP = """
const covered = [];
for (const down of [0, document.documentElement.scrollHeight]) {
  scrollTo(0, down);
  for (const one of document.querySelectorAll('.guide .problem, .guide .help, .guide .lead')) {
    const box = one.getBoundingClientRect(), y = box.y + box.height / 2;
    if (!box.height || y < 0 || y > innerHeight) continue;
    if (!one.contains(document.elementFromPoint(box.x + 5, y))) covered.push(one.textContent);
  }
}
scrollTo(0, 0);
return [covered, [...document.querySelectorAll('.steps .done')].map((one) => one.textContent)];
"""

# Eyes that are not within their field.
STRAY_EYES = """
return [...document.querySelectorAll('.with-eye')].filter((one) => one.checkVisibility()).filter((one) =>
  one.querySelector('.eye').getBoundingClientRect().right > one.querySelector('input').getBoundingClientRect().right + 1).length;
"""


def change(person, changes):
    return fetch(person, "/api/settings", "PATCH", changes)


def colour(person, name):
    person.until(f"document.querySelector('.tally').dataset.colour === '{name}'", f"the state is never {name}")


def end(person):
    fetch(person, "/api/stop", "POST", {})
    colour(person, "white")


def wrong_address(person, check, url, name):
    """The reason and the key to the cure stand under the state, and lead to the address and back on the air."""
    change(person, {"publish.url": NOWHERE, "publish.key": KEY})
    see(person, "broadcast")
    person.tap(".key.go.live")
    colour(person, "red")
    person.find(".troubles .button")
    person.find(".troubles li p", {"en": "127.0.0.1, port 1.", "zh": "127.0.0.1 的端口 1 "}[name])
    for size in ((360, 740), (1280, 800)):
        person.resize(*size)
        person.driver.execute_script("scrollTo(0, 0)")
        time.sleep(0.3)
        hidden = person.driver.execute_script(HIDDEN)
        check.expect(not hidden, f"{name}: the reason and its key are under the state at {size[0]} px {hidden or ''}")
    check.examine(person, f"40-wrong-{name}", name)
    person.resize(360, 740)
    person.tap(".troubles .button")
    person.write("#part-platform input[type=url]", url)
    # Another port is another server, too, which does not get the key of the first.
    person.tap("#part-platform form .key.go")
    person.find("#part-platform .problem", {"en": "paste its stream key", "zh": "密钥"}[name])
    person.write("#part-platform input[type=password]", KEY)
    person.tap("#part-platform form .key.go")
    person.find(".desk")
    colour(person, "green")
    check.expect(True, f"{name}: the right address leads back on the air")
    end(person)


def key_in_address(person, check, url):
    """Without a key the form says where it is missing; in the address it counts, and is called so."""
    see(person, "setup")
    person.tap("#part-platform .facts + .row .button")
    field = "return document.querySelector('#part-platform form .with-eye input').placeholder"
    check.expect("stays" in person.driver.execute_script(field), "an empty key field keeps the key")
    person.write("#part-platform input[type=url]", "rtmp://localhost")
    person.tap("#part-platform form .key.go")
    person.find("#part-platform .field .problem:not([hidden])", "rtmp://192.168.1.20/live")
    person.write("#part-platform input[type=url]", "live/club")
    person.tap("#part-platform form .key.go")
    person.find("#part-platform .field .problem:not([hidden])", "begins with rtmp://")
    person.write("#part-platform input[type=url]", "localhost:1/live")
    person.tap("#part-platform form .key.go")
    now = "return document.querySelector('#part-platform input[type=url]').value"
    check.expect(eventually(lambda: person.driver.execute_script(now) == "rtmp://localhost:1/live"), "rtmp:// is filled in")
    person.write("#part-platform input[type=url]", url.replace("127.0.0.1", "localhost"))
    said = person.driver.execute_script(field), person.text("#part-platform .field:has(.with-eye) .help")
    check.expect("stays" not in said[0] and "another server" in said[1], f"but not for another server: {said}")
    person.tap("#part-platform form .key.go")
    check.expect("another server" in person.text("#part-platform .field .problem:not([hidden])"), "another server needs its key")
    change(person, {"publish.url": url, "publish.key": ""})
    see(person, "broadcast")
    person.find(".gets + .next", "needs the stream key")
    person.tap(".dock .key.go")
    person.tap("#part-platform form .key.go")
    check.expect("at the end of the address" in person.text("#part-platform .field .problem:not([hidden])"),
                 "a missing key is told at its field")
    person.write("#part-platform input[type=url]", f"{url}/{KEY}")
    person.tap("#part-platform form .key.go")
    person.tap(".desk .key.go.live")
    colour(person, "green")
    end(person)
    see(person, "setup")
    check.expect(eventually(lambda: person.text("#part-platform .facts div:last-child dd") == "At the end of the server address"),
                 "a key in the address is not called missing")
    person.tap("#part-platform .facts + .row .button")
    person.write("#part-platform input[type=url]", f"{url}2/***")
    person.tap("#part-platform form .key.go")
    check.expect("hidden" in person.text("#part-platform .field .problem:not([hidden])"), "stars are no key")


def no_camera(person, check):
    """Off the air, before anybody has looked: what is missing, and what viewers would get."""
    see(person, "broadcast")
    change(person, AUTOMATIC)
    person.driver.refresh()
    if fetch(person, "/api/devices")["cameras"]:
        print("      this machine has a camera: left out")
    else:
        person.find(".troubles li", "There is no camera")
        check.expect("see a still" in person.text(".dock .key.go small"), "Go live promises no room without a camera")
        hidden = person.driver.execute_script(HIDDEN)
        check.expect(not hidden, f"no camera: the reason and its key are under the state {hidden or ''}")
        check.examine(person, "41-no-camera")
        person.resize(360, 740)
        person.tap(".troubles .button")
        check.expect("choose “Silence”" in person.text("#part-sources .pair .field:last-child .problem"),
                     "the choice of silence is told where it is")
        brief = "return document.querySelector('#part-sources .brief').textContent"
        check.expect(eventually(lambda: person.driver.execute_script(brief) == "No camera found, No microphone found"),
                     "the index names no device that is not there")
        change(person, {"publish.url": None, "publish.key": None})
        person.driver.refresh()
        person.tap(".tile[data-platform=unsure]")
        person.find(".guide h1", "There is no picture and no sound yet")
        check.expect(person.text(".guide .lead") == "There is no camera and no microphone. Plug them in.", "the check has one advice at a time")
        check.examine(person, "42-check-no-camera")
        person.resize(360, 740)
        covered, done = person.driver.execute_script(CHECK_STEP)
        check.expect(not covered, f"no key covers a sentence of the check {covered or ''}")
        check.expect("Platform" not in done and "Stream key" not in done, f"what was left out is not done: {done}")
        person.tap(".guide > .row .link:last-child")
        person.find(".gets + .next", "needs a platform")
    change(person, USUAL)


def figures(person, check):
    """After a broadcast without a fault nothing of the server is marked; each eye is in its field."""
    person.resize(1280, 800)
    see(person, "engineer")
    person.find(".table [data-name=outage_seconds] dd")
    marked = person.driver.execute_script("return document.querySelectorAll('.table [data-name=outage_seconds].over').length")
    check.expect(not marked, "the time to connect is no outage")
    see(person, "setup")
    person.driver.execute_script("for (const one of document.querySelectorAll('details.group')) one.open = true")
    stray = person.driver.execute_script(STRAY_EYES)
    check.expect(not stray, f"{stray} eyes outside of their fields")


def everything(check, base, password, url, key):
    for name in ("zh", "en"):
        person = Person(base, 360, 740, name)
        log_in(person, password)
        person.find(".desk")
        wrong_address(person, check, url, name)
        if name == "en":
            key_in_address(person, check, url)
            no_camera(person, check)
            figures(person, check)
        complaints = person.complaints()
        change(person, {"publish.url": url, "publish.key": key})
        check.expect(not complaints, f"no complaints of the browser {complaints}")
        person.close()
