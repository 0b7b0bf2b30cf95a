# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a person does on the view "Sound", each with a check of what the box has then, and of what the page shows."""

import array
import math
import pathlib
import tempfile
import wave

from selenium.webdriver.common.keys import Keys

from deeds import eventually, fetch, pretend, value
from steps import Person, go_live, log_in, see

MAIN = ".strip:first-child"
MUSIC = ".sound .layers:last-child .strip"
SONG_SECONDS = 40

# Moves a slider as a hand does, and lets go of it.
SLIDE = """
const [input, value] = arguments;
input.value = value;
for (const name of ['input', 'change']) input.dispatchEvent(new Event(name, {bubbles: true}));
"""
# How far a meter has risen, from 0 to 1.
LEVEL = "return Number(/[\\d.]+/.exec(document.querySelector(arguments[0]).style.transform)?.[0] ?? 0)"


def everything(check, base, password):
    person = Person(base, 1280, 900)
    log_in(person, password)
    see(person, "sound")
    closed(person, check)
    measured(person, check)
    strip(person, check)
    scene(person, check)
    more(person, check)
    refused(person, check)
    music(person, check)
    second(person, check)
    loudness(person, check)
    headphones(person, check)
    lip_sync(person, check)
    on_air(person, check)
    check.expect(not person.complaints(), f"no complaints of the browser {person.complaints()}")
    person.close()
    phone(check, base, password)


def audio(person):
    return fetch(person, "/api/audio")


def track(person, name="main"):
    """A track as the box has it; empty if there is none of this name."""
    return next((one for one in audio(person)["tracks"] if one["name"] == name), {})


def slide(person, selector, to):
    person.driver.execute_script(SLIDE, person.find(selector), to)


def field(person, within, label):
    """The control of a field or a switch, by its label."""
    return person.driver.execute_script(
        "return [...document.querySelectorAll(arguments[0] + ' label')].find((one) => one.checkVisibility() &&"
        " one.textContent.startsWith(arguments[1])).control", within, label)


def closed(person, check):
    """Off the air nothing is measured, and the page says so."""
    person.find(MAIN, "Test tone")
    person.find(MAIN + " small", "not measured")
    person.find(".sound .help", "the microphones are closed")
    check.examine(person, "60-sound-closed")
    person.resize(1280, 900)


def measured(person, check):
    """A tap opens the microphone: the meters move, of the track and of what viewers hear."""
    person.tap(".sound .button", "Measure the sound")
    for meter in (MAIN + " .level", ".sound .monitor .level"):
        check.expect(eventually(lambda one=meter: person.driver.execute_script(LEVEL, one) > 0.2), f"the meter moves: {meter}")
    person.find(".sound .state-line", "Too quiet")
    person.find(".sound small", "LUFS")
    person.find(MAIN + " small", "sound comes in")
    check.expect(not person.driver.find_element("css selector", ".sound .meter b").text, "there is one verdict, not one of the meter, too")
    label = person.driver.execute_script(f"return document.querySelector('{MAIN} [role=meter]').getAttribute('aria-label')")
    check.expect(label == "Test tone", f"a screen reader hears whose meter it is: {label}")


def strip(person, check):
    """Volume and mute count at once, by hand and by keys, and come back."""
    fader = MAIN + " .pair input"
    slide(person, fader, 30)
    check.expect(eventually(lambda: track(person)["volume"] == 30), "a fader counts")
    person.find(fader).send_keys(Keys.ARROW_RIGHT)
    check.expect(eventually(lambda: track(person)["volume"] == 31), f"keys move it: {track(person)['volume']}")
    fetch(person, "/api/audio", "PATCH", {"tracks": [{"name": "main", "volume": 60}]})
    check.expect(eventually(lambda: person.find(fader).get_attribute("value") == "60"), "what others change is shown")
    slide(person, fader, 50)
    person.tap(MAIN + " .mute", "Mute")
    check.expect(eventually(lambda: track(person)["mute"]), "a tap mutes")
    person.find(MAIN + " small", "viewers do not hear it")
    silent = eventually(lambda: person.driver.execute_script(LEVEL, ".sound .monitor .level") == 0)
    check.expect(silent, "viewers hear nothing of it")
    person.tap(MAIN + " .mute", "Unmute")
    check.expect(eventually(lambda: not track(person)["mute"]), "and unmutes")


