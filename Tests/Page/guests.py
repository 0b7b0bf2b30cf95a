# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a person does on the view "Guests", each with a check of what the box has then, and of what the page shows.

The box has two guests who send picture and sound, "anna" and "bob", room for one on air, and the layout "interview".
"""

import json
import time

from deeds import eventually, fetch, value
from selenium.webdriver import ActionChains
from selenium.webdriver.common.keys import Keys
from steps import Person, log_in, see

MOST_TAPS = 3
MOST_FIELDS = 2
# Two a second, and one that is on its way at each end.
MOST_PICTURES = 10
LOOKED_SECONDS = 4
OPERATORS = "who only operates"
FORM = ".guest-form"
HANDLE = ".guest-stage .handle"
# The answers to requests for pictures come late: counts the requests, and the most of one guest at a time.
COUNT_PICTURES = """
const seconds = arguments[0], ask = window.fetch, now = {};
window.pictures = {asked: 0, atOnce: 0};
window.fetch = async (address, init) => {
  if (!String(address).endsWith('/picture')) return ask(address, init);
  pictures.asked++;
  now[address] = (now[address] ?? 0) + 1;
  pictures.atOnce = Math.max(pictures.atOnce, now[address]);
  try {
    await new Promise((done) => setTimeout(done, 1000 * seconds));
    return await ask(address, init);
  } finally {
    now[address]--;
  }
};
"""
HIDE = "Object.defineProperty(document, 'hidden', {configurable: true, get: () => arguments[0]})"
# Moves a slider as a hand does.
SLIDE = """
const [input, value] = arguments;
input.value = value;
for (const name of ['input', 'change']) input.dispatchEvent(new Event(name, {bubbles: true}));
"""


def everything(check, base, password):
    phone(check, base, password)
    person = Person(base, 1280, 900)
    log_in(person, password)
    see(person, "guests")
    full(person, check)
    pictures(person, check)
    layouts(person, check)
    dragged(person, check)
    sound(person, check)
    removed(person, check)
    settings(person, check)
    added(person, check)
    sender(person, check)
    deleted(person, check)
    check.expect(not person.complaints(), f"no complaints of the browser {person.complaints()}")
    person.close()
    in_chinese(check, base, password)
    operator(check, base, password)


def guests(person):
    return {one["name"]: one for one in fetch(person, "/api/guests")["guests"]}


def state(person, name):
    return guests(person).get(name, {}).get("state")


def becomes(person, check, name, wanted, text):
    check.expect(eventually(lambda: state(person, name) == wanted), f"{text}: {name} is {state(person, name)}")


def layout(person):
    return fetch(person, "/api/guests")["layout"]


def card(label):
    """The card of a guest, for CSS: the menu names whose it is."""
    return f".guest:has(summary[aria-label='What to do with {label}'])"


def act(person, label, text):
    """Chooses something of the menu of a guest."""
    person.tap(card(label) + " summary")
    person.tap(card(label) + " .menu-list button", text)


def phone(check, base, password):
    """From the page's start to a guest on air."""
    person = Person(base, 360, 740)
    log_in(person, password)
    person.find(".lobby", "Anna waits")
    check.examine(person, "80-guests-wait")
    person.resize(360, 740)
    person.taps = 0
    see(person, "guests")
    check.examine(person, "81-guests")
    person.resize(360, 740)
    person.tap(card("Anna") + " .button", "On air")
    becomes(person, check, "anna", "on_air", f"a guest is on air in {person.taps} taps")
    check.expect(person.taps <= MOST_TAPS, f"{MOST_TAPS} taps at most: {person.taps}")
    person.find(card("Anna"), "Remove from the broadcast")
    held = person.driver.execute_script("return document.activeElement.textContent")
    check.expect(held == "Hide", f"who uses a keyboard goes on with the next key: {held}")
    person.find(".help", "do not hear you")
    check.expect(not person.complaints(), f"no complaints of the browser {person.complaints()}")
    person.close()


def full(person, check):
    """Where there is no more room, the page says so beside the key."""
    person.find(card("bob") + " .help", "Only 1 can be on air")
    check.expect(not person.find(card("bob") + " .button", "On air").is_enabled(), "a key that would be refused is off")
    fetch(person, "/api/settings", "PATCH", {"guests.most": 3})
    person.find(card("bob") + " .button:enabled", "On air")


