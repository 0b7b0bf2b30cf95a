# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Steps of a person on the page, for any base URL: python3-selenium and chromium of Debian."""

import contextlib
import time

from selenium.common.exceptions import (ElementClickInterceptedException, ElementNotInteractableException,
                                        StaleElementReferenceException)
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

# The machine may be busy with other tests.
WAIT_SECONDS = 300

# Reads the digits HH:MM:SS.mmm that PatternPainter.swift paints. Zones differ by quarters of an hour.
READ_CLOCK = """
const DIGITS = [[14, 17, 19, 21, 25, 17, 14], [4, 12, 4, 4, 4, 4, 14], [14, 17, 1, 6, 8, 16, 31],
  [14, 17, 1, 6, 1, 17, 14], [2, 6, 10, 18, 31, 2, 2], [31, 16, 30, 1, 1, 17, 14], [6, 8, 16, 30, 17, 17, 14],
  [31, 1, 2, 4, 8, 8, 8], [14, 17, 17, 14, 17, 17, 14], [14, 17, 17, 15, 1, 2, 12]];
const video = document.querySelector('video');
if (!video?.videoWidth) return null;
const [width, height] = [video.videoWidth, video.videoHeight];
const canvas = Object.assign(document.createElement('canvas'), {width, height});
const context = canvas.getContext('2d');
const now = Date.now();
context.drawImage(video, 0, 0);
const pixels = context.getImageData(0, 0, width, height).data;
const even = (value) => value & ~1;
const band = even(height / 5), cell = Math.max(2, even(Math.min(band / 9, width / 74)));
const left = even((width - 72 * cell) / 2), top = even(even((height - band) / 2) + (band - 7 * cell) / 2);
const isLit = (x, y) => pixels[4 * ((top + y * cell + cell / 2) * width + left + x * cell + cell / 2) + 1] > 128;
const rows = (place) => [...Array(7).keys()].map((y) =>
  [...Array(5).keys()].reduce((bits, x) => 2 * bits + isLit(6 * place + x, y), 0));
const digits = [0, 1, 3, 4, 6, 7, 9, 10, 11].map((place) =>
  DIGITS.findIndex((digit) => digit.every((bits, y) => bits === rows(place)[y])));
if (digits.includes(-1)) return null;
const [h1, h2, m1, m2, s1, s2, ...f] = digits;
const shown = ((10 * h1 + h2) * 60 + 10 * m1 + m2) * 60 + 10 * s1 + s2 + Number(f.join('')) / 1000;
const quarter = 900;
return ((now / 1000 - shown) % quarter + quarter) % quarter;
"""

ANSWER = """
const [path, status, reply, times] = arguments;
let left = times;
window.asked = [];
window.answered = path;
const ask = window.fetch;
window.fetch = async (address, init) => {
  if (!String(address).startsWith(path)) return ask(address, init);
  if (path === answered) asked.push({address, body: init?.body ?? null});
  if (left-- <= 0) return ask(address, init);
  if (!status) throw new TypeError('no answer');
  return new Response(JSON.stringify(reply ?? {}), {status});
};
"""

DELAY = """
const [path, seconds] = arguments, ask = window.fetch;
window.fetch = async (address, init) => {
  const answer = await ask(address, init);
  if (address === path) await new Promise((done) => setTimeout(done, 1000 * seconds));
  return answer;
};
"""