def scene(person, check):
    """One tap takes the fan's noise away, and the page says what that takes from music."""
    check.expect("sent as it comes" in person.text(MAIN + " .switch + .help"), "no scene at first")
    person.tap(MAIN + " .switch button", "Speech")
    check.expect(eventually(lambda: track(person)["scene"] == "speech" and track(person)["denoise"] == 15), "noise reduction is on")
    person.find(MAIN + " .switch + .help", "held notes of music for noise")
    pressed = "return document.querySelector('.strip:first-child [aria-pressed=true]').textContent"
    check.expect(person.driver.execute_script(pressed) == "Speech", "the scene is pressed")


def more(person, check):
    """What a scene sets can be set by itself, and another scene sets it again."""
    person.tap(MAIN + " summary", "More")
    person.driver.execute_script(
        "const s = arguments[0]; s.value = '20'; s.dispatchEvent(new Event('change'))", field(person, MAIN, "Noise reduction"))
    check.expect(eventually(lambda: track(person)["denoise"] == 20), "the strength of the noise reduction is chosen")
    person.click(field(person, MAIN, "Noise gate"))
    check.expect(eventually(lambda: track(person)["gate"]), "the gate is switched on")
    person.driver.execute_script(SLIDE, field(person, MAIN, "Loudness"), 6)
    check.expect(eventually(lambda: track(person)["gain_db"] == 6), "and the gain set")
    check.examine(person, "61-sound-more")
    person.resize(1280, 900)
    fetch(person, "/api/audio", "PATCH", {"tracks": [{"name": "main", "gate": None, "gain_db": None}]})
    person.tap(MAIN + " .switch button", "No filters")
    check.expect(eventually(lambda: track(person)["denoise"] == 0), "no scene, no noise reduction")
    person.tap(MAIN + " summary", "Less")


def refused(person, check):
    """A change that is refused is told, and taken back."""
    person.answer("/api/volumes", 429, {"code": "too_many", "sentence": "Too many."})
    person.tap(MUSIC + " .mute", "Mute")
    person.find(".sound [role=alert]", "Too many changes in a short time")
    person.find(MUSIC + " .mute", "Mute")
    check.expect(audio(person)["volumes"]["music"] == 50, "a refused mute is taken back")


def song(folder, name="song.wav", peak=3_000, seconds=SONG_SECONDS):
    """A sound file: a tone, which is soft."""
    path = pathlib.Path(folder) / name
    rate = 8_000
    samples = array.array("h", (int(peak * math.sin(2 * math.pi * 440 * i / rate)) for i in range(rate * seconds)))
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(samples.tobytes())
    return path


def upload(person, name, **kind):
    """Uploads a sound as a person does; it is chosen then."""
    with tempfile.TemporaryDirectory() as folder:
        person.driver.find_element("css selector", MUSIC + " input[type=file]").send_keys(str(song(folder, name, **kind)))
        person.until(f"document.querySelector('{MUSIC} select').value === 'file:media/{name}'", f"{name} is not chosen")


def state(person):
    return fetch(person, "/api/music")["state"]


