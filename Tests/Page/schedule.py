# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a person does on the view "Schedule", each with a check of what the box has then, and of what the page shows."""

import datetime
import pathlib
import tempfile

from deeds import eventually, fetch, value
from steps import Person, log_in, see

MOST_FIELDS = 6
FORM = ".schedule .entry"
# Sets a field as a hand does that chooses a time or a day.
SET = """
const [input, value] = arguments;
input.value = value;
for (const name of ['input', 'change']) input.dispatchEvent(new Event(name, {bubbles: true}));
"""
CALENDAR = """BEGIN:VCALENDAR\r
VERSION:2.0\r
PRODID:-//Tests//EN\r
BEGIN:VEVENT\r
UID:1@example.org\r
SUMMARY:Choir\r
DTSTART:{day}T180000Z\r
DTEND:{day}T190000Z\r
END:VEVENT\r
BEGIN:VEVENT\r
UID:2@example.org\r
SUMMARY:Bells\r
DTSTART:{day}T000000Z\r
DTEND:{day}T000100Z\r
RRULE:FREQ=SECONDLY\r
END:VEVENT\r
END:VCALENDAR\r
"""


def everything(check, base, password):
    phone(check, base, password)
    person = Person(base, 1280, 900)
    log_in(person, password)
    see(person, "schedule")
    mistakes(person, check)
    changed(person, check)
    once(person, check)
    skipped(person, check)
    imported(person, check)
    feed(person, check)
    runs(person, check)
    pretended(person, check)
    check.expect(not person.complaints(), f"no complaints of the browser {person.complaints()}")
    person.close()
    in_chinese(check, base, password)


def entries(person):
    return fetch(person, "/api/schedule")


def upcoming(person):
    return fetch(person, "/api/schedule/calendar")["upcoming"]


def put(person, selector, to):
    """Chooses a time or a day in a field."""
    person.driver.execute_script(SET, person.find(selector), to)
    person.fields += 1


def phone(check, base, password):
    """A weekly broadcast is set on a phone, in few fields."""
    person = Person(base, 360, 740)
    log_in(person, password)
    see(person, "schedule")
    person.find(".next-card", "Nothing begins by itself")
    check.examine(person, "70-schedule-empty")
    person.resize(360, 740)
    person.taps = person.fields = 0
    person.tap(".schedule .button.solid", "Add a broadcast")
    person.tap(FORM + " .days button", "Sun")
    person.fields += 1
    put(person, FORM + " .times .field:first-child input", "09:55")
    end = person.find(FORM + " .times .field:last-child input").get_attribute("value")
    check.expect(end == "10:55", f"an end is proposed: {end}")
    put(person, FORM + " .times .field:last-child input", "11:15")
    person.find(FORM + " .help", "1 hour 20 minutes")
    check.examine(person, "71-schedule-form")
    person.resize(360, 740)
    person.tap(FORM + " .button.solid", "Save")
    person.find(".entries li", "Every Sunday, 9:55 to 11:15")
    check.expect(person.fields <= MOST_FIELDS, f"a weekly broadcast is set in {person.fields} fields and {person.taps} taps")
    kept = [(one["days"], one["at"], one["minutes"], one["date"]) for one in entries(person)]
    check.expect(kept == [("sun", "09:55", 80, "")], f"the box has it: {kept}")
    person.find(".next-card b", "Sunday")
    person.find(".next-card", "Begins by itself")
    check.examine(person, "72-schedule")
    see(person, "broadcast")
    person.find(".due", "Begins by itself")
    check.expect(not person.complaints(), f"no complaints of the browser {person.complaints()}")
    person.close()


def mistakes(person, check):
    """What is missing is told at its place; a name that is taken, too."""
    person.tap(".schedule .button", "Add a broadcast")
    person.tap(FORM + " .button.solid", "Save")
    person.find(FORM + " .problem", "Choose one day or more.")
    person.find(FORM + " .times .problem", "Enter a time.")
    person.tap(FORM + " .days button", "Mon")
    put(person, FORM + " .times .field:first-child input", "23:30")
    put(person, FORM + " .times .field:last-child input", "00:15")
    person.find(FORM + " .help", "45 minutes")
    person.tap(FORM + " summary", "More")
    name = entries(person)[0]["name"]
    field(person, "Name").send_keys(name)
    field(person, "Time zone").send_keys("Middle/Earth")
    person.tap(FORM + " .button.solid", "Save")
    check.expect(eventually(lambda: person.driver.find_elements("css selector", FORM + " [aria-invalid=true]")), "a mistake is at its field")
    check.expect(len(entries(person)) == 1, "and nothing is kept")
    check.examine(person, "73-schedule-mistakes")
    person.resize(1280, 900)
    for label, text in (("Name", "night"), ("Time zone", "Asia/Tokyo")):
        field(person, label).clear()
        field(person, label).send_keys(text)
    field(person, "Server address").send_keys("rtmp://127.0.0.1:9/live")
    field(person, "Stream key").send_keys("sEcrEtNight")
    person.tap(FORM + " .button.solid", "Save")
    person.find(".entries li", "Every Monday, 23:30 to 0:15 (Asia/Tokyo)")
    person.find(".entries li small", "to 127.0.0.1")
    one = entry(person, "night")
    check.expect(one["zone"] == "Asia/Tokyo" and "sEcrEtNight" not in str(one), f"it has a place and a zone of its own: {one}")