def pictures(person, check):
    """The pictures move, one request at a time, and rest while nobody can see them. The level shows that there is sound."""
    image = "document.querySelector('.guest img:not([hidden])')"
    person.until(f"{image}?.naturalWidth > 0", "no picture of a guest")
    before = person.driver.execute_script(f"return {image}.src")
    person.until(f"{image}.src !== '{before}'", "the picture does not move")
    person.until("Number(document.querySelector('.guest .bar').getAttribute('aria-valuenow')) > -50", "no level")
    person.driver.execute_script(COUNT_PICTURES, 1.5)
    time.sleep(LOOKED_SECONDS)
    most = person.driver.execute_script("return pictures.atOnce")
    check.expect(most == 1, f"requests for pictures do not pile up: {most}")
    person.driver.execute_script(HIDE, True)
    # What was asked for before is answered.
    time.sleep(2)
    before = person.driver.execute_script("return pictures.asked")
    time.sleep(LOOKED_SECONDS)
    asked = person.driver.execute_script("return pictures.asked") - before
    check.expect(asked == 0, f"what nobody sees is not asked for: {asked}")
    person.driver.execute_script(HIDE, False)
    person.driver.refresh()
    person.find(card("Anna") + " img")
    person.driver.execute_script(COUNT_PICTURES, 0)
    time.sleep(LOOKED_SECONDS)
    asked = person.driver.execute_script("return pictures.asked")
    check.expect(2 <= asked <= 2 * MOST_PICTURES, f"{asked} pictures of two guests in {LOOKED_SECONDS} s")


def layouts(person, check):
    """Each layout is one tap, the present one is marked, and the box can have the choice back."""
    person.find(".guest-stage", "Camera")
    for text, name in (("The camera alone", "single"), ("All in rows", "grid"), ("The guest alone", "guest"), ("interview", "interview"),
                       ("Small in a corner", "pip")):
        person.tap(".layouts .layout", text)
        check.expect(eventually(lambda: layout(person)["present"] == name), f"{text}: {layout(person)['present']}")
        person.until(f"document.querySelector('.layouts [aria-pressed=true]').textContent.includes('{text}')", f"{text} is not marked")
    marked = person.driver.execute_script("return document.querySelectorAll('.layouts [aria-pressed=true]').length")
    check.expect(marked == 1, f"one is marked: {marked}")
    check.examine(person, "82-guests-corner")
    person.resize(1280, 900)
    person.tap(".guest-layout .button", "Automatic again")
    check.expect(eventually(lambda: layout(person)["origin"] == "automatic"), "the box has the choice back")
    person.find(".guest-layout .help", "It follows who is on air.")


def drag(handle):
    """Drags the small guest to the upper left."""
    driver = handle.parent
    width, height = driver.execute_script(
        "arguments[0].scrollIntoView({block: 'center'}); const box = arguments[0].parentNode.getBoundingClientRect();"
        "return [box.width, box.height]", handle)
    ActionChains(driver).click_and_hold(handle).move_by_offset(-20, -10).move_by_offset(
        round(-0.6 * width), round(-0.6 * height)).release().perform()


def dragged(person, check):
    """The small guest goes to another corner by hand, by keys and by a tap."""
    person.tap(".layouts .layout", "Small in a corner")
    check.expect(eventually(lambda: layout(person)["present"] == "pip"), "a guest is small")
    person.with_found(HANDLE, "Anna", drag)
    check.expect(eventually(lambda: layout(person)["present"] == "pip_top_left"), f"dragged: {layout(person)['present']}")
    person.with_found(HANDLE, None, lambda handle: handle.send_keys(Keys.ARROW_RIGHT))
    check.expect(eventually(lambda: layout(person)["present"] == "pip_top_right"), f"by a key: {layout(person)['present']}")
    check.expect(person.driver.execute_script("return document.activeElement.matches('.handle')"), "it keeps the focus")
    person.tap(".corners button[aria-label*='lower left']")
    check.expect(eventually(lambda: layout(person)["present"] == "pip_bottom_left"), f"by a tap: {layout(person)['present']}")
    person.tap(".guest-layout .button", "Automatic again")


def sound(person, check):
    """Mute and volume of a guest."""
    person.tap(card("Anna") + " .mute", "Mute")
    check.expect(eventually(lambda: guests(person)["anna"]["mute"]), "a guest is muted")
    person.tap(card("Anna") + " .mute", "Unmute")
    check.expect(eventually(lambda: not guests(person)["anna"]["mute"]), "and heard again")
    person.driver.execute_script(SLIDE, person.find(card("Anna") + " input[type=range]"), 70)
    check.expect(eventually(lambda: guests(person)["anna"]["volume"] == 70), f"a guest is louder: {guests(person)['anna']['volume']}")