def music(person, check):
    """A song is uploaded and played, paused, repeated and stopped; an address that is none is told."""
    upload(person, "song.wav")
    person.tap(MUSIC + " .button", "Play")
    check.expect(eventually(lambda: state(person) == "playing"), "a tap plays it")
    person.find(MUSIC + " small", "song.wav · plays")
    person.find(MUSIC + " .progress small", f"/ 0:{SONG_SECONDS}")
    check.expect(eventually(lambda: person.driver.execute_script(LEVEL, MUSIC + " .level") > 0.2), "its meter moves")
    came = f"return document.querySelector('{MUSIC} progress').value"
    check.expect(eventually(lambda: person.driver.execute_script(came) > 2), "and it comes further")
    person.tap(MUSIC + " .button", "Pause")
    check.expect(eventually(lambda: state(person) == "paused"), "it pauses")
    person.find(MUSIC + " .button.solid", "Resume")
    check.examine(person, "62-sound-music")
    person.resize(1280, 900)
    person.tap(MUSIC + " .button", "Resume")
    check.expect(eventually(lambda: state(person) == "playing"), "it goes on")
    person.click(field(person, MUSIC, "Again and again"))
    check.expect(eventually(lambda: fetch(person, "/api/music")["loop"]), "it loops")
    slide(person, MUSIC + " .pair input", 25)
    check.expect(eventually(lambda: fetch(person, "/api/music")["volume"] == 25), "its volume counts")
    person.tap(MUSIC + " .mute", "Mute")
    check.expect(eventually(lambda: fetch(person, "/api/music")["volume"] == 0), "a mute is the volume 0")
    person.find(MUSIC + " small", "muted: viewers do not hear it")
    fader = person.find(MUSIC + " .pair input")
    check.expect(fader.get_attribute("value") == "25", f"the fader stays where it was: {fader.get_attribute('value')}")
    slide(person, MUSIC + " .pair input", 30)
    person.until("localStorage['onair.music_volume'] === '30'", "a fader of muted music is for later")
    check.expect(fetch(person, "/api/music")["volume"] == 0, "and does not unmute it")
    slide(person, MUSIC + " .pair input", 25)
    person.until("localStorage['onair.music_volume'] === '25'", "it goes back")
    person.tap(MUSIC + " .mute", "Unmute")
    check.expect(eventually(lambda: fetch(person, "/api/music")["volume"] == 25), "and back to what it was")
    person.driver.execute_script(SLIDE, field(person, MUSIC, "Lower it while"), 20)
    check.expect(eventually(lambda: audio(person)["ducking"]["depth_db"] == 20), "how much it is lowered for a voice is chosen")
    # The test tone beeps each second, as a voice that speaks.
    person.find(MUSIC + " .help", "The microphone is heard")
    check.expect(eventually(lambda: fetch(person, "/api/music")["position_seconds"] > 5), "it has come some way")
    place = fetch(person, "/api/music")["position_seconds"]
    person.click(field(person, MUSIC, "Play it with each"))
    check.expect(eventually(lambda: value(person, "music.autostart")["value"] is True), "it begins with each broadcast")
    check.expect(value(person, "music.source")["value"] == "file:media/song.wav", "and what does is kept")
    person.click(field(person, MUSIC, "Play it with each"))
    check.expect(eventually(lambda: value(person, "music.autostart")["value"] is False), "and no more")
    after = fetch(person, "/api/music")
    check.expect(after["position_seconds"] >= place, f"the song goes on meanwhile: {place} s, {after['position_seconds']} s")
    check.expect(after["source"] == "file:media/song.wav", f"it is called as it was chosen: {after['source']}")
    options = "return [...document.querySelectorAll(arguments[0] + ' select option')].map((one) => one.textContent)"
    names = person.driver.execute_script(options, MUSIC)
    check.expect(not any("/" in name for name in names), f"no path of the box is listed: {names}")
    person.tap(MUSIC + " .button", "Stop")
    check.expect(eventually(lambda: state(person) == "stopped"), "it stops")
    address(person, check)