class Person:
    """A browser, and how often its user has tapped and how many fields they have filled in."""

    def __init__(self, base, width=1280, height=900, language="en", dark=False):
        options = Options()
        options.binary_location = "/usr/bin/chromium"
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                         "--autoplay-policy=user-gesture-required", "--force-device-scale-factor=1",
                         f"--lang={'zh-CN' if language == 'zh' else 'en-GB'}"):
            options.add_argument(argument)
        options.add_experimental_option(
            "prefs", {"intl.accept_languages": "zh-CN,zh" if language == "zh" else "en-GB,en"})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        # As long as for all else: the rules of axe take half a minute on a machine that is busy.
        self.driver.set_script_timeout(WAIT_SECONDS)
        self.base = base.rstrip("/")
        self.taps = 0
        self.fields = 0
        self.resize(width, height)
        self.look(dark)

    def resize(self, width, height=900):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 700})

    def look(self, dark):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce"}]})

    def count_work(self):
        """Lets the browser count the time of a processor that its main thread needs, from the next page on."""
        self.driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})

    def work_ms(self):
        """The milliseconds that the main thread has worked for this page."""
        metrics = self.driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
        return 1000 * next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration")

    def open(self, path="/"):
        self.driver.get(self.base + path)

    def find(self, selector, text=None):
        """The visible element of a CSS selector (that contains a text), waiting for it."""
        end = time.monotonic() + WAIT_SECONDS
        while True:
            with contextlib.suppress(Exception):
                found = self.driver.find_elements(By.CSS_SELECTOR, selector)
                for element in found:
                    if element.is_displayed() and (text is None or text in element.text):
                        return element
                self.open_part(found)
            if time.monotonic() > end:
                self.give_up(f"no {selector!r}" + (f" with {text!r}" if text else ""))
            time.sleep(0.05)

    def open_part(self, elements):
        """Opens the part of the set-up in which the first of these elements is, if it is closed."""
        if elements and self.driver.execute_script(
                "const part = arguments[0].closest('.part.closed'); part?.querySelector('.part-toggle').click(); return !!part",
                elements[0]):
            self.taps += 1

    def with_found(self, selector, text, use):
        """Finds an element and uses it; again if the page has painted it anew or moved it between the two."""
        for attempt in range(5):
            try:
                return use(self.find(selector, text))
            except (StaleElementReferenceException, ElementClickInterceptedException, ElementNotInteractableException):
                if attempt == 4:
                    raise
                time.sleep(0.2)

    def tap(self, selector, text=None):
        return self.with_found(selector, text, self.click)

    def click(self, element):
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()
        self.taps += 1

    def write(self, selector, text):
        """Fills in a field; a tap only if it does not have the focus already."""
        def fill(element):
            if element != self.driver.switch_to.active_element:
                self.click(element)
            element.clear()
            element.send_keys(text)
        self.with_found(selector, None, fill)
        self.fields += 1

    def until(self, script, what):
        """Waits until a piece of JavaScript is true."""
        end = time.monotonic() + WAIT_SECONDS
        while not self.driver.execute_script(f"return {script}"):
            if time.monotonic() > end:
                self.give_up(what)
            time.sleep(0.05)

    def give_up(self, what):
        """Fails with what was waited for, and what the page shows instead."""
        shown = self.driver.execute_script("return document.body.innerText").split("\n")
        raise TimeoutError(f"{what}; the page shows {' | '.join(filter(None, shown))[:600]}; {self.complaints()}")

    def text(self, selector):
        return self.with_found(selector, None, lambda element: element.text)

    def picture_plays(self):
        self.until("[...document.querySelectorAll('video')].some((v) => v.videoWidth && v.currentTime > 0)",
                   "the picture does not play")

    def age(self):
        """How old the test picture is that the player shows, in seconds, by its clock; None if it cannot be read."""
        return self.driver.execute_script(READ_CLOCK)

    def answer(self, path, status, reply=None, times=1):
        """Answers the next requests to a path in place of the box; status 0 stands for no answer.

        What the page asks for there is kept in `asked`, a list of {address, body}.
        """
        self.driver.execute_script(ANSWER, path, status, reply, times)

    def delay(self, path, seconds):
        """Lets the box's answers to a path come later."""
        self.driver.execute_script(DELAY, path, seconds)

    def screenshot(self, path, whole=True):
        if not whole:
            return self.driver.save_screenshot(path)
        height = self.driver.execute_script("return document.documentElement.scrollHeight")
        width = self.driver.execute_script("return innerWidth")
        self.resize(width, min(max(height, 740 if width < 700 else 900), 9000))
        time.sleep(0.4)
        self.driver.save_screenshot(path)
        self.resize(width, 740 if width < 700 else 900)

    def complaints(self):
        """What the browser's console says is wrong: errors of scripts, and what the policy has blocked."""
        return [entry["message"] for entry in self.driver.get_log("browser")
                if entry["level"] == "SEVERE" and "Failed to load resource" not in entry["message"]]

    def close(self):
        self.driver.quit()


def set_up(person, password, key, platform="youtube", code=None, url=None):
    """From the first visit to the last step before the broadcast."""
    person.open()
    person.write("input[type=password]", password)
    if code:
        person.write("input[placeholder='XXXX-XXXX']", code)
    person.tap(".gate .key.go")
    person.tap(f".tile[data-platform={platform}]")
    if url:
        person.write(".guide input[type=url]", url)
    person.write(".guide input[type=password]", key)
    person.tap(".guide form .key.go")
    person.find(".guide .key.go.live")


def log_in(person, password):
    """Logs in, and taps again where a box that was too busy has refused or not answered."""
    person.open()
    person.write(".gate input[type=password]", password)
    end = time.monotonic() + WAIT_SECONDS
    while not person.driver.find_elements(By.CSS_SELECTOR, "nav a[href='#broadcast']"):
        with contextlib.suppress(Exception):
            for key in person.driver.find_elements(By.CSS_SELECTOR, ".gate .key.go:enabled"):
                person.click(key)
        if time.monotonic() > end:
            person.give_up("no login")
        time.sleep(0.2)


def go_live(person):
    person.tap(".key.go.live")
    person.until("document.querySelector('.tally')?.dataset.colour === 'green'", "not live")


def see(person, view):
    """Goes to a view. A narrow screen has the last ones under "More"."""
    link = person.driver.find_elements(By.CSS_SELECTOR, f".top nav a[href='#{view}']")
    if link and not link[0].is_displayed():
        person.tap(".more-views")
    person.tap(f".top nav a[href='#{view}']")
    person.until(f"document.body.dataset.view === '{view}'", f"no view {view}")
    person.find({"broadcast": ".desk", "picture": ".layer-desk", "sound": ".strip", "recordings": ".place", "guests": ".guest-desk", "schedule": ".next-card", "setup": ".part", "engineer": ".rack"}[view])
