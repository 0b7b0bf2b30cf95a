# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a person does on the view "Picture", each with a check of what the box has then, and of what the live picture shows."""

import pathlib
import tempfile
import time

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions import interaction
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.actions.pointer_input import PointerInput
from selenium.webdriver.common.keys import Keys

from deeds import eventually, fetch, png
from steps import Person, go_live, log_in, see

OPERATORS = "who only operates"
MASK = ".layer.mask"
LOGO = ".layer[aria-label^=club]"
# The entry of the list whose form is open.
OPEN = ".layers li:has([aria-expanded=true])"
# A dragged layer is there within this fraction of the picture.
NEAR = 0.02

# Red, green and blue of the picture that plays, at fractions of its width and height.
PIXEL = """
const [x, y] = arguments, video = document.querySelector('video');
if (!video?.videoWidth) return null;
const canvas = Object.assign(document.createElement('canvas'), {width: video.videoWidth, height: video.videoHeight});
const context = canvas.getContext('2d');
context.drawImage(video, 0, 0);
return [...context.getImageData(x * canvas.width, y * canvas.height, 1, 1).data].slice(0, 3);
"""
# Where an element is on the screen: the middle, and how far it reaches.
BOX = """
const box = document.querySelector(arguments[0]).getBoundingClientRect();
return [box.left + box.width / 2, box.top + box.height / 2, box.width, box.height];
"""


def slow_down(person, milliseconds):
    """Lets each answer of the box come so much later."""
    person.driver.execute_cdp_cmd("Network.enable", {})
    person.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {
        "offline": False, "latency": milliseconds, "downloadThroughput": -1, "uploadThroughput": -1})


def everything(check, base, password):
    person = Person(base, 1280, 900)
    log_in(person, password)
    see(person, "picture")
    empty(person, check)
    logo(person, check)
    by_keys(person, check)
    small(person, check)
    refused(person, check)
    speaker(person, check)
    # Of a box that has filters.
    if isinstance(fetch(person, "/api/filters"), list):
        mask(person, check)
    on_air(person, check)
    pause(person, check)
    check.expect(not person.complaints(), f"no complaints of the browser {person.complaints()}")
    person.close()
    operator(check, base, password)
    phone(check, base, password)


def overlay(person, name):
    """An overlay as the box has it; an empty one if it has none of this name."""
    return next((one for one in fetch(person, "/api/overlays") if one["name"] == name), {})


def empty(person, check):
    """Nothing is there yet, and the frame has the shape of the picture."""
    person.find(".adds .button")
    _, _, width, height = person.driver.execute_script(BOX, ".stage")
    check.expect(abs(width / height - 16 / 9) < 0.02, f"the frame has the shape of the picture: {width:.0f}x{height:.0f}")
    check.examine(person, "50-picture-empty")
    person.resize(1280, 900)


def choose(person, path):
    person.driver.find_element("css selector", ".picture input[type=file]").send_keys(str(path))


def drag(person, selector, x, y, touch=False):
    """Drags the middle of an element to a place, in fractions of the picture."""
    person.driver.execute_script("window.scrollTo(0, 0)")
    left, top, _, _ = person.driver.execute_script(BOX, selector)
    middle_x, middle_y, width, height = person.driver.execute_script(BOX, ".stage")
    to_x, to_y = middle_x + (x - 0.5) * width, middle_y + (y - 0.5) * height
    kind = interaction.POINTER_TOUCH if touch else interaction.POINTER_MOUSE
    actions = ActionBuilder(person.driver, mouse=PointerInput(kind, "finger"))
    pointer = actions.pointer_action
    pointer.move_to_location(int(left), int(top))
    pointer.pointer_down()
    for part in (0.3, 0.7, 1):
        pointer.move_to_location(round(left + (to_x - left) * part), round(top + (to_y - top) * part))
    pointer.pointer_up()
    actions.perform()