def address(person, check):
    """An address is typed, and what is wrong with it is told."""
    select = f"const s = document.querySelector('{MUSIC} select'); s.value = arguments[0]; s.dispatchEvent(new Event('change'))"
    person.driver.execute_script(select, "address")
    person.tap(MUSIC + " .button", "Play")
    focused = person.driver.switch_to.active_element.get_attribute("type")
    check.expect(state(person) == "stopped" and focused == "url", f"no address plays nothing: {focused}")
    person.find(MUSIC + " .field .problem", "begins with http://")
    person.write(MUSIC + " input[type=url]", "http://127.0.0.1:9/")
    person.tap(MUSIC + " .button", "Play")
    person.find(MUSIC + " > .row + .problem", "on this box or in its own network")
    person.find(MUSIC + " small", "did not start")
    keys = [one.text for one in person.driver.find_elements("css selector", MUSIC + " .row .button") if one.is_displayed()]
    check.expect("Play" in keys and "Pause" not in keys, f"it can be played again, not paused: {keys}")
    person.tap(MUSIC + " .button", "Stop")
    person.driver.execute_script(select, "file:media/song.wav")


def second(person, check):
    """A further track gets a strip of its own, tells what is wrong with it, and can be removed."""
    fetch(person, "/api/tracks", "POST", {"name": "guest", "source": "silence"})
    guest = ".strip:nth-child(2)"
    person.find(guest, "Silence")
    person.find(guest + " small", "guest")
    person.find(".sound label", "All microphones together")
    person.driver.execute_script(SLIDE, field(person, ".sound", "All microphones"), 40)
    check.expect(eventually(lambda: audio(person)["volumes"]["voice"] == 40), "one fader is for all microphones")
    person.driver.execute_script(SLIDE, field(person, ".sound", "All microphones"), 50)
    person.tap(guest + " .mute")
    check.expect(eventually(lambda: track(person, "guest")["mute"]), "each has a mute of its own")
    check.expect(not track(person)["mute"], "which leaves the others alone")
    person.tap(guest + " summary")
    person.tap(guest + " .stack > .link", "Remove")
    person.tap("dialog .solid")
    check.expect(eventually(lambda: not track(person, "guest")), "it is removed")


def loudness(person, check):
    """The loudness is told in words, and the box keeps it if asked to."""
    person.click(field(person, ".sound", "Keep it as loud"))
    check.expect(eventually(lambda: audio(person)["target_lufs"] == -16), "the box keeps the loudness")
    person.click(field(person, ".sound", "Keep it as loud"))
    check.expect(eventually(lambda: audio(person)["target_lufs"] == 0), "or leaves it")
    fetch(person, "/api/audio", "PATCH", {"target_lufs": -30})
    person.find(".sound label", "Keep it at -30 LUFS")
    person.find(".sound .state-line", "As loud as you have chosen")
    fetch(person, "/api/audio", "PATCH", {"target_lufs": 0})
    person.find(".sound .state-line", "Too quiet")


DEVICES = {
    "cameras": [{"value": "camera:/dev/video0", "name": "HDMI Grabber", "microphone": "microphone:hw:CARD=Grabber,DEV=0"},
                {"value": "camera:/dev/video2", "name": "Webcam"}],
    "microphones": [{"value": "microphone:hw:CARD=USB,DEV=0", "name": "USB Audio", "first": True},
                    {"value": "microphone:hw:CARD=Grabber,DEV=0", "name": "Grabber Audio", "first": False}],
    "playback": [{"value": "hw:CARD=Headphones,DEV=0", "name": "Jack"},
                 {"value": "hw:CARD=HDMI,DEV=0", "name": "HDMI", "problem": "No screen.", "cause": "no_screen"}]}
CHOOSE = "const [s, value] = arguments; s.value = value; s.dispatchEvent(new Event('change'))"
OPTIONS = "return [...arguments[0].options].map((one) => one.textContent)"


def with_devices(person, view):
    """A view of a box that has microphones, a grabber and headphones."""
    see(person, "broadcast")
    person.answer("/api/devices", 200, DEVICES, times=1_000)
    see(person, view)


