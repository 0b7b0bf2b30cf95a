# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a person does on the set-up and the engineer's screen, each with a check of what follows. Off the air."""

import json
import pathlib
import struct
import tempfile
import time
import zlib

from steps import WAIT_SECONDS, see


def eventually(condition):
    """Whether a condition is fulfilled in the end."""
    end = time.monotonic() + WAIT_SECONDS
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.2)
    return True


def fetch(person, path, method="GET", body=None):
    """The JSON of an answer of the box, asked for by the page itself."""
    return person.driver.execute_async_script(
        "const [path, method, body, done] = arguments;"
        "fetch(path, {method, body}).then((r) => r.json()).then(done, (e) => done(String(e)))",
        path, method, json.dumps(body) if body is not None else None)


def pretend(person, key, other):
    """The page once gets another value of a setting."""
    fake = fetch(person, "/api/settings")
    next(one for one in fake if one["key"] == key)["value"] = other
    person.answer("/api/settings", 200, fake)


def value(person, key):
    return next(one for one in fetch(person, "/api/settings") if one["key"] == key)


def settings(person, check):
    """A wrong value is shown at its field; a right one is kept, and taken back."""
    see(person, "setup")
    person.write("input[type=search]", "volume")
    check.expect(person.find("#part-all .setting label", "Loudness") is not None, "another word for it finds a setting")
    person.write("input[type=search]", "video.gop_seconds")
    field = "input.short"
    person.write(field, "9")
    person.find(".setting .problem")
    check.expect("Write a number from" in person.text(".setting .problem"), "a wrong value is told at its field")
    told = person.driver.execute_script(
        "return [...document.querySelectorAll('.setting p, .setting p span')].filter((one) =>"
        " one.checkVisibility() && one.innerText.startsWith('Write a number')).length")
    check.expect(told == 1, f"and told once: {told}")
    person.write(field, "3")
    person.until("!document.querySelector('.setting [aria-invalid]')", "the problem stays")
    person.tap(".group-foot .solid")
    said_saved(person, check)
    check.expect(value(person, "video.gop_seconds")["value"] == 3, "a setting is kept")
    shown = person.driver.execute_script(
        "return [...document.querySelectorAll('#part-all .setting')].filter((one) => one.checkVisibility()).map((one) =>"
        " [one.querySelector('code').textContent, one.getBoundingClientRect().top < innerHeight])")
    check.expect(shown == [["video.gop_seconds", True]], f"and its field stays in sight, alone: {shown}")
    person.write("input[type=search]", "video.gop_seconds")
    person.tap(".fine .link")
    person.tap(".group-foot .solid")
    check.expect(
        eventually(lambda: value(person, "video.gop_seconds")["origin"] != "run time"), "a setting goes back")


def said_saved(person, check):
    """Whether the page says that it has saved, where a person looks."""
    person.find("#toast", "Saved. It counts now.")
    bottom, height = person.driver.execute_script(
        "const box = document.getElementById('toast').getBoundingClientRect(); return [box.bottom, innerHeight]")
    check.expect(0 < bottom <= height, "what was saved is said in sight")


def narrow_setup(person, check):
    """On a phone the set-up is its own index; quality is one tap."""
    person.resize(360, 740)
    person.driver.refresh()
    person.find(".part")
    heights = person.driver.execute_script(
        "return [document.documentElement.scrollHeight, document.querySelectorAll('.part:not(.closed)').length]")
    check.expect(heights[0] < 1_450 and not heights[1], f"the set-up fits on two screens: {heights}")
    bare = person.driver.execute_script(
        "return [...document.querySelectorAll('.brief')].filter((one) => !one.textContent).map((one) => one.closest('.part').id)")
    check.expect(not bare, f"each part says what it is for, or what it is now {bare or ''}")
    check.examine(person, "36-index")
    person.resize(360, 740)
    person.tap("#part-quality .part-toggle")
    person.tap(".choice input[value='960x540']")
    said_saved(person, check)
    now = [value(person, key)["value"] for key in ("video.size", "video.fps", "video.bitrate_kbps")]
    check.expect(now == ["960x540", 30, 0], f"a quality is chosen: {now}")
    check.expect(len(person.driver.find_elements("css selector", ".choice .badge:not(.warns)")) == 1, "one is recommended")
    check.examine(person, "37-quality")
    person.resize(360, 740)
    fetch(person, "/api/settings", "PATCH", {"video.bitrate_kbps": 700})
    person.driver.refresh()
    person.find(".part")
    chosen = "return document.querySelector('.choice input:checked')?.value"
    check.expect(eventually(lambda: person.driver.execute_script(chosen) == "own"), "another bit rate is not the quality that was chosen")
    fetch(person, "/api/settings", "PATCH", {key: None for key in ("video.size", "video.fps", "video.bitrate_kbps")})
    person.resize(1280, 900)
    person.driver.refresh()
    person.find(".part")