def removed(person, check):
    """A guest is hidden, and removed until somebody allows it; one that is switched off says so."""
    person.tap(card("Anna") + " .button", "Hide")
    becomes(person, check, "anna", "waiting", "hidden")
    person.find(".guest-layout .help", "No guest is on air")
    check.expect(not person.driver.find_elements("css selector", ".layouts .layout:enabled"), "there is nothing to choose then")
    person.tap(card("Anna") + " .button", "On air")
    person.tap(card("Anna") + " .button", "Remove from the broadcast")
    becomes(person, check, "anna", "removed", "thrown out")
    person.find(card("Anna") + " .help", "Does not come back before you allow it.")
    person.tap(card("bob") + " summary")
    fetch(person, "/api/guests/bob/remove", "POST", {})
    person.find(card("bob"), "Removed")
    person.until("document.querySelector('.guest .menu[open]')", "an open menu stays open while what is known of the guest changes")
    fetch(person, "/api/guests/bob/allow", "POST", {})
    person.tap(card("bob") + " .menu-list button", "Switch off")
    person.find(card("bob") + " .help", "Switch the guest on first.")
    check.examine(person, "83-guests-out")
    person.resize(1280, 900)
    person.tap(card("bob") + " .button", "Switch on")
    person.tap(card("Anna") + " .button", "Allow again")
    for name in ("anna", "bob"):
        becomes(person, check, name, "waiting", "back")


def field(person, label):
    """The control of a field of the form, by its label."""
    return person.driver.execute_script(
        "return [...document.querySelectorAll('.guest-form label')].find((one) => one.textContent.startsWith(arguments[0])).control", label)


def settings(person, check):
    """What belongs to a guest. An address with a password is not changed by what is shown of it."""
    before = guests(person)["anna"]["url"]
    # Keeps what is sent, and answers nothing in place of the box.
    person.answer("/api/guests/anna", 200, None, 0)
    act(person, "Anna", "Change")
    person.find(FORM + " h2", "Settings of Anna")
    check.examine(person, "84-guests-settings")
    person.resize(1280, 900)
    name = field(person, "Name")
    name.clear()
    name.send_keys("Dr Anna Berg")
    person.tap(FORM + " .switch button", "Show all")
    person.tap(FORM + " .switch button", "By itself")
    person.tap(FORM + " .switch-line", "Mirror the picture")
    person.tap(FORM + " summary", "Cut off the edges")
    person.driver.execute_script(SLIDE, field(person, "Left"), 10)
    person.driver.execute_script(SLIDE, field(person, "Bottom"), 5)
    check.examine(person, "84-guests-crop")
    person.resize(1280, 900)
    person.tap(FORM + " .button.solid", "Save")
    person.find(".guest b", "Dr Anna Berg")
    now = guests(person)["anna"]
    kept = [now[key] for key in ("label", "fit", "admit", "mirror", "crop", "picture", "url")]
    check.expect(kept == ["Dr Anna Berg", "fit", "auto", True, "10 0 0 5", True, before], f"the box has it: {kept}")
    sent = [json.loads(one["body"]) for one in person.driver.execute_script("return asked") if one["body"]]
    check.expect(sent and "url" not in sent[-1], f"only what is another is sent: {sent[-1:]}")
    fetch(person, "/api/guests/anna", "PATCH", {"label": "Anna", "admit": "hand"})
    # Who is admitted by herself is on air at once.
    becomes(person, check, "anna", "on_air", "and admits her")
    fetch(person, "/api/guests/anna/hide", "POST")
    person.find(".guest b", "Anna")


def added(person, check):
    """A guest is added in few fields; what is missing or wrong is told at its place."""
    person.tap(".guest-desk .button", "Add a guest")
    person.tap(FORM + " .button.solid", "Add")
    person.find(FORM + " .problem", "Enter a name.")
    person.find(FORM + " .problem", "Enter an address.")
    person.fields = 0
    person.write(FORM + " input[type=text]", "Zoë at home")
    person.write(FORM + " input[type=url]", "ftp://192.0.2.1/zoe")
    person.tap(FORM + " .button.solid", "Add")
    person.find(FORM + " .problem", "The address of a guest begins with")
    check.expect(len(guests(person)) == 2, "and nothing is kept")
    check.examine(person, "85-guests-add")
    person.resize(1280, 900)
    check.expect(person.fields <= MOST_FIELDS, f"a guest is added in {person.fields} fields")
    person.write(FORM + " input[type=url]", "rtmp://192.0.2.1/live/zoe")
    person.tap(FORM + " .button.solid", "Add")
    person.find(".guest b", "Zoë at home")
    person.find(card("Zoë at home"), "Not there yet")
    check.expect("zoe-at-home" in guests(person), f"it has a name for the box: {list(guests(person))}")
    person.tap(card("Zoë at home") + " .button", "On air")
    person.find(card("Zoë at home"), "Comes on air as soon as the guest is there")
    person.tap(card("Zoë at home") + " .button", "Do not let in yet")
    person.find(card("Zoë at home") + " .button", "On air")