def field(person, label):
    """The control of a field of the form, by its label."""
    return person.driver.execute_script(
        "return [...document.querySelectorAll('.entry label')].find((one) => one.textContent.startsWith(arguments[0])).control", label)


def entry(person, name):
    """An entry as the box has it; empty if there is none of this name."""
    return next((one for one in entries(person) if one["name"] == name), {})


def act(person, name, text):
    """Chooses something of the menu of an entry."""
    menu = f".entries summary[aria-label='What to do with {name}']"
    person.tap(menu)
    person.tap(f"{menu} + .menu-list button", text)


def changed(person, check):
    """An entry is changed, and removed after a question."""
    act(person, "night", "Change")
    put(person, FORM + " .times .field:last-child input", "01:30")
    person.tap(FORM + " .button.solid", "Save")
    check.expect(eventually(lambda: entry(person, "night").get("minutes") == 120), "its end is another one")
    check.expect(entry(person, "night")["url"], "its address stays")
    person.find(".entries li", "23:30 to 1:30")
    act(person, "night", "Remove")
    person.tap("dialog .solid", "Remove")
    check.expect(eventually(lambda: len(entries(person)) == 1), "it is removed")


def once(person, check):
    """A broadcast on one day."""
    day = datetime.date.today() + datetime.timedelta(days=40)
    person.tap(".schedule .button", "Add a broadcast")
    person.tap(FORM + " .switch button", "Once")
    put(person, FORM + " input[type=date]", str(day))
    put(person, FORM + " .times .field:first-child input", "18:00")
    person.tap(FORM + " .button.solid", "Save")
    person.find(".entries li", "18:00 to 19:00")
    one = next(one for one in entries(person) if one["date"])
    check.expect(one["date"] == str(day) and not one["days"], f"it is on one day: {one['date']} {one['days']}")


def skipped(person, check):
    """The next one is left out, and takes place after all."""
    first = upcoming(person)[0]
    person.tap(".next-card .button", "Skip this one")
    check.expect(eventually(lambda: upcoming(person)[0]["skipped"]), "it is left out")
    person.find(".schedule .skipped", "is left out")
    check.expect(eventually(lambda: fetch(person, "/api/status")["schedule"]["next"]["id"] != first["id"]), "the one after it is next")
    person.tap(".schedule .skipped .link", "Do not skip")
    check.expect(eventually(lambda: not upcoming(person)[0]["skipped"]), "and takes place after all")


def imported(person, check):
    """A calendar file: its events are listed, and those that are not understood."""
    chosen = ".schedule input[type=file]"
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "calendar.ics"
        path.write_text("This is no calendar.")
        person.driver.find_element("css selector", chosen).send_keys(str(path))
        check.expect(eventually(lambda: any(one.text for one in person.driver.find_elements(
            "css selector", ".schedule [role=alert]"))), "what is no calendar is refused")
        path.write_text(CALENDAR.format(day=f"{datetime.date.today() + datetime.timedelta(days=30):%Y%m%d}"), newline="")
        path = path.rename(path.with_name("choir.ics"))
        person.driver.find_element("css selector", chosen).send_keys(str(path))
        person.find(".schedule .help", "1 events, read")
    person.find(".schedule li", "Bells")
    check.expect(eventually(lambda: any(one["source"] == "import" for one in upcoming(person))), "its event is a broadcast")
    check.examine(person, "74-schedule-calendar")
    person.resize(1280, 900)
    person.tap(".schedule .link", "Remove the calendar file")
    person.tap("dialog .solid", "Remove")
    check.expect(eventually(lambda: not any(one["source"] == "import" for one in upcoming(person))), "its events are gone")


