# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Each control of a broadcast, tapped on the page and looked at from the server. Begins and ends off the air.

The box sends a test pattern that moves and a tone.
"""

import pathlib
import tempfile

from deeds import fetch, png
from steps import go_live, see

RED = 150, 110


def is_red(look):
    """The red image of `png`, whatever the encoder makes of it."""
    red, green, blue = look.colour
    return red > RED[0] and green < RED[1] and blue < RED[1]


def everything(person, check, viewer, key):
    own_still(person)
    see(person, "broadcast")
    begin_and_mute(person, check, viewer, key)
    pause_and_resume(person, check, viewer, key)
    pause_with_sound(person, check, viewer, key)
    new_connections(person, check, viewer, key)
    another_size(person, check, viewer, key)
    end(person, check, viewer, key)
    elsewhere(person, check, viewer, key)


def own_still(person):
    """Uploads a red image for the pause."""
    see(person, "setup")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "red.png"
        path.write_bytes(png(320, 180))
        person.driver.find_element("css selector", "#part-stills input[type=file]").send_keys(str(path))
        person.find("dialog canvas")
        person.tap("dialog .solid")
        person.until("!document.querySelector('dialog')", "the dialog stays")
        person.find("#part-stills .link")


def begin_and_mute(person, check, viewer, key):
    go_live(person)
    check.expect(
        viewer.sees(key, lambda look: look.moves and look.loudness > 0.01), "server: live with sound after Go live")
    mute = ".keys .key:first-child"
    person.tap(mute)
    check.expect(
        viewer.sees(key, lambda look: look.moves and look.loudness < 0.001), "server: silence and video after Mute")
    person.tap(mute)
    check.expect(viewer.sees(key, lambda look: look.loudness > 0.01), "server: sound again after Unmute")


def pause_and_resume(person, check, viewer, key):
    # The answer, which tells that the still has not arrived yet, comes after the event which tells that it has.
    person.delay("/api/pause", 3)
    person.tap(".key.go.private")
    check.expect(
        viewer.sees(key, lambda look: is_red(look) and not look.moves and look.loudness < 0.001),
        "server: the uploaded still and silence after Pause")
    person.find(".key.go.live:not(:disabled)")
    person.until("document.querySelector('.tally').dataset.colour === 'blue'", "an old answer hides a new event")
    person.tap(".key.go.live")
    check.expect(
        viewer.sees(key, lambda look: look.moves and look.loudness > 0.01), "server: live with sound after Resume")


def pause_with_sound(person, check, viewer, key):
    """With pause.sound = "keep" the page says that the room is heard."""
    fetch(person, "/api/settings", "PATCH", {"pause.sound": "keep"})
    person.tap(".key.go.private")
    person.find(".ribbon", "The sound goes on")
    person.find(".state", "the sound goes on")
    check.expect(person.text(".tally").startswith("Paused"), "a pause with sound is not called private")
    check.expect(
        viewer.sees(key, lambda look: is_red(look) and look.loudness > 0.01),
        "server: the still and sound in such a pause")
    fetch(person, "/api/settings", "PATCH", {"pause.sound": None})
    person.find(".ribbon", "no sound")
    person.tap(".key.go.live")
    check.expect(viewer.sees(key, lambda look: look.moves), "server: live again after that pause")


def new_connections(person, check, viewer, key):
    for name, view, more, button in (("Reconnect", "broadcast", ".more", ".again:not(.halves) .button"),
                                     ("Restart", "engineer", ".rack-head details", ".told .button")):
        see(person, view)
        before = viewer.publisher(key)
        person.tap(f"{more} summary")
        person.tap(f"{more} {button}")
        person.tap("dialog .solid")
        check.expect(
            viewer.waits_for(lambda: viewer.publisher(key) not in (None, before)), f"server: a new connection after {name}")
        check.expect(viewer.sees(key, lambda look: look.moves), f"server: live again after {name}")


def another_size(person, check, viewer, key):
    see(person, "setup")
    person.write("input[type=search]", "video.size")
    field = person.driver.execute_script(
        "return [...document.querySelectorAll('.setting')].find((one) => one.querySelector('code').textContent === 'video.size')"
        ".querySelector('input').id")
    person.write(f"#{field}", "320x180")
    person.tap(".group-foot .solid")
    person.tap("dialog .solid")
    check.expect(viewer.sees(key, lambda look: look.size == (320, 180)), "server: the size that was set")


def end(person, check, viewer, key):
    see(person, "broadcast")
    person.tap(".keys .key:last-child")
    person.tap("dialog .solid")
    check.expect(viewer.waits_for(lambda: viewer.publisher(key) is None), "server: the stream has ended after End")


def elsewhere(person, check, viewer, key):
    """One broadcast to another stream, and the next one as ever."""
    other = f"{key}Elsewhere"
    person.driver.execute_script("document.querySelector('.more').open = true")
    person.write(".once input[type=url]", viewer.rtmp)
    person.write(".once input[type=password]", other)
    person.tap(".once .button")
    check.expect(viewer.waits_for(lambda: viewer.publisher(other)), "server: the other stream after a start elsewhere")
    end(person, check, viewer, other)
    go_live(person)
    check.expect(viewer.waits_for(lambda: viewer.publisher(key)), "server: the usual stream after the next Go live")
    end(person, check, viewer, key)