def uplink(person, check):
    see(person, "setup")
    person.tap("#part-quality .uplink .button.solid")
    person.find("#part-quality .uplink .figure")
    offer = person.text("#part-quality .uplink [role=status] .button")
    person.tap("#part-quality .uplink [role=status] .button")
    said_saved(person, check)
    size = value(person, "video.size")["value"].replace("x", "×")
    check.expect(size != "640×360" and f"({size}, " in offer, f"the recommended quality is taken over: {offer}, {size}")
    fetch(person, "/api/settings", "PATCH", {key: None for key in ("video.size", "video.fps", "video.bitrate_kbps")})


def relays(person, check):
    """A relay is added by its platform, with a mistake first, changed and removed."""
    see(person, "setup")
    part = "#part-relays"
    person.tap(f"{part} .button")
    check.expect(len(person.driver.find_elements("css selector", f"{part} .tile")) > 5, "a relay has platforms, too")
    person.tap(f"{part} .tile[data-platform=twitch]")
    person.write(f"{part} input[type=password]", "rElAy KeY")
    person.tap(f"{part} form .key")
    check.expect("space" in person.text(f"{part} .field:has([aria-invalid]) .problem"), "a wrong key is told at its field")
    person.tap(f"{part} .link", "Cancel")
    person.tap(f"{part} .button")
    person.tap(f"{part} .tile[data-platform=own]")
    person.write(f"{part} input[type=url]", "rtmp://127.0.0.1:9/live")
    person.write(f"{part} input[type=password]", "rElAyKeY")
    person.tap(f"{part} details.quiet:last-of-type summary")
    name = f"{part} details[open] input[type=text]"
    person.write(name, "second church")
    check.examine(person, "34-relay")
    person.tap(f"{part} form .key")
    person.find(f"{part} .problem", "letters, digits")
    person.write(name, "second")
    person.tap(f"{part} form .key")
    person.find(f"{part} li", "127.0.0.1")
    check.expect("begins with the next broadcast" in person.text(f"{part} li"), "the relay is there, and says what it does")
    check.expect([one["name"] for one in fetch(person, "/api/relays")] == ["second"], "the box has it")
    check.expect("rElAyKeY" not in str(fetch(person, "/api/relays")), "its key is not shown")
    act(person, "Change")
    person.tap(f"{part} input[type=checkbox]")
    person.tap(f"{part} form .key")
    check.expect(eventually(lambda: not fetch(person, "/api/relays")[0]["enabled"]), "it begins by hand only")
    check.examine(person, "35-relays")
    act(person, "Remove")
    person.tap("dialog .solid")
    check.expect(eventually(lambda: fetch(person, "/api/relays") == []), "it is gone")


def act(person, what):
    """Chooses from the menu of the only relay."""
    person.tap("#part-relays .menu summary")
    person.tap(f"#part-relays button[aria-label='{what}: second']")