def headphones(person, check):
    """Headphones are chosen among those of the box, or named; those that are not there are told."""
    with_devices(person, "sound")
    device = field(person, ".sound", "Playback device")
    check.expect(eventually(lambda: person.driver.execute_script(OPTIONS, device) == ["None", "Jack", "HDMI", "Another one"]),
                 f"the box's headphones are listed: {person.driver.execute_script(OPTIONS, device)}")
    person.driver.execute_script(CHOOSE, device, "hw:CARD=Headphones,DEV=0")
    check.expect(eventually(lambda: value(person, "audio.monitor")["value"] == "hw:CARD=Headphones,DEV=0"), "and chosen")
    person.driver.execute_script(CHOOSE, device, "hw:CARD=HDMI,DEV=0")
    check.expect(eventually(lambda: value(person, "audio.monitor")["value"] == "hw:CARD=HDMI,DEV=0"), "another one is chosen")
    person.find(".sound .field .problem", "No screen.")
    person.driver.execute_script(CHOOSE, device, "other")
    field(person, ".sound", "ALSA’s name").send_keys(Keys.CONTROL + "a" + Keys.NULL + "hw:9,0" + Keys.TAB)
    check.expect(eventually(lambda: value(person, "audio.monitor")["value"] == "hw:9,0"), "the headphones are named")
    check.expect(eventually(lambda: person.text(".sound section:last-child [role=status]")), "what is wrong with them is told")
    source = field(person, ".sound", "What the headphones play")
    person.driver.execute_script(CHOOSE, source, "main")
    check.expect(eventually(lambda: value(person, "audio.monitor_source")["value"] == "main"), "what they play is chosen")
    check.examine(person, "62-sound-headphones")
    person.resize(1280, 900)
    unheard(person, check)
    fetch(person, "/api/settings", "PATCH", {"audio.monitor": None, "audio.monitor_source": None})
    microphones(person, check)


def unheard(person, check):
    """Who hears a microphone in the headphones is told that viewers do not."""
    for heard, text in (("true", "24 ms after it was made."), ("false", "24 ms after it was made. Viewers hear nothing of it.")):
        def tells(heard=heard, text=text):
            """Whether it does so with a status that is pretended: a real one may take its place."""
            person.driver.execute_async_script(
                "const done = arguments[0]; import('/box.js').then(({box}) => { box.take({...box.status, monitor: {device: 'hw:9,0',"
                f" source: 'main', state: 'on', delay_ms: 24, heard: {heard}, sentence: 'On.'}}}}); setTimeout(done, 1_200); }})")
            return person.text(".sound section:last-child > .stack > [role=status]") == f"You hear it {text}"
        check.expect(eventually(tells), f"the headphones are {text}")


def microphones(person, check):
    """Which microphone is the first, and whether a grabber's sound comes along."""
    add = ".sound .adds .button"
    person.find(add, "USB Audio · the first")
    person.find(add, "Grabber Audio · comes with HDMI Grabber")
    fetch(person, "/api/tracks", "POST", {"name": "guest", "source": "microphone:hw:CARD=Grabber,DEV=0", "mute": True})
    person.find(".strip:nth-child(2) small", "guest · comes with HDMI Grabber")
    fetch(person, "/api/tracks/guest", "DELETE")
    with_devices(person, "setup")
    camera, microphone = (person.find(f"#part-sources .pair .field:nth-child({i}) select") for i in (1, 2))
    options = person.driver.execute_script(OPTIONS, microphone)
    check.expect(options[:3] == ["Automatic: USB Audio", "USB Audio · the first", "Grabber Audio · comes with HDMI Grabber"],
                 f"the microphones say what they are: {options}")
    options = person.driver.execute_script(OPTIONS, camera)
    check.expect(options[1:3] == ["HDMI Grabber · with sound", "Webcam"], f"the cameras say whether they have sound: {options}")
    for chosen, text in (("camera:/dev/video2", "No sound comes with it"), ("camera", "is not the chosen one: Grabber Audio")):
        see(person, "broadcast")
        pretend(person, "video.source", chosen)
        see(person, "setup")
        person.find("#part-sources .pair .help", text)
    check.examine(person, "62-sound-sources")
    person.resize(1280, 900)
    person.driver.refresh()
    person.find(".part")