def sender(person, check):
    """For a guest who sends, the page makes a key and opens the place, and shows what the guest has to enter."""
    person.tap(".guest-desk .button", "Add a guest")
    person.fields = 0
    person.write(FORM + " input[type=text]", "Mia")
    person.tap(FORM + " .switch button", "The guest sends to the box")
    check.expect(not field(person, "Address").is_displayed(), "no address is asked for")
    person.tap(FORM + " .switch-line", "Also by SRT")
    person.tap(FORM + " .button.solid", "Add")
    person.find(FORM + " .invite h3", "What the guest enters")
    found = fetch(person, "/api/guests/mia/invitation")
    shown = [one.text for one in person.driver.find_elements("css selector", FORM + " .invite code")]
    check.expect(shown == [found["server"], found["key"], found["srt"]], f"what the guest enters is shown: {shown}")
    host = person.driver.execute_script("return location.hostname")
    check.expect(found["server"] == f"rtmp://{host}:1935/live" and len(found["key"]) == 20, f"it can be reached: {found}")
    check.expect(found["srt"] == f"srt://{host}:9000?passphrase={found['key']}", f"by SRT, too: {found['srt']}")
    person.until("[...document.querySelectorAll('.invite img')].filter((one) => one.naturalWidth > 0).length === 2", "both codes are seen")
    check.expect(person.fields == 1, f"a guest who sends is added in {person.fields} fields")
    check.examine(person, "86-guests-invitation")
    person.resize(1280, 900)
    place = [one["value"] for one in fetch(person, "/api/settings") if one["key"] == "guests.listen"]
    check.expect(place == ["0.0.0.0:1935"], f"the box listens: {place}")
    person.tap(FORM + " .link", "Cancel")
    fetch(person, "/api/guests/mia", "DELETE")
    fetch(person, "/api/settings", "PATCH", {"guests.listen": ""})


def deleted(person, check):
    """A guest who is deleted can be brought back for a moment, and is gone once the view is left."""
    act(person, "Zoë at home", "Delete")
    person.find(".guest.gone", "Zoë at home is deleted.")
    becomes(person, check, "zoe-at-home", "off", "it is gone at once")
    person.tap(".guest.gone .button", "Undo")
    becomes(person, check, "zoe-at-home", "connecting", "and brought back")
    act(person, "Zoë at home", "Delete")
    person.find(".guest.gone")
    see(person, "broadcast")
    check.expect(eventually(lambda: "zoe-at-home" not in guests(person)), "it is deleted")
    person.find(".lobby", "bob waits")
    person.tap(".lobby .button[aria-label$=bob]", "On air")
    becomes(person, check, "bob", "on_air", "a guest comes on air from the broadcast")
    person.find(".lobby", "On air: bob")


def in_chinese(check, base, password):
    """The same in Chinese, and on other screens."""
    person = Person(base, 360, 740, "zh")
    log_in(person, password)
    see(person, "guests")
    person.find(".guest", "正在上镜")
    person.tap(".layouts .layout", "角落小窗")
    person.find(HANDLE, "bob")
    check.examine(person, "86-guests", "zh")
    person.resize(360, 740)
    person.tap(".guest-layout .button", "恢复自动")
    person.tap(".guest-desk .button", "添加嘉宾")
    check.examine(person, "87-guests-add", "zh")
    for width, height in ((320, 640), (740, 360), (768, 1024), (1024, 768), (1240, 800)):
        person.resize(width, height)
        wide = person.driver.execute_script("return document.documentElement.scrollWidth - innerWidth")
        check.expect(wide <= 0, f"the guests fit into {width}x{height}")
        if check.options.out:
            person.screenshot(f"{check.options.out}/88-guests-{width}x{height}.png", whole=False)
    check.expect(not person.complaints(), f"no complaints of the browser {person.complaints()}")
    person.close()


def operator(check, base, password):
    """Who only operates lets guests in and out, and has nothing to set up."""
    person = Person(base, 360, 740)
    log_in(person, password)
    fetch(person, "/api/operator_password", "POST", {"new": OPERATORS, "password": password})
    person.close()
    person = Person(base, 360, 740)
    log_in(person, OPERATORS)
    see(person, "guests")
    person.tap(card("bob") + " .button", "Hide")
    becomes(person, check, "bob", "waiting", "an operator hides a guest")
    person.tap(card("Anna") + " .button", "On air")
    becomes(person, check, "anna", "on_air", "and lets one in")
    person.tap(".layouts .layout", "Small in a corner")
    check.expect(eventually(lambda: layout(person)["present"] == "pip"), "an operator chooses the layout")
    person.tap(card("Anna") + " summary")
    acts = [one.text for one in person.driver.find_elements("css selector", card("Anna") + " .menu-list button")]
    check.expect(acts == ["Switch off"], f"and has nothing to set up: {acts}")
    check.expect(not person.driver.find_elements("css selector", "a[href='#setup/all']"), "nor a way there")
    check.expect(value(person, "guests.most")["value"] == 3, "an operator may read the settings that the drawings need")
    check.expect(not person.complaints(), f"no complaints of the browser {person.complaints()}")
    person.close()