def network(person, check):
    """A Wi-Fi is joined, with a wrong password first; manager.py is the box's NetworkManager."""
    see(person, "setup")
    part = "#part-network"
    check.expect("The box uses the cable." in person.text(f"{part} [role=status]"), "the page tells the way")
    names = [one.text for one in person.driver.find_elements("css selector", f"{part} li b")]
    check.expect([one for one in names if "0" not in one] == ["Home", "Café", "Office"], f"the strongest first: {names}")
    person.tap(f"{part} .button, {part} .link", "Make the box's own Wi-Fi")
    said = person.text("dialog")
    own = fetch(person, "/api/network")["hotspot"]
    check.expect(own["name"] in said and own["url"] in said and "leaves" not in said, f"how to reach the box's own Wi-Fi: {said}")
    check.expect("has no password" in said and "This page may then stop" in said, "and what happens to the page")
    person.tap("dialog .button:not(.solid)")
    check.expect("Cable (eth0)" in person.text(part) and "address 192.168.1.20" in person.text(part), "each number has a word")
    person.resize(360, 740)
    person.tap(f"{part} button[aria-label='Join: Café']")
    check.expect("no password" in person.text(f"{part} li form"), "an open Wi-Fi is asked about in its own line")
    joins = [one.text for one in person.driver.find_elements("css selector", f"{part} li:has(form) button")].count("Join")
    check.expect(joins == 1, f"with one key: {joins}")
    person.tap(f"{part} form button[type=button]")
    check.expect("open, without a password" in person.with_found(f"{part} li", "Café", lambda line: line.text), "and is called open")
    person.tap(f"{part} button[aria-label='Join: Home']")
    person.tap(f"{part} form .solid")
    person.find(f"{part} li form .problem", "The Wi-Fi Home needs a password.")
    person.write(f"{part} li form input[type=password]", "a-wrong-password")
    person.tap(f"{part} form .solid")
    person.find(f"{part} li form .problem", "The password of the Wi-Fi Home is wrong.")
    # Each field has a hidden one of its own.
    person.until("(({top, bottom}) => 64 < top && bottom < 740 - 64)"
                 "(document.querySelector('#part-network form > .problem').getBoundingClientRect())",
                 "what is wrong is not said in sight")
    kept = person.driver.execute_script("return document.querySelector('#part-network form input').value")
    check.expect(kept == "a-wrong-password", "what was written stays")
    check.examine(person, "32-join")
    person.write(f"{part} li form input[type=password]", "home-password")
    person.tap(f"{part} form .solid")
    person.find("#toast", "Home: connected")
    check.expect(not person.driver.find_elements("css selector", f"{part} form"), "a form that has done its work is closed")
    person.resize(1280, 900)
    check.expect(
        eventually(lambda: "connected" in person.with_found(f"{part} h3 + ul li", "Home", lambda line: line.text)),
        "it is shown as connected")
    person.tap(f"{part} button[aria-label='Address: eth0']")
    person.driver.execute_script(
        "const s = document.querySelector('#part-network select'); s.value = 'static'; s.dispatchEvent(new Event('change'))")
    person.write(f"{part} form input", "10.1.2.3/16")
    check.examine(person, "33-address")
    person.tap(f"{part} form .solid")
    check.expect(person.find(f"{part} [role=alert]", "gateway") is not None, "a wrong address is refused with a reason")
    person.tap(f"{part} form button[type=button]")
    person.tap(f"{part} button[aria-label='Forget: Home']")
    person.tap("dialog .solid")
    check.expect(eventually(lambda: fetch(person, "/api/network")["known"] == []), "it is forgotten")