def lip_sync(person, check):
    """How far lips and voices are apart is measured, told, and set right by one tap."""
    result = ".lipsync [role=status]"
    see(person, "broadcast")
    begun = {"state": "running", "seconds_left": 40, "flashes": 3, "sounds": 2, "by_lamp": True}
    found = {"state": "done", "sound_after_ms": -82.4, "spread_ms": 4, "events": 19, "delay_ms": 80}
    see(person, "sound")
    person.find(".lipsync .button", "Measure it")
    person.answer("/api/lipsync", 200, {"state": "failed", "cause": "too_few", "sentence": "Fewer than ten."})
    person.tap(".lipsync .button", "Measure it")
    person.find(result, "Fewer than ten flashes with a sound")
    person.answer("/api/lipsync", 200, begun, times=2)
    person.tap(".lipsync .button", "Measure it")
    person.find(result, "hold the camera so that the lamp is in the middle")
    person.find(result, "3 flashes and 2 sounds so far; 40 s left")
    person.answer("/api/lipsync", 200, found)
    person.find(result, "The sound comes 82 ms before the picture, by 19 events.")
    person.tap(result + " .button", "Set the sound’s delay to 80 ms")
    person.find(result, "delay is 80 ms now")
    check.expect(eventually(lambda: value(person, "audio.delay_ms")["value"] == 80), "the proposed delay is kept")
    fetch(person, "/api/settings", "PATCH", {"audio.delay_ms": None})
    by_phone(person, check)
    # The test picture flashes outside of the middle, so the box itself finds nothing, or too little.
    person.tap(".lipsync .button", "Measure it")
    person.find(result, "Clap your hands")
    person.find(result, "claps, and the microphone has heard")
    check.examine(person, "62-sound-lipsync")
    person.resize(1280, 900)


def by_phone(person, check):
    """A phone's screen flashes; the page says whether picture and sound are far apart, and proposes nothing."""
    begun = {"state": "running", "seconds_left": 50, "flashes": 0, "sounds": 0, "by_lamp": False, "by_phone": True}
    found = {"state": "done", "by_phone": True, "verdict": "late", "events": 20}
    person.tap(".lipsync .link", "By a phone")
    check.examine(person, "62-sound-by-phone")
    person.resize(1280, 900)
    person.answer("/api/lipsync", 200, begun, times=1_000)
    person.tap(".sound .button", "Flash and beep")
    person.find(".flash", "its screen fills the middle")
    asked = person.driver.execute_script("return asked[0].body")
    check.expect(asked == '{"by":"phone"}', f"the box is told that it is a phone: {asked}")
    white = "return getComputedStyle(document.querySelector('.flash')).backgroundColor === 'rgb(255, 255, 255)'"
    check.expect(eventually(lambda: person.driver.execute_script(white)), "the screen gets white")
    check.expect(eventually(lambda: not person.driver.execute_script(white)), "and black again")
    person.answer("/api/lipsync", 200, found)
    person.find(".sound [role=status]", "The sound comes more than 50 ms after the picture, by 20 events.")
    person.find(".sound [role=status]", "measure it by clapping")
    check.expect(not person.driver.find_elements("css selector", ".flash"), "it flashes no more")
    buttons = person.driver.find_elements("css selector", ".sound [role=status] .button")
    check.expect(not buttons, "a phone proposes no delay")
    person.answer("/api/lipsync", 200, found)
    person.tap(".sound .link", "Back to the sound")
    person.find(".lipsync .button", "Measure it")
    check.expect(not person.driver.find_element("css selector", ".lipsync [role=status]").text, "an old result is not shown")
    person.driver.refresh()
    person.find(".strip")


