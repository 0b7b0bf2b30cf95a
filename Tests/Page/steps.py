# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Steps of a person on the page, for any base URL: python3-selenium and chromium of Debian."""

import contextlib
import time

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

# The machine may be busy with other tests.
WAIT_SECONDS = 60


class Person:
    """A browser, and how often its user has tapped and how many fields they have filled in."""

    def __init__(self, base, width=1280, height=900, language="en", dark=False, slow=1):
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
        self.base = base.rstrip("/")
        self.taps = 0
        self.fields = 0
        self.resize(width, height)
        self.look(dark)
        if slow > 1:
            self.driver.execute_cdp_cmd("Emulation.setCPUThrottlingRate", {"rate": slow})

    def resize(self, width, height=900):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 700})

    def look(self, dark):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce"}]})

    def open(self, path="/"):
        self.driver.get(self.base + path)

    def find(self, selector, text=None):
        """The visible element of a CSS selector (that contains a text), waiting for it."""
        end = time.monotonic() + WAIT_SECONDS
        while True:
            with contextlib.suppress(Exception):
                for element in self.driver.find_elements(By.CSS_SELECTOR, selector):
                    if element.is_displayed() and (text is None or text in element.text):
                        return element
            if time.monotonic() > end:
                raise TimeoutError(f"no {selector!r}" + (f" with {text!r}" if text else ""))
            time.sleep(0.05)

    def tap(self, selector, text=None):
        self.click(self.find(selector, text))

    def click(self, element):
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()
        self.taps += 1

    def write(self, selector, text):
        """Fills in a field; a tap only if it does not have the focus already."""
        element = self.find(selector)
        if element != self.driver.switch_to.active_element:
            self.click(element)
        element.clear()
        element.send_keys(text)
        self.fields += 1

    def until(self, script, what):
        """Waits until a piece of JavaScript is true."""
        end = time.monotonic() + WAIT_SECONDS
        while not self.driver.execute_script(f"return {script}"):
            if time.monotonic() > end:
                raise TimeoutError(what)
            time.sleep(0.05)

    def text(self, selector):
        return self.find(selector).text

    def picture_plays(self):
        self.until("[...document.querySelectorAll('video')].some((v) => v.videoWidth && v.currentTime > 0)",
                   "the picture does not play")

    def lateness(self):
        """How far the player is behind the newest picture that has come, in seconds."""
        return self.driver.execute_script(
            "const v = document.querySelector('video'), b = v.buffered;"
            "return b.length ? b.end(b.length - 1) - v.currentTime : null")

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
    person.open()
    person.write(".gate input[type=password]", password)
    person.tap(".gate .key.go")
    person.find("nav a[href='#broadcast']")


def go_live(person):
    person.tap(".key.go.live")
    person.until("document.querySelector('.tally')?.dataset.colour === 'green'", "not live")


def see(person, view):
    """Goes to a view: "broadcast", "setup" or "engineer"."""
    person.tap(f".top nav a[href='#{view}']")
    person.until(f"document.body.dataset.view === '{view}'", f"no view {view}")
    person.find({"broadcast": ".desk", "setup": ".part", "engineer": ".rack"}[view])