def update(person, check):
    """A file that is no update is refused; one that looks like one is handed to the image, here to nobody."""
    see(person, "setup")
    part = "#part-update"
    said = person.text(f"{part} [role=status]")
    check.expect("This box has OnAir " in said and "?" not in said, f"the version is told: {said}")
    with tempfile.TemporaryDirectory() as folder:
        for name, content, place, sentence in (
                ("film.mp4", b"PK", ".problem", "ends with .raucb"), ("a.raucb", b"PK", ".problem", "is damaged"),
                ("a.raucb", b"hsqs...", "[role=status]", "within a minute")):
            path = pathlib.Path(folder) / name
            path.write_bytes(content)
            person.driver.find_element("css selector", f"{part} input[type=file]").send_keys(str(path))
            check.expect(person.find(f"{part} {place}", sentence) is not None, f"the page says: {sentence}")
    check.expect(fetch(person, "/api/update")["state"] == "waiting", "the update is asked for")
    see(person, "broadcast")
    check.expect(person.find(".next", "is under way") is not None, "the broadcast's view says so")
    see(person, "engineer")
    check.expect(person.find(".event-list li", "An update was asked for on the page.") is not None, "and so does an event")
    person.resize(360, 740)
    person.driver.refresh()
    person.find(".event-list li")
    height = person.driver.execute_script("return document.documentElement.scrollHeight")
    check.expect(height < 3_000, f"on a phone the engineer's view is {height} px long")
    check.examine(person, "43-engineer")
    person.resize(1280, 900)


def still(person, check):
    """An image of another shape is placed and uploaded in the shape of the video."""
    see(person, "setup")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "square.png"
        path.write_bytes(png(300, 300))
        person.driver.find_element("css selector", "#part-stills input[type=file]").send_keys(str(path))
        person.find("dialog canvas")
        person.tap("dialog .solid")
        person.until("!document.querySelector('dialog')", "the dialog stays")

        def is_red():
            return person.driver.execute_async_script(RED_STILL)
        width, height = map(int, value(person, "video.size")["value"].split("x"))
        check.expect((width, height) == (640, 360), "the video is small")
        check.expect(eventually(lambda: is_red() == [1920, 1080]), "the still has the shape of the video, and is large")
        person.answer("/api/stills", 0)
        person.driver.find_element("css selector", "#part-stills input[type=file]").send_keys(str(path))
        person.tap("dialog .solid")
        said = person.text("#part-stills .problem")
        check.expect("does not answer" in said, "a box that does not answer is not taken for a bad image")
    links = len([one for one in person.driver.find_elements("css selector", "#part-stills .link") if one.is_displayed()])
    check.expect(links == 1, f"only what was uploaded can be removed: {links}")
    person.tap("#part-stills .link")
    check.expect(eventually(lambda: is_red() is None), "the still is removed")


def media(person, check):
    """A file is uploaded and shown, cannot be deleted while it is in use, and is deleted then."""
    see(person, "setup")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "Über uns.png"
        path.write_bytes(png(64, 36))
        person.driver.find_element("css selector", "#part-media input[type=file]").send_keys(str(path))
        person.find("#part-media .lines li", path.name)
    chosen = f"file:media/{path.name}"
    person.tap("#part-media .lines .link", "Show")
    check.expect(eventually(lambda: value(person, "video.source")["value"] == chosen), "an uploaded file is shown")
    person.find("#part-media .lines small", "in use")
    check.expect(eventually(lambda: person.driver.execute_script(
        "return document.querySelector('#part-sources select').value") == chosen), "and is the chosen source")
    told = "return ['.brief', 'option:checked'].map((one) => document.querySelector('#part-sources ' + one).textContent)"
    check.expect(eventually(lambda: person.driver.execute_script(told) == [f"{path.name}, Test tone", path.name]),
                 f"by its name: {person.driver.execute_script(told)}")
    refused = fetch(person, f"/api/media/{path.name}", "DELETE")
    check.expect(refused["code"] == "in_use", "a file in use is not deleted")
    person.tap("#part-media .lines .link", "Stop")
    check.expect(eventually(lambda: value(person, "video.source")["value"] == "pattern"), "and stopped, for what was there before")
    person.tap("#part-media .lines .link", "Delete")
    person.tap("dialog .solid")
    check.expect(eventually(lambda: fetch(person, "/api/media")["files"] == []), "a file is deleted")