def on_air(person, check):
    """On the air the strips are live without a tap; a silence is told here and on the broadcast."""
    see(person, "broadcast")
    go_live(person)
    see(person, "sound")
    check.expect(eventually(lambda: person.driver.execute_script(LEVEL, MAIN + " .level") > 0.2), "the meters are live")
    upload(person, "quiet.wav", peak=0, seconds=8)
    fetch(person, "/api/settings", "PATCH", {"audio.source": "file:media/quiet.wav", "audio.silence_seconds": 2})
    person.find(MAIN + " .problem", "Is it switched on")
    check.examine(person, "63-sound-silence")
    person.resize(1280, 900)
    see(person, "broadcast")
    person.find(".troubles li", "Is it switched on")
    person.tap(".troubles .button", "Sound")
    person.find(MAIN + " .problem", "Is it switched on")
    fetch(person, "/api/settings", "PATCH", {"audio.source": None, "audio.silence_seconds": None})
    person.until(f"!document.querySelector('{MAIN} .problem').textContent", "the alarm stays")
    person.driver.execute_script(
        f"const s = document.querySelector('{MUSIC} select'); s.value = 'file:media/song.wav'; s.dispatchEvent(new Event('change'))")
    person.tap(MUSIC + " .button", "Play")
    check.expect(eventually(lambda: state(person) == "playing"), "music plays on the air")
    check.examine(person, "64-sound-live")
    person.resize(1280, 900)
    hushed(person, check)


def hushed(person, check):
    """While the broadcast is muted, its sound is off or it is paused, no strip says that viewers hear it."""
    key = ".sound [role=status] .button"
    for off, on, told, button in (("mute", "unmute", "muted: viewers do not hear it", "Unmute"),
                                  ("audio_off", "audio_on", "viewers do not hear it: sound off", "Sound on")):
        fetch(person, f"/api/{off}", "POST")
        person.find(MAIN + " small", told)
        person.find(MUSIC + " small", told)
        check.expect("plays" not in person.text(MUSIC + " small"), f"nothing plays to viewers after {off}")
        person.find(MAIN + " .mute", "Keep muted")
        person.tap(key, button)
        person.find(MAIN + " small", "sound comes in")
        person.find(MUSIC + " small", "plays")
        check.expect(not person.driver.find_element("css selector", key).is_displayed(), f"{on} is offered no more")
    fetch(person, "/api/pause", "POST")
    for strip_of in (MAIN, MUSIC):
        person.find(strip_of + " small", "viewers do not hear it: paused")
    fetch(person, "/api/settings", "PATCH", {"pause.sound": "music"})
    person.find(MUSIC + " small", "plays")
    person.find(MAIN + " small", "viewers do not hear it: paused")
    fetch(person, "/api/settings", "PATCH", {"pause.sound": None})
    fetch(person, "/api/resume", "POST")
    person.find(MAIN + " small", "sound comes in")


def phone(check, base, password):
    """The same by a finger on a phone, in Chinese."""
    person = Person(base, 360, 740, "zh")
    log_in(person, password)
    see(person, "sound")
    person.find(MAIN, "测试音")
    person.tap(MAIN + " .switch button", "语音")
    person.find(MAIN + " .switch + .help", "长音")
    person.tap(MAIN + " .mute")
    check.expect(eventually(lambda: track(person)["mute"]), "a finger mutes")
    person.find(MAIN + " small", "观众听不到")
    person.tap(MAIN + " .mute")
    check.expect(eventually(lambda: not track(person)["mute"]), "and unmutes")
    person.tap(MAIN + " summary")
    check.examine(person, "65-sound-phone", "zh")
    person.resize(360, 740)
    person.tap(MAIN + " summary")
    check.examine(person, "66-sound-phone", "zh")
    person.tap(MAIN + " .switch button", "不处理")
    for width, height in ((320, 640), (740, 360), (768, 1024), (1024, 768)):
        person.resize(width, height)
        wide = person.driver.execute_script("return document.documentElement.scrollWidth - innerWidth")
        check.expect(wide <= 0, f"sound fits into {width}x{height}")
        if check.options.out:
            person.screenshot(f"{check.options.out}/67-sound-{width}x{height}.png", whole=False)
    check.expect(not person.complaints(), f"no complaints of the browser {person.complaints()}")
    person.close()