def feed(person, check):
    """The address of a calendar is kept; what is no address is told at its field."""
    address = ".schedule input[placeholder='https://']"
    person.write(address, "ftp://example.org/calendar")
    person.tap(".schedule form:not(.entry) .button", "Save")
    person.find(".schedule form:not(.entry) .problem")
    person.write(address, "https://calendar.invalid/private.ics")
    person.tap(".schedule form:not(.entry) .button", "Save")
    check.expect(eventually(lambda: value(person, "calendar.url")["origin"] == "run time"), "the address is kept")
    fetch(person, "/api/settings", "PATCH", {"calendar.url": None})


def runs(person, check):
    """One that runs warns five minutes before its end, on the view of the broadcast, and a tap lets it go on."""
    # It begins within a minute, and its last five minutes with it.
    begins = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=70)
    fetch(person, "/api/schedule", "POST", {"name": "now", "date": begins.strftime("%Y-%m-%d"), "at": begins.strftime("%H:%M"), "minutes": 5,
                                            "zone": "UTC"})
    see(person, "broadcast")
    person.find(".due", "Begins by itself")
    person.find(".due .button", "Skip this one")
    see(person, "schedule")
    person.find(".next-card", "Ends by itself")
    see(person, "broadcast")
    person.find(".due-warning", "Ends by itself at")
    check.examine(person, "75-schedule-warning")
    person.resize(360, 740)
    bottom, height = person.driver.execute_script(
        "return [document.querySelector('.due-warning .button').getBoundingClientRect().bottom, innerHeight]")
    check.expect(0 < bottom < height, f"the key is on the screen of a phone: {bottom:.0f} of {height}")
    before = fetch(person, "/api/status")["schedule"]["ends_at"]
    person.tap(".due-warning .button", "15 more minutes")
    check.expect(eventually(lambda: fetch(person, "/api/status")["schedule"]["extended_minutes"] == 15), "it goes on for longer")
    after = fetch(person, "/api/status")["schedule"]["ends_at"]
    apart = datetime.datetime.fromisoformat(after[:19]) - datetime.datetime.fromisoformat(before[:19])
    check.expect(apart == datetime.timedelta(minutes=15), f"by 15 minutes: {before} {after}")
    person.until("!document.querySelector('.due-warning').checkVisibility()", "the warning stays")
    person.find(".due", "15 minutes later than planned")
    person.tap(".due .button", "Extend by 15 min")
    check.expect(eventually(lambda: fetch(person, "/api/status")["schedule"]["extended_minutes"] == 30), "and once more")
    person.resize(1280, 900)
    see(person, "schedule")
    person.find(".next-card", "30 minutes later than planned")
    check.examine(person, "76-schedule-runs")
    person.resize(1280, 900)
    person.tap(".next-card .button", "End now")
    person.tap("dialog .solid")
    check.expect(eventually(lambda: fetch(person, "/api/status")["intent"]["broadcast"] == "off"), "it ends now")
    fetch(person, "/api/schedule/now", "DELETE")


def pretended(person, check):
    """What seldom comes: a box without the time, a camera that does not work, a broadcast that was forgotten."""
    for fields, selector, text in (
            ("clock_set: false", ".schedule .problem", "The box does not know the time"),
            ("clock_set: true, test: 'failed', test_sentence: 'No camera is plugged in.'", ".schedule .problem", "No camera is plugged in."),
            ("running: null, ends_at: new Date(Date.now() + 240000).toISOString(), forgotten: true, warning: true", ".next-card",
             "silence and a still picture")):
        def tells(fields=fields, selector=selector, text=text):
            person.driver.execute_async_script(
                "const done = arguments[0]; import('/box.js').then(({box}) => { const {status} = box;"
                " box.take({...status, intent: {...status.intent, broadcast: 'live'}, schedule: {...status.schedule, " + fields + "}});"
                " setTimeout(done, 50); })")
            return any(text in one.text for one in person.driver.find_elements("css selector", selector))
        check.expect(eventually(tells), f"it is told: {text}")


def in_chinese(check, base, password):
    """The same in Chinese, and on other screens."""
    person = Person(base, 360, 740, "zh")
    log_in(person, password)
    see(person, "schedule")
    person.find(".entries li", "每星期日 9:55 至 11:15")
    person.tap(".schedule .button.solid", "添加定时直播")
    check.examine(person, "77-schedule", "zh")
    for width, height in ((320, 640), (740, 360), (768, 1024), (1024, 768)):
        person.resize(width, height)
        wide = person.driver.execute_script("return document.documentElement.scrollWidth - innerWidth")
        check.expect(wide <= 0, f"the schedule fits into {width}x{height}")
        if check.options.out:
            person.screenshot(f"{check.options.out}/78-schedule-{width}x{height}.png", whole=False)
    check.expect(not person.complaints(), f"no complaints of the browser {person.complaints()}")
    person.close()