# The size of the still of the pause; null if it is not red in the middle.
RED_STILL = """
const done = arguments[0], image = new Image();
image.onload = () => {
  const canvas = Object.assign(document.createElement('canvas'), {width: image.width, height: image.height});
  const context = canvas.getContext('2d');
  context.drawImage(image, 0, 0);
  const [red, green] = context.getImageData(image.width / 2, image.height / 2, 1, 1).data;
  done(red > 150 && green < 110 ? [image.naturalWidth, image.naturalHeight] : null);
};
image.onerror = () => done(null);
image.src = '/api/stills/pause?' + Math.random();
"""


def png(width, height):
    """A red PNG image."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = (b"\0" + b"\xe0\x40\x30" * width) * height
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def token(person, check):
    """A token is shown once, and can be removed."""
    see(person, "setup")
    person.tap("#part-access details:nth-of-type(3) summary")
    person.write("#part-access details[open] input[type=text]", "mixer")
    person.tap("#part-access details[open] form .button")
    check.expect(len(person.text(".token")) >= 32, "a token is shown once")
    check.expect([one["name"] for one in fetch(person, "/api/tokens")] == ["mixer"], "the token exists")
    person.tap("#part-access .lines .link")
    person.tap("dialog .solid")
    check.expect(eventually(lambda: fetch(person, "/api/tokens") == []), "the token is removed")


def machine(person, check):
    """The box gets a name and a time zone, and where people watch; its power is asked for in a dialog."""
    see(person, "setup")
    part = "#part-machine"
    check.expect(value(person, "box.zone")["value"] != "", "the browser has proposed its time zone")
    for text, works in (("Nowhere/Else", False), ("Europe/Berlin", True)):
        person.write(f"{part} .field:nth-of-type(2) input", text)
        person.tap(f"{part} form .button")
        if works:
            said_saved(person, check)
        else:
            check.expect("Europe/Berlin" in person.text(f"{part} .problem"), "an unknown time zone is told at its field")
    check.expect(value(person, "box.zone")["value"] == "Europe/Berlin", "the time zone is kept")
    person.write("#part-watch input", "https://example.org/watch")
    person.tap("#part-watch form .button")
    person.until("document.querySelector('#part-watch img')?.naturalWidth > 0", "no QR code")
    check.expect(person.find("#part-watch a").get_attribute("href") == "https://example.org/watch", "people can watch")
    person.until("!document.querySelector('#toast.shown')", "the toast stays")
    check.examine(person, "39-machine")
    person.tap(f"{part} .button", "Restart the box")
    person.find("dialog", "comes back by itself")
    person.tap("dialog .solid")
    # OnAir is no service of this machine.
    person.find(f"{part} [role=alert]", "OnAir")
    fetch(person, "/api/settings", "PATCH", {"box.zone": None, "publish.play_url": None})


def backup(person, check):
    """Settings go into a file and come back; those with keys need the password and a passphrase."""
    see(person, "setup")
    part = "#part-backup"
    plain = person.driver.execute_async_script(
        "const done = arguments[0]; fetch('/api/settings/export').then((r) => r.text()).then(done)")
    check.expect("sEcrEt" not in plain, "a file without keys has none")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "settings.toml"
        for text, problem in (("[video]\nfps = 900\n", "Write a whole number"), (plain + "\n[slate]\nfps = 7\n", None)):
            path.write_text(text)
            person.driver.find_element("css selector", f"{part} input[type=file]").send_keys(str(path))
            if problem:
                person.find(f"{part} [role=alert]", problem)
                continue
            person.tap("dialog .solid")
            # Some of it counts at the next start only.
            person.find("#toast", "Saved.")
            person.find(part)
    check.expect(value(person, "slate.fps")["value"] == 7, "the settings of the file count")
    fetch(person, "/api/settings", "PATCH", {"slate.fps": None})
    person.tap(f"{part} summary")
    person.write(f"{part} details .field:nth-of-type(1) input", "a long passphrase")
    person.write(f"{part} details .field:nth-of-type(2) input", "not the password")
    check.examine(person, "40-backup")
    person.tap(f"{part} details form .button")
    check.expect("password" in person.text(f"{part} .field:has([aria-invalid]) .problem"), "keys need the password")


def reset_asks(person, check):
    """The factory reset stands apart, and asks for the password in a dialog."""
    see(person, "setup")
    check.expect(not person.driver.find_elements("css selector", "#part-access .danger"), "it is not beside Log out")
    person.tap("#part-reset .danger")
    person.tap("dialog .danger")
    check.expect("password" in person.text("dialog .problem"), "it asks for the password")
    person.tap("dialog .button")
    person.until("!document.querySelector('dialog')", "the dialog stays")
    check.expect(fetch(person, "/api/session")["set_up"], "nothing is forgotten")


def key_stays_secret(person, check, key):
    """The stream key is in no answer and on no view."""
    check.expect(key not in json.dumps(fetch(person, "/api/settings")), "the key is in no answer")
    for view in ("setup", "engineer"):
        see(person, view)
        time.sleep(1)
        check.expect(key not in person.driver.page_source, f"the key is not on the view {view}")


def photos(person, check):
    """A series of snapshots ends as one file."""
    see(person, "broadcast")
    person.driver.execute_script(
        "window.saved = []; HTMLAnchorElement.prototype.click = function () { saved.push(this.download) }")
    person.tap(".more summary")
    person.write(".extra input", "2")
    person.write(".extra .pair .field:nth-child(2) input", "0.2")
    person.tap(".extra .button")
    person.until("window.saved.length", "no file")
    check.expect(person.driver.execute_script("return saved[0]").endswith(".zip"), "a series of snapshots is one file")
    person.find(".extra [role=status]", "2 photos are in the downloads")
    check.expect(person.text(".more summary") == "Less", "what opens also closes")


def weak_uplink(person, check):
    """No bit rate is offered above what was measured, or above what the platform takes."""
    sentence = "The connection carries 60 kbit/s, which is too slow."
    result = {"state": "done", "throughput_kbps": 60, "recommended_kbps": 100, "recommended_size": "160x90",
              "sentence": sentence}
    see(person, "broadcast")
    # Both halves of the part ask for it.
    person.answer("/api/uplink", 200, result, times=2)
    see(person, "setup")
    person.find("#part-quality .uplink [role=status] p", "too slow for a broadcast")
    offers = person.driver.execute_script(
        "return document.querySelectorAll('#part-quality .uplink [role=status] .button').length")
    figure = person.text("#part-quality .uplink .figure")
    check.expect(figure == "60 kbit/s" and not offers, "a weak uplink gets no bit rate to use")
    see(person, "broadcast")
    person.answer("/api/uplink", 200, {**result, "throughput_kbps": 20000, "recommended_kbps": 9000}, times=2)
    person.answer("/api/quality", 200, {"choices": [
        {"size": "1920x1080", "fps": 30, "kbps": 9000, "fits_line": True, "recommended": True}]}, times=3)
    pretend(person, "publish.url", "rtmps://ingest.global-contribute.live-video.net/app")
    see(person, "setup")
    offer = person.text("#part-quality .uplink [role=status] .button")
    check.expect("6,000" in offer, f"no more is offered than Twitch takes: {offer}")


def nobody_looks(person):
    person.until("!document.querySelector('.desk .watched').textContent", "somebody still looks")


def aiming(person, check):
    """After ten minutes the camera is shown again only when somebody asks."""
    see(person, "broadcast")
    person.tap(".on-picture")
    person.picture_plays()
    time.sleep(1)
    said = person.driver.execute_script("return document.querySelector('.desk .watched').textContent")
    check.expect("127.0.0.1" not in said, f"this page's own look is nobody else's: {said}")
    person.tap(".tool.wide")
    nobody_looks(person)
    shown = "getComputedStyle(document.querySelector('.screen video')).transform"
    for mirrors, transform in ((True, "matrix(-1, 0, 0, 1, 0, 0)"), (False, "none")):
        fetch(person, "/api/settings", "PATCH", {"preview.mirror": mirrors})
        person.until(f"{shown} === '{transform}'", f"preview.mirror = {mirrors} does not count at once")
    person.answer("/api/preview.mp4", 409, {"code": "aiming_over", "sentence": "It was shown for ten minutes."})
    person.tap(".on-picture")
    person.find(".monitor-note", "Ten minutes")
    time.sleep(2)
    requests = person.driver.execute_script("return asked.length")
    person.tap(".on-picture")
    person.picture_plays()
    asked = person.driver.execute_script("return asked.map((one) => one.address)")
    check.expect(requests == 1, "no picture is asked for after its end")
    check.expect(asked[-1].endswith("?again=1"), "the camera is shown again")
    person.tap(".tool.wide")


def undone(person, check):
    """A change that breaks the picture is taken back, and the set-up says so and shows what counts."""
    see(person, "setup")
    before = value(person, "video.source")["value"]
    person.tap("#part-sources .on-picture")
    person.picture_plays()
    person.write("input[type=search]", "video.source")
    person.driver.execute_script(
        "const list = document.querySelector('#part-all .setting select');"
        "list.value = 'camera:'; list.dispatchEvent(new Event('change'))")
    person.write("#part-all .setting input", "/dev/video99")
    person.tap(".group-foot .solid")
    person.find("#part-all .answer .problem", "taken back")
    person.find("#part-sources .problem", "taken back")
    shown = person.driver.execute_script(
        "return ['#part-sources select', '#part-all .setting select'].map((one) => document.querySelector(one).value)")
    check.expect(shown == [before, before], f"what was taken back is shown as it is: {shown}")
    person.tap("#part-sources .tool.wide")


def devices(person, check):
    """The first camera is the first that can be used, and what is wrong with one is said."""
    broken = {"value": "camera:/dev/video0", "name": "Grabber", "problem": "Grabber has no signal."}
    works = {"value": "camera:/dev/video2", "name": "Webcam"}
    for cameras, name, problem in (([broken, works], "Webcam", ""), ([broken], "none", "no signal. Plug one in")):
        see(person, "broadcast")
        person.answer("/api/devices", 200, {"cameras": cameras, "microphones": []}, times=2)
        pretend(person, "video.source", "camera")
        see(person, "setup")
        person.find("#part-sources select", "Grabber")
        option, said = (person.driver.execute_script(
            "return document.querySelector('#part-sources .pair ' + arguments[0]).textContent", part)
                        for part in ("option", ".problem"))
        check.expect(name in option, f"the first camera that works: {option}")
        check.expect(problem in said and bool(problem) == bool(said), f"what is wrong with it: {said}")


def lost_views(person, check):
    """A view that cannot be loaded leaves the present one in use, and comes in the end."""
    person.driver.execute_cdp_cmd("Network.enable", {})
    # No view is loaded yet but the first.
    person.open()
    for view, address, part in (("setup", "*/api/settings", ".part"), ("engineer", "*/engineer.js", ".rack")):
        person.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": [address]})
        person.tap(f".top nav a[href='#{view}']")
        person.find("#banner", "could not be loaded")
        check.expect(person.find(".desk, .part").is_displayed(), f"a page that cannot load {view} goes on")
        person.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": []})
        person.find(part)
        person.until("!document.querySelector('#banner.shown')", "the banner stays")


def troubles(person, check):
    """The time until the next attempt counts down by itself."""
    see(person, "broadcast")
    # The box tells its own status again when nobody looks any more.
    nobody_looks(person)

    def counts_down():
        """Whether it does so with a status that is pretended: a real one may take its place."""
        person.driver.execute_async_script(
            "const done = arguments[0];"
            "import('/box.js').then(({box}) => { box.take({...box.status, troubles: [{subject: 'example.org port 1935',"
            "cause: 'no_route', sentence: 'No way.', since: new Date().toISOString(), since_seconds: 0,"
            "retry_in_seconds: 50}]}); done(); })")
        shown = "return document.querySelector('.troubles .retry')?.textContent ?? ''"
        end = time.monotonic() + 10
        while time.monotonic() < end:
            if "in 47 s" in person.driver.execute_script(shown):
                return True
            time.sleep(0.1)
        return False

    check.expect(any(counts_down() for _ in range(10)), "the time until the next attempt counts down")


def charts(person, check):
    """Two hours of values for each five seconds fill the chart of two hours."""
    see(person, "broadcast")
    end = person.driver.execute_async_script(
        "const done = arguments[0];"
        "import('/box.js').then(({box}) => box.on('figures', (one) => done(one.time)))")
    names = ("sent_kbps", "encoded_kbps", "target_kbps", "behind_ms", "round_trip_ms", "fps", "dropped", "dropped_late",
             "dropped_network", "encode_ms", "cpu_percent", "own_cpu_percent", "temperature_c", "memory_mb")
    person.answer("/api/history", 200, {"end": end, "interval": 5, "columns": {name: [22] * 1440 for name in names}},
                  times=9)
    see(person, "engineer")
    person.tap(".charts .switch button:last-child")
    check.expect(eventually(lambda: person.driver.execute_script(OLDEST_INK)), "two hours fill the chart of two hours")


# Whether the third chart, whose scale ends at 25, has a line at 22 near its left end.
OLDEST_INK = """
const canvas = document.querySelectorAll('canvas.chart')[2], ratio = canvas.height / 150;
const pixels = canvas.getContext('2d').getImageData(60 * ratio, 17 * ratio, 4, 8 * ratio).data;
return pixels.some((value, index) => index % 4 === 3 && value > 0);
"""


def no_key(person, check):
    """Another address without a key is sent without one, in so many words."""
    see(person, "broadcast")
    person.answer("/api/start", 409, {"sentence": "Not now."})
    person.driver.execute_script("document.querySelector('.more').open = true")
    person.write(".once input[type=url]", "rtmp://example.org/live")
    person.tap(".once .button")
    person.find(".once .problem", "Not now")
    body = json.loads(person.driver.execute_script("return asked.at(-1).body"))
    check.expect(body == {"url": "rtmp://example.org/live", "key": ""}, f"another server gets no key: {body}")


def leave(person, check):
    """A log-out that does not reach the box is not taken for one."""
    see(person, "setup")
    person.answer("/api/logout", 0)
    button = "#part-access .part-body > .stack > .row .button"
    person.tap(button)
    person.find("#part-access .problem", "still logged in")
    person.tap(button)
    person.find(".gate")
    check.expect(fetch(person, "/api/session")["logged_in"] is False, "a second attempt logs out")


def help_pages(person, check):
    """The help needs no login: it fits a phone, and leads to the other language and back to the box."""
    person.resize(360, 740)
    person.tap(".gate a[href='help.html']")
    for name, other in (("help.html", "help-zh.html"), ("help-zh.html", "./")):
        person.until(f"location.pathname === '/{name}' && document.readyState === 'complete'", f"no {name}")
        has_style, wide, ids = person.driver.execute_script(
            "return [document.styleSheets.length === 1 && document.styleSheets[0].cssRules.length > 0,"
            "document.documentElement.scrollWidth - innerWidth,"
            "[...document.querySelectorAll('[id]')].map((one) => one.id)]")
        check.expect(has_style, f"{name} has its style")
        person.driver.execute_script("scrollTo(0, document.documentElement.scrollHeight)")
        person.find("header a[href='#contents']").click()
        person.until("document.getElementById('contents').getBoundingClientRect().top > 56", "the contents are covered")
        check.expect(wide <= 0, f"{name} fits into 360 px")
        check.expect(ids and len(set(ids)) == len(ids), f"{name}: each id is there once")
        person.tap(f"header a[href='{other}']")
    person.find(".gate")
    complaints = person.complaints()
    check.expect(not complaints, f"no complaints of the browser about the help {complaints}")
    person.resize(1280, 900)


def everything(person, check, key):
    for deed in (settings, narrow_setup, relays, network, update, uplink, weak_uplink, still, media, machine,
                 backup, token, reset_asks, photos, aiming, undone, devices, troubles, charts, no_key, lost_views):
        deed(person, check)
    key_stays_secret(person, check, key)
    leave(person, check)
    help_pages(person, check)