def middle(person, selector):
    """The middle of an element in fractions of the picture."""
    left, top, _, _ = person.driver.execute_script(BOX, selector)
    middle_x, middle_y, width, height = person.driver.execute_script(BOX, ".stage")
    return (left - middle_x) / width + 0.5, (top - middle_y) / height + 0.5


def logo(person, check):
    """A file that is no image is told; a logo is uploaded into a corner, and dragged on the plain frame."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "club.png"
        path.write_bytes(b"no image")
        choose(person, path)
        check.expect("is no image" in person.text(".picture [role=alert]"), "a file that is no image is told")
        check.expect(fetch(person, "/api/media")["files"] == [], "and is not on the box")
        path.write_bytes(png(120, 60))
        person.answer("/api/media/", 409, {"code": "no_room", "sentence": "There is room for 3 MB."})
        choose(person, path)
        person.find(".picture [role=alert]", "There is no room for this file on the box.")
        check.expect(fetch(person, "/api/overlays") == [], "a full disk is told, and no layer is made")
        choose(person, path)
        person.find(".layers li", "club")
    made = overlay(person, "logo")
    check.expect(made.get("file", "").endswith("club.png") and made["anchor"] == "top-right", f"the logo is in a corner: {made}")
    person.until("document.querySelector('.layer img')?.naturalWidth === 120", "the page does not draw the logo")
    drag(person, LOGO, 0.3, 0.6)
    check.expect(eventually(lambda: overlay(person, "logo")["x"] < 0.6), "the logo was dragged")
    x, y = middle(person, LOGO)
    check.expect(abs(x - 0.3) < NEAR and abs(y - 0.6) < NEAR, f"it is where it was dropped: {x:.3f}, {y:.3f}")
    # Its height follows from its shape: 120x60.
    now = overlay(person, "logo")
    x, y = now["x"] - now["width"] / 2, now["y"] + now["width"] * 16 / 9 / 2 / 2
    check.expect(abs(x - 0.3) < NEAR and abs(y - 0.6) < NEAR, f"and the box has it there: {x:.3f}, {y:.3f}")
    # What was just added is open.
    person.tap(".layers li:has([aria-expanded=true]) [aria-label='Bottom left']")
    check.expect(eventually(lambda: overlay(person, "logo")["anchor"] == "bottom-left"), "a preset puts it into a corner")
    check.examine(person, "51-picture-logo")
    person.resize(1280, 900)


def press(person, *keys, shift=False):
    chain = ActionChains(person.driver)
    if shift:
        chain.key_down(Keys.SHIFT)
    for key in keys:
        chain.send_keys(key)
    if shift:
        chain.key_up(Keys.SHIFT)
    chain.perform()


def by_keys(person, check):
    """Arrow keys move a layer, with Shift they size it, and it is said."""
    before = overlay(person, "logo")
    person.driver.execute_script(f"document.querySelector('{LOGO}').focus()")
    press(person, *[Keys.ARROW_RIGHT] * 5, Keys.ARROW_UP)

    def has_moved():
        now = overlay(person, "logo")
        return abs(now["x"] - before["x"] - 0.05) < 0.002 and abs(now["y"] - before["y"] + 0.01) < 0.002
    check.expect(eventually(has_moved), f"keys move the logo: {before} {overlay(person, 'logo')}")
    press(person, *[Keys.ARROW_RIGHT] * 3, shift=True)
    check.expect(eventually(lambda: abs(overlay(person, "logo")["width"] - before["width"] - 0.03) < 0.002), "and size it")
    said = person.driver.execute_script("return document.getElementById('said').textContent")
    check.expect("club" in said and "% wide" in said, f"a screen reader hears where it is: {said}")
    label = person.driver.execute_script(f"return document.querySelector('{LOGO}').getAttribute('aria-label')")
    check.expect("Arrow keys" in label and "% from the left" in label, f"and what the keys do: {label}")
    top = person.driver.execute_script(f"const [all, own] = ['.stage', '{LOGO}'].map((one) => document.querySelector(one).getBoundingClientRect());"
                                       " return Math.round(100 * (own.top - all.top) / all.height)")
    check.expect(f"{top} % from the top" in label, f"its upper edge is at {top} %: {label}")


def small(person, check):
    """The handle of a small logo takes no drag that is meant for the logo; what a slip has made is put back."""
    before = overlay(person, "logo")
    fetch(person, "/api/overlays/logo", "PATCH", {"width": 0.04})
    person.until(f"document.querySelector('{LOGO}').style.width === '4cqw'", "the logo stays large")
    person.driver.execute_script(f"document.querySelector('{LOGO}').focus()")

    def is_beside():
        return person.driver.execute_script(
            f"const [own, grip, all] = ['{LOGO}', '{LOGO} .grip', '.stage'].map((one) => document.querySelector(one)"
            ".getBoundingClientRect()); return (grip.left >= own.right - 1 || grip.right <= own.left + 1 || grip.top >= own.bottom - 1 ||"
            " grip.bottom <= own.top + 1) && grip.left >= all.left - 1 && grip.right <= all.right + 1 && grip.top >= all.top - 1 &&"
            " grip.bottom <= all.bottom + 1")
    for x, y in ((0.02, 0.04), (0.98, 0.96), (0.98, 0.04), (0.4, 0.5)):
        drag(person, LOGO, x, y)
        check.expect(eventually(is_beside), f"the handle of a small logo is beside it, on the picture, at {x}, {y}")
    check.expect(overlay(person, "logo")["width"] == 0.04, "a drag of a small logo does not size it")
    drag(person, f"{LOGO} .grip", 0.7, 0.8)
    check.expect(eventually(lambda: overlay(person, "logo")["width"] > 0.1), f"its handle does: {overlay(person, 'logo')}")
    person.tap(".picture-screen > .button", "Put back")
    check.expect(eventually(lambda: overlay(person, "logo")["width"] == 0.04), "and what was done is put back")
    check.expect(not person.driver.find_element("css selector", ".picture-screen > .button").is_displayed(), "once")
    person.find(".layer-name .saved", "Saved.")
    fetch(person, "/api/overlays/logo", "PATCH", {key: before[key] for key in ("x", "y", "anchor", "width")})
    width = f"document.querySelector('{LOGO}').style.width === '{before['width'] * 100:g}cqw'"
    person.until(width, "the logo stays small")


def refused(person, check):
    """A change that is refused, or has no answer, is taken back, and said."""
    before = overlay(person, "logo")
    place = f"return document.querySelector('{LOGO}').style.left"
    was = person.driver.execute_script(place)
    for status, sentence in ((400, "out of range"), (0, "has not taken this change")):
        person.answer("/api/overlays/logo", status, {"sentence": "x is out of range."} if status else None)
        person.driver.execute_script(f"document.querySelector('{LOGO}').focus()")
        press(person, Keys.ARROW_RIGHT)
        person.find(".picture [role=alert]", sentence)
        check.expect(
            eventually(lambda: person.driver.execute_script(place) == was), f"it snaps back, and says: {sentence}")
    check.expect(overlay(person, "logo") == before, "and the box has it as before")
    person.tap(".layers details summary", "When it is shown")
    for name in ("From", "Until"):
        field = person.find(".layers .field", name).find_element("css selector", "[type=time]")
        person.driver.execute_script("arguments[0].value = '18:30'; arguments[0].dispatchEvent(new Event('change'))", field)
        check.expect(name == "Until" or eventually(lambda: overlay(person, "logo")["from"] == "18:30"), "a time is kept")
    person.find(".layers .field .problem", "does not go with “From”")
    check.expect(not person.text(".picture-screen").count("does not go"), "a time that does not fit is told at its field alone")
    typed = person.find(".layers .field", "Until").find_element("css selector", "[type=time]").get_attribute("value")
    check.expect(typed == "18:30" and not overlay(person, "logo")["until"], f"and what was typed stays: {typed}")
    fetch(person, "/api/overlays/logo", "PATCH", {"from": ""})


def speaker(person, check):
    """A name is a lower third of two lines, which comes and goes by one tap in two places."""
    person.tap(".adds .button", "Speaker")
    person.write(".adding .field:nth-of-type(1) input", "Grace Hopper")
    inputs = person.driver.find_elements("css selector", ".adding input")
    inputs[1].send_keys("Guest from the navy")
    check.examine(person, "52-picture-speaker")
    person.resize(1280, 900)
    person.tap(".adding .solid")
    person.find(".layers li", "Grace Hopper")
    made = overlay(person, "speaker")
    check.expect(made["text"] == "Grace Hopper\nGuest from the navy" and not made["enabled"], f"a name begins switched off: {made}")
    person.tap(".layers input[aria-label='Grace Hopper']")
    check.expect(eventually(lambda: overlay(person, "speaker")["enabled"]), "a tap lets it come")
    person.tap(".layers input[aria-label='Grace Hopper']")
    check.expect(eventually(lambda: not overlay(person, "speaker")["enabled"]), "and go")
    person.write(OPEN + " textarea", "Grace Hopper\nAdmiral")
    person.tap(OPEN + " .solid", "Save these words")
    check.expect(eventually(lambda: overlay(person, "speaker")["text"].endswith("Admiral")), "words are changed while they are off")
    check.expect(not overlay(person, "speaker")["enabled"], "and stay off")
    person.write(OPEN + " textarea", "Grace Hopper\nRear admiral")
    person.tap(".layers input[aria-label='Grace Hopper']")
    check.expect(eventually(lambda: overlay(person, "speaker")["enabled"]), "what is switched on")
    check.expect(overlay(person, "speaker")["text"].endswith("Rear admiral"), "has the words that were written and not saved")
    person.tap(".layers input[aria-label='Grace Hopper']")
    check.expect(eventually(lambda: not overlay(person, "speaker")["enabled"]), "and goes again")
    person.find(".layer-name small", "off: viewers do not see it")
    is_told = "getComputedStyle(document.querySelector('.layer.off.selected'), '::before').content === '\"not shown\"'"
    person.until(is_told, "its frame does not say that it is off")
    # The next one is added before the box has answered for the one before.
    slow_down(person, 1_500)
    for kind in ("Clock", "Countdown"):
        person.tap(".adds .button", kind)
    person.write(".adding input[type=time]", "1830")
    person.tap(".adding .solid")
    slow_down(person, 0)
    person.find(".layers li", "Countdown")
    check.expect(overlay(person, "countdown")["text"] == "{countdown:18:30}", "a countdown has its end")
    person.tap(OPEN + " .folds summary", "More")
    check.expect(person.text(OPEN + " .folds details[open] summary") == "Less", "what opens also closes")
    check.expect(overlay(person, "countdown")["z"] > overlay(person, "clock")["z"], "a new one is in front")
    person.tap(OPEN + " .folds .button", "Further back")
    check.expect(eventually(lambda: overlay(person, "countdown")["z"] < overlay(person, "clock")["z"]),
                 "it goes behind the one before it")
    check.examine(person, "53-picture-all")
    person.resize(1280, 900)
    for name in ("countdown", "clock"):
        fetch(person, f"/api/overlays/{name}", "PATCH", {"enabled": False})
    see(person, "broadcast")
    person.tap(".third", "Grace Hopper")
    check.expect(eventually(lambda: overlay(person, "speaker")["enabled"]), "one tap on the broadcast does the same")
    person.answer("/api/overlays/speaker", 409, {"sentence": "It cannot go now."})
    person.tap(".third", "Grace Hopper")
    person.find(".on-top [role=alert]", "It cannot go now.")
    is_on = "document.querySelector('.third[aria-label=\"Grace Hopper\"]').getAttribute('aria-checked') === 'true'"
    person.until(is_on, "a refused tap does not snap back")
    check.expect(overlay(person, "speaker")["enabled"], "a refused tap snaps back, and says why")
    person.tap(".third", "Grace Hopper")
    check.expect(eventually(lambda: not overlay(person, "speaker")["enabled"]), "the next tap lets it go")


def the_filter(person, name):
    """A filter as the box has it; an empty one if it has none of this name."""
    return next((one for one in fetch(person, "/api/filters") if one["name"] == name), {})


def mask(person, check):
    """A region is hidden, dragged and sized by keys, also where the camera stands on its head; it is not shown by a slip."""
    see(person, "picture")
    person.tap(".adds .button", "Hide a region")
    person.find(".layers li", "Hidden region")
    check.expect("Tap a hidden region before you drag it." in person.text(".picture-screen"), "it is told how a region moves")
    drag(person, MASK, 0.3, 0.3)
    check.expect("Viewers see the rest." in person.text("dialog"), "before a region shows what it hides, the page asks")
    check.examine(person, "59-picture-uncover")
    person.resize(1280, 900)
    person.tap("dialog .solid")

    def is_at(x, y):
        now = the_filter(person, "mask")
        return abs(now["x"] + now["width"] / 2 - x) < NEAR and abs(now["y"] + now["height"] / 2 - y) < NEAR
    check.expect(eventually(lambda: is_at(0.3, 0.3)), f"a region is hidden where it was dropped: {the_filter(person, 'mask')}")
    press(person, *[Keys.ARROW_RIGHT] * 5, shift=True)
    check.expect(eventually(lambda: abs(the_filter(person, "mask")["width"] - 0.35) < 0.002), "keys make it wider")
    check.expect(not person.driver.find_elements("css selector", "dialog"), "and nobody is asked: it hides more")
    press(person, *[Keys.ARROW_LEFT] * 5, shift=True)
    person.tap("dialog .button:not(.solid)")
    person.driver.execute_script("document.querySelector('.layer.mask').focus()")
    check.expect(abs(the_filter(person, "mask")["width"] - 0.35) < 0.002, "a no leaves it as wide")
    press(person, *[Keys.ARROW_LEFT] * 5, shift=True)
    person.tap("dialog .solid")
    check.expect(eventually(lambda: abs(the_filter(person, "mask")["width"] - 0.3) < 0.002), "a yes makes it narrower")
    fetch(person, "/api/settings", "PATCH", {"video.rotate": 180})
    person.driver.refresh()
    person.find(MASK)
    x, y = middle(person, MASK)
    check.expect(abs(x - 0.7) < NEAR and abs(y - 0.7) < NEAR, f"it turns with the camera's picture: {x:.3f}, {y:.3f}")
    slips(person, check)
    drag(person, MASK, 0.25, 0.75)
    person.tap("dialog .solid")
    check.expect(eventually(lambda: is_at(0.75, 0.25)), f"and is dragged there: {the_filter(person, 'mask')}")
    fetch(person, "/api/settings", "PATCH", {"video.rotate": None})
    person.driver.refresh()
    person.find(MASK)
    person.tap(".adds .button", "Softer faces")
    person.find(".layers li", "Softer faces")
    person.tap(".of-faces .preset", "A little")
    check.expect(eventually(lambda: the_filter(person, "faces")["white"] == 35), "faces are made a little softer")
    check.examine(person, "58-picture-filters")
    person.resize(1280, 900)
    shows = ".layers input[aria-label='Hidden region']"
    person.tap(shows)
    person.tap("dialog .button:not(.solid)")
    check.expect(the_filter(person, "mask")["enabled"], "a slip does not show what is hidden")
    person.tap(shows)
    person.tap("dialog .solid")
    check.expect(eventually(lambda: not the_filter(person, "mask")["enabled"]), "a yes does")
    for name in ("mask", "faces"):
        fetch(person, f"/api/filters/{name}", "DELETE")
    person.driver.refresh()
    person.find(".layer-desk")


def slips(person, check, touch=False):
    """A mask moves only once it is chosen, and after a question. Nothing is asked of the box before."""
    before = the_filter(person, "mask")
    place = f"const {{left, top}} = document.querySelector('{MASK}').style; return `${{left}} ${{top}}`"
    was = person.driver.execute_script(place)
    # Counts what is asked of the box, and answers nothing in its place.
    person.answer("/api/filters/mask", 200, times=0)
    drag(person, MASK, 0.6, 0.4, touch)
    check.expect(person.driver.execute_script(place) == was, "a finger that slips does not move a hidden region")
    check.expect(not person.driver.find_elements("css selector", "dialog"), "and nothing is asked")
    # A tap.
    drag(person, MASK, *middle(person, MASK), touch)
    person.until(f"document.querySelector('{MASK}.selected')", "the region is not chosen")
    drag(person, MASK, 0.6, 0.4, touch)
    person.tap("dialog .button:not(.solid)")
    check.expect(eventually(lambda: person.driver.execute_script(place) == was), "after a no the region is where it was")
    sent = person.driver.execute_script("return asked.filter((one) => one.body)")
    check.expect(not sent and the_filter(person, "mask") == before, f"and the box has not been told otherwise: {sent}")


def is_red(person, x, y):
    colour = person.driver.execute_script(PIXEL, x, y)
    return colour is not None and colour[0] > 170 and colour[1] < 110 and colour[2] < 110


def on_air(person, check):
    """On the live picture the logo is where it was dropped."""
    see(person, "broadcast")
    go_live(person)
    see(person, "picture")
    person.picture_plays()
    for x, y in ((0.22, 0.25), (0.5, 0.8)):
        drag(person, LOGO, x, y)
        check.expect(eventually(lambda: is_red(person, x, y)), f"the live picture has the logo at {x}, {y}")
    check.expect(not is_red(person, 0.22, 0.25), "and no more where it was")
    person.tap(".adds .button", "Clock")
    check.expect(eventually(lambda: overlay(person, "clock-2").get("enabled") is False), "on the air, what is added begins switched off")
    # What was added is scrolled into sight: no tap before that.
    person.find(".layer-name[aria-expanded=true]", "Clock")
    in_sight = ("(({top}) => top > 0 && top < innerHeight / 2)"
                "(document.querySelector('.layer-name[aria-expanded=true]').getBoundingClientRect())")
    person.until(in_sight, "what was added is out of sight")
    fetch(person, "/api/overlays/clock-2", "DELETE")
    person.until("!document.querySelector('.layer-name[aria-expanded=true]')", "what was removed stays")
    person.tap(".layers input[aria-label='Grace Hopper']")
    time.sleep(2)
    check.examine(person, "54-picture-live")
    person.resize(1280, 900)
    person.tap(".layers input[aria-label='Grace Hopper']")


def pause(person, check):
    """The pause is at hand in this view, too; what is not on a still says so."""
    person.tap(".pause-key")
    person.until("document.querySelector('.tally').dataset.colour === 'blue'", "not paused")
    person.find(".layer-name small", "not on the still")
    for width, height in ((360, 740), (1280, 900)):
        person.resize(width, height)
        wide = person.driver.execute_script("return document.documentElement.scrollWidth - innerWidth")
        check.expect(wide <= 0, f"it fits into {width} px")
    for view in ("setup", "engineer", "picture"):
        see(person, view)
    person.tap(".pause-key", "Back to live")
    check.expect("Viewers see" in person.text("dialog"), "before the room is shown, the page says so")
    person.tap("dialog .solid")
    person.until("document.querySelector('.tally').dataset.colour === 'green'", "not back")
    for view in ("setup", "engineer", "picture"):
        see(person, view)
        check.expect(person.driver.find_element("css selector", ".pause-key").is_displayed(), f"the pause is on the view {view}")


def operator(check, base, password):
    """Who only operates has the names and texts on the broadcast, and no view to change them."""
    person = Person(base, 360, 740)
    log_in(person, password)
    fetch(person, "/api/operator_password", "POST", {"new": OPERATORS, "password": password})
    person.close()
    person = Person(base, 360, 740)
    log_in(person, OPERATORS)
    views = person.driver.find_elements("css selector", ".top nav a")
    check.expect(len(views) == 2, f"an operator has the broadcast and the guests: {len(views)}")
    for wanted in (True, False):
        person.tap(".third", "Grace Hopper")
        check.expect(eventually(lambda: overlay(person, "speaker")["enabled"] == wanted),
                     f"an operator's tap lets a name {'come' if wanted else 'go'}")
    check.expect(not person.complaints(), f"no complaints of the browser {person.complaints()}")
    person.close()


def phone_mask(person, check):
    """A region that is hidden on the air is not shown by a finger that slips on the live picture."""
    person.tap(".adds .button", "遮住一块区域")
    person.find(".layers li", "遮住的区域")
    person.driver.execute_script(f"document.querySelector('{LOGO}').focus()")
    slips(person, check, touch=True)
    drag(person, MASK, 0.6, 0.5, touch=True)
    check.expect("观众会看到露出的部分" in person.text("dialog"), "the question is in Chinese")
    check.examine(person, "59-picture-uncover", "zh")
    person.resize(360, 740)
    person.tap("dialog .solid")
    check.expect(eventually(lambda: abs(the_filter(person, "mask")["x"] - 0.45) < NEAR),
                 f"a yes moves it: {the_filter(person, 'mask')}")
    fetch(person, "/api/filters/mask", "DELETE")
    person.driver.refresh()
    person.find(".layer-desk")
    person.picture_plays()


def phone(check, base, password):
    """The same by a finger on a phone, in Chinese, on the air."""
    person = Person(base, 360, 740, "zh")
    log_in(person, password)
    see(person, "picture")
    person.picture_plays()
    drag(person, LOGO, 0.22, 0.3, touch=True)
    check.expect(eventually(lambda: is_red(person, 0.22, 0.3)), "a finger drags the logo on a phone")
    if isinstance(fetch(person, "/api/filters"), list):
        phone_mask(person, check)
    # The hint gets shorter once the picture plays, and all below it moves.
    person.until("!document.querySelector('.picture-screen > .help').textContent.includes('没有实时画面')", "the hint stays")
    person.tap(".layers input[aria-label='Grace Hopper']")
    check.expect(eventually(lambda: overlay(person, "speaker")["enabled"]), "and a tap lets the name come")
    check.examine(person, "55-picture-phone", "zh")
    person.resize(360, 740)
    see(person, "broadcast")
    person.tap(".third", "Grace Hopper")
    check.expect(eventually(lambda: not overlay(person, "speaker")["enabled"]), "and go, on the broadcast")
    person.until("document.querySelector('.third')", "no names")
    check.examine(person, "56-broadcast-names", "zh")
    for width, height in ((320, 640), (740, 360), (768, 1024), (1024, 768)):
        person.resize(width, height)
        for view in ("broadcast", "picture"):
            see(person, view)
            wide = person.driver.execute_script("return document.documentElement.scrollWidth - innerWidth")
            check.expect(wide <= 0, f"{view} fits into {width}x{height}")
            if check.options.out:
                person.screenshot(f"{check.options.out}/57-{view}-{width}x{height}.png", whole=False)
    person.resize(360, 740)
    see(person, "picture")
    person.tap(".layer-name", "Grace Hopper")
    person.tap(OPEN + " .layer-form > .row .link", "移除")
    person.tap("dialog .solid")
    check.expect(eventually(lambda: not overlay(person, "speaker")), "a layer is removed")
    check.expect(not person.complaints(), f"no complaints of the browser {person.complaints()}")
    person.close()
