#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether the page ever says what is not so: beside a box that is killed, stopped, reset, paused, muted, without a server, with
a relay alone, without camera and microphone.

    Tests/Page/truth.py ONAIR FOLDER PORT --url rtmp://127.0.0.1:1935/live [--out DIR]

It starts the box itself. It needs Debian's chromium, chromium-driver and python3-selenium, and an RTMP server.
"""

import argparse
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

from selenium.common.exceptions import WebDriverException

import places
from deeds import eventually, fetch
from steps import Person, see
from witness import Witness

PASSWORD = "a password for tests"
NOWHERE = "rtmp://127.0.0.1:1/live"
# What a page takes at most to say that the box does not answer: three seconds, the half second of its clock, and as much
# as a busy machine needs.
MOST_HALF_SECONDS = 10
CAMERA = {"video.source": "pattern", "audio.source": "tone"}
NO_CAMERA = {"video.source": "camera:/dev/video99", "audio.source": "microphone:nowhere"}

# The sentence of the last broadcast's end.
ENDED = """
const done = arguments[0];
import('/box.js').then(({box}) => done(box.events.findLast((one) => one.code === 'ended')?.sentence ?? ''));
"""

# The last broadcast's end as that of one that went badly.
LONG_END = """
const done = arguments[0];
Promise.all([import('/box.js'), import('/missed.js')]).then(([{box}, {lastEnd}]) => {
  lastEnd(box.events).size = '1280x720';
  lastEnd(box.events).totals = {seconds: 641, reached: 'main', without_camera_seconds: 35, without_microphone_seconds: 12,
    without_server_seconds: 62, reconnects: 1, standstills: 8, late: 2195};
  box.take(box.status);
  done();
});
"""

# With the password, where the box asks for it.
RESET = """
const [password] = arguments;
const reset = (body) => fetch('/api/factory_reset', {method: 'POST', body: JSON.stringify({confirm: 'reset', ...body}),
  headers: {'Content-Type': 'application/json'}});
reset({password}).then((answer) => answer.ok || reset({}));
"""


# Counts half seconds without a word of the stream, by the page's own clock, until the page says that there is no answer.
LISTEN = """
const done = arguments[0];
import('/box.js').then(({box}) => {
  let quiet = 0;
  window.halfSeconds = null;
  const life = new AbortController();
  const timer = setInterval(() => quiet++, 500);
  const heard = () => (quiet = 0);
  box.on('figures', heard, life.signal);
  box.on('levels', heard, life.signal);
  box.on('status', (status) => {
    if (status.presence.state !== 'no_answer') return heard();
    window.halfSeconds = quiet;
    clearInterval(timer);
    life.abort();
  }, life.signal);
  done();
});
"""

# What a picture that is missing is told with, where the source is no camera.
MISSING = """
const done = arguments[0];
import('/why.js').then(({missingText}) =>
  done(missingText({troubles: [{subject: 'video', cause: 'missing', sentence: 'The file is gone.'}]})));
"""

# Headings of a broadcast that no server has, by the cause; and what is said of a long wait and of a look off air.
WORDS = """
const done = arguments[0];
Promise.all([import('/state.js'), import('/why.js')]).then(([{advice, reading, watching}, {placeIn}]) => {
  const heading = (subject, cause) => reading({presence: {state: 'not_on_air'}, intent: {broadcast: 'live'},
    troubles: [{subject, cause}]}).sentence;
  const server = 'live.example.org port 1936', watched = {by: 'the page', since: '2026-01-01T00:00:00Z'};
  done([heading(server, 'timed_out_handshake'), heading(server, 'connection_refused'),
    heading('relay a', 'refused_other'), placeIn(server), placeIn('live.example.org port 1935'),
    advice({presence: {advice: 'wait'}}, true).includes('few seconds'),
    watching({watched}, 'pattern', 'tone').includes('amera'),
    watching({watched}, 'camera', 'tone', true).startsWith('The camera is open for this page'),
    watching({watched}, 'pattern', 'tone', true)]);
});
"""
MEANT = ["state.refused", "state.not_on_air", "state.not_on_air", "live.example.org:1936", "live.example.org", False, False, True, ""]

# What is said of a server that is not there, before and after it has worked, and of a wrong port and application.
GONE = """
const done = arguments[0];
Promise.all([import('/why.js'), import('/reasons.js'), import('/state.js')]).then(([{causeText, known}, {placeOf}, {reading}]) => {
  known.isOwn = () => true;
  const told = (cause, worked) => {
    const one = {subject: 'live.example.org port 1936', cause, has_worked: worked};
    const heading = reading({presence: {state: 'not_on_air'}, intent: {broadcast: 'live'}, troubles: [one]}).sentence;
    return [causeText(one), placeOf(one) ?? '', heading];
  };
  const causes = ['connection_refused', 'timed_out_send', 'timed_out_handshake', 'closed_by_server_handshake'];
  done([causes.map((cause) => told(cause, true)), told('connection_refused'), told('refused_unknown_application'),
    causeText({subject: 'live.example.org port 1936', cause: 'refused_unknown_application', number: 1})]);
});
"""

# What the last new connection means, by the events before it.
RENEWALS = """
const done = arguments[0];
import('/state.js').then(({renewal}) => done([
  ['connect_failed'], ['send_timed_out', 'settings_changed: publish.url, publish.key'], ['settings_changed: publish.key'],
  ['settings_changed: video.fps'], ['ended_by_server', 'reconnect_succeeded', 'ended_by_server'],
  ['settings_changed: publish.key', 'reconnect_succeeded', 'delivered', 'refused'], ['refused', 'started'],
].map((codes) => {
  const all = ['started', 'publishing', 'delivered', ...codes, 'reconnect_started', 'publishing', 'reconnect_succeeded'];
  const events = all.map((text, i) => ({code: text.split(': ')[0], sentence: text, number: i, elapsed_ms: 1000 * (i + 1)}));
  const told = renewal(codes.includes('started') ? events.slice(0, 5) : events);
  return told ? `${told.key} ${told.seconds} ${told.event.number === events.length - 1}` : '';
})));
"""
RENEWED = ["live.after 7 true", "live.new_address 8 true", "live.new_key 7 true", "", "live.after 9 true", "live.after 10 true", ""]

# Names of settings in the box's sentences; neither camera nor microphone; the age of the stream in a pause; a look of this
# page that is over; and whom to ask about a server of no platform.
MEANINGS = """
const done = arguments[0];
Promise.all([import('/state.js'), import('/why.js'), import('/engineer.js'), import('/layerform.js'), import('/settings.js'),
    import('/control.js')])
    .then(async ([{advice, delivery, isUpdating, reading, shownTo, title, watching}, {causeText, joined, known, plain}, {changed}, {freePlace, partOf}, {load, withScheme},
      {helpOf}]) => {
  const shown = (audience, video, isOnStill) => shownTo({video, presence: {audience, relays: ['b']}}, isOnStill);
  const none = ['video', 'audio'].map((subject) => ({subject, cause: 'missing', sentence: ''}));
  const status = (broadcast) => ({intent: {broadcast}, destinations: [{name: 'main', server: 'h', state: 'delivering', delivered_ms_ago: 200}]});
  const heard = (microphone) => reading({presence: {state: 'live', word: 'live', grade: 'good', colour: 'green'}, audio: 'silence',
    capture: {microphone}, intent: {broadcast: 'live', muted: false}, troubles: []});
  const off = (state, grade, intent) => ({presence: {state, word: 'live', grade, colour: 'green'}, audio: 'tone',
    capture: {microphone: 'good'}, intent: {broadcast: 'live', ...intent}, troubles: []});
  const unseen = off('live_video_off', 'part_off', {video_off: true});
  const allOff = off('weak', 'weak', {video_off: true, audio_off: true, muted: true});
  const watched = {by: 'the page (127.0.0.1)', since: '2026-01-01T00:00:00Z'};
  const asked = (isOwn) => {
    known.isOwn = () => isOwn;
    const causes = ['unconfirmed', 'ended_by_server', 'refused_other', 'refused_not_allowed', 'closed_by_server_send', 'refused'];
    return causes.every((cause) => causeText({subject: 'h port 1', cause}).includes('whoever runs') === isOwn);
  };
  const size = (await load()).find(({key}) => key === 'video.size');
  const withSize = (value, text) => {
    const before = size.value;
    size.value = value;
    const told = text();
    size.value = before;
    return told;
  };
  const smaller = () => plain('Choose a smaller video.size or a lower video.fps.');
  const tooSlow = () => causeText({subject: 'encoder', cause: 'too_slow'});
  done([
    withSize('1280x720', smaller) === 'Choose a smaller picture under “Quality”.',
    withSize('640x360', smaller) === 'Choose a smaller “Size” or a lower “Frames a second”.',
    withSize('1280x720', tooSlow).includes('under “Quality”'), withSize('640x360', tooSlow).startsWith('Even the smallest picture'),
    plain('check the port in publish.url, of live.example.org') === 'check the port in “Server address”, of live.example.org',
    (await load()).every(({help}) => !/credential “/.test(plain(help))), plain('set publish.redirect = "any"').includes('publish.redirect'),
    freePlace('top-left', []) === 'top-left', freePlace('top-left', [{x: 0.04, y: 0.04}, {x: 0.96, y: 0.04}]) === 'bottom-left',
    changed('Changed settings, on the page: overlay.a.x, overlay.a.anchor, overlay.a.enabled off, publish.url; added overlay.b; removed filter.c.')
      === 'Changed settings, on the page: “a” on the picture: Place, off; “Server address”; added “b” on the picture; removed Filter “c”.',
    isUpdating(['updating', 'paused'].map((code) => ({code}))), !isUpdating(['updating', 'update_failed'].map((code) => ({code}))),
    partOf({x: 0.04, y: 0.96}) === 'bottom-left' && partOf({x: 0.5, y: 0.9}) === 'bottom' && partOf({x: 0.6, y: 0.5}) === 'center',
    joined(none).length === (causeText(none[0]) ? 1 : 2), joined(none.slice(1)).length === 1,
    delivery(status('live')).key === 'delivery.has_now', delivery(status('paused')).key === 'delivery.has',
    watching({watched}, 'camera', 'microphone', 'before') === '', watching({watched}, 'camera', 'microphone') !== '',
    (await load()).every((one) => !one.choices.some((choice) => helpOf(one).includes(`"${choice}"`))),
    plain('With network.mode "custom": more') === 'With “What gives way” “As the first, with the bit rates below”: more',
    heard('starting').sentence === 'state.live' && heard('good').sentence === 'state.live_silent',
    reading(unseen).colour === 'muted' && !reading(unseen).also.length, title(unseen) === 'Live, no picture',
    reading(allOff).also.join() === 'state.and_video_off,state.and_audio_off,state.and_muted',
    title(allOff) === 'Live, no picture, no sound',
    shown('all', 'camera') === 'on: viewers see it', shown('none', 'none') === 'on, for the next broadcast', shown('unknown', 'camera') === 'on',
    ['nobody', 'perhaps', 'soon', 'relays'].every((one) => shown(one, 'camera') !== shown('all', 'camera')),
    ['all', 'soon'].every((one) => shown(one, 'pause_still').includes('not on the still')), shown('all', 'pause_still', true) === 'on: viewers see it',
    shown('nobody', 'pause_still').includes('no server'),
    ['192.168.1.20/live', 'localhost/live', 'a.example:1936/live'].every((one) => withScheme(one) === `rtmp://${one}`),
    withScheme('a.example:443/live') === 'rtmps://a.example:443/live', withScheme('a.example/app', 'rtmps') === 'rtmps://a.example/app',
    ['live/abc', 'a.example', 'http://a.example/live', 'rtmp://a.example/live'].every((one) => withScheme(one) === one),
    asked(false), asked(true), advice({presence: {advice: 'look_at_platform'}}, false, true).includes('whoever runs'),
  ]);
});
"""

# Events in Chinese: names, whether a server has worked, and figures are told as in the English sentences.
EVENTS = """
const done = arguments[0];
Promise.all([import('/words.js'), import('/engineer.js'), import('/why.js'), import('/missed.js'), import('/form.js')])
    .then(async ([{speak}, {eventText}, {asking, known}, {cureOf, endedText, lastEnd}, {rankOf}]) => {
  known.isOwn = () => true;
  const failed = {code: 'connect_failed', subject: 'live.example.org port 1936', destination: 'main', cause: 'connection_refused'};
  const hd = {size: '1280x720', fps: 30};
  const totals = {seconds: 2069, reached: 'main', without_camera_seconds: 11, without_microphone_seconds: 1, reconnects: 1, late: 525};
  const events = [failed, {...failed, has_worked: true},
    {...failed, code: 'relay_failed', subject: 'facebook', destination: 'facebook'},
    {...failed, code: 'reconnect_failing', has_worked: true, attempts: 10, outage_seconds: 16},
    {code: 'picture_reduced', subject: 'video', cause: 'too_slow', size: '1280x720', fps: 15},
    {code: 'frame_budget_missed', cause: 'too_slow', size: '1280x720', fps: 30, dropped: 36, seconds: 10},
    {code: 'network_poor', cause: 'link_way', video_kbps: 800, target_kbps: 2000},
    {code: 'frame_budget_missed', cause: 'too_slow_at_times', size: '640x360', fps: 30, dropped: 2195, seconds: 600},
    {code: 'outage_long', subject: 'live.example.org port 1935', destination: 'main', cause: 'timed_out_connect', outage_seconds: 300},
    ...['uploaded', 'deleted'].map((verb) => ({code: 'media_changed', subject: 'logo.png', sentence: `The file logo.png was ${verb} on the page.`})),
    {code: 'device_lost', subject: 'video', cause: 'stalled'}, {code: 'device_back', subject: 'video', seconds: 7},
    {code: 'ended', ...hd, totals}, {code: 'ended', totals: {seconds: 60, reached: 'main'}}, {code: 'ended', totals: {seconds: 60, reached: 'nobody'}}];
  await speak('zh');
  const texts = events.map((one) => eventText({number: 1, sentence: 'x', ...one}));
  await speak('en');
  const over = {code: 'ended', sentence: 'It is over.'};
  const english = endedText({...hd, totals: {...totals, standstills: 8, late: 2195, without_server_seconds: 62}});
  const asks = ["h ended the stream (“no”): see the service's own page for the reason.", "Check the network, and the service's own page.",
    "h refuses: check “Stream key”, and that the broadcast is open on the service's own page.",
    "If it never does, see the service's own page, or ask the operator of the server."].map((sentence) => asking({sentence}));
  const cures = [cureOf({...hd, totals}), cureOf({...hd, totals: {...totals, late: 3}}), cureOf({...hd, size: '640x360', totals}),
    cureOf({totals}), cureOf({...hd, totals: {...totals, frames: 400000}}), cureOf({...hd, totals: {...totals, reached: 'nobody'}})];
  known.isOwn = () => false;
  asks.push(asking({sentence: "See the service's own page."}));
  done([texts, endedText(over), lastEnd([{code: 'started'}, over, {code: 'muted'}]) === over, lastEnd([over, {code: 'started'}]) === undefined,
    ['Name of the box', 'Stream key', 'Time between keyframes', 'Limit'].map((title) => rankOf(title, /^N/.test(title) ? 'name' : 'key')),
    [english, endedText({totals: {seconds: 60, reached: 'main', without_server_seconds: 1}}), endedText({totals: {seconds: 60, reached: 'nobody', counted_seconds: 5}}),
      endedText({...hd, totals: {seconds: 60, reached: 'main', late: 2, dropped: 1}}),
      ...cures], asks]);
});
"""
# What each of these texts has to hold; what stands after a "-", it must not.
CHINESE = [
    ["live.example.org", "1936", "端口不对", "-第一个"], ["live.example.org", "不再有服务器应答", "-第一个", "-端口不对"], ["facebook", "-第一个"],
    ["10 次", "16 秒", "live.example.org", "不再有服务器应答", "-继续尝试"], ["1280×720", "15 帧"],
    ["1280×720", "30 帧", "10 秒内", "36 个", "画质"], ["800 kbit/s", "2,000 kbit/s", "互联网"],
    ["640×360", "10 分钟内", "2,195 个", "最小的画面", "-“画质”"], ["5 分钟没有", "继续尝试"], ["已上传文件 logo.png"], ["已删除文件 logo.png"], ["测试画面停住了"], ["7 秒"],
    ["34 分钟 29 秒", "11 秒没有画面", "1 秒没有声音", "重新连接 1 次", "525", "卡顿", "“画质”"], ["1 分", "没有错过"], ["没有人看到"]]

# The end of a broadcast in English: a long list, nothing, and nobody; and the part of the set-up that helps.
TOLD = [
    "The broadcast has ended after 34 min 29 s. Viewers missed something: no picture for 11 s, no sound for 1 s, "
    "nothing at the server for 1 min 2 s, connected anew once, picture and sound stood still 8 times, stuttering: the box was too slow "
    "(2,195 pieces left out). Next time choose a smaller picture in “Quality”.",
    "The broadcast has ended after 1 min. Viewers missed nothing.",
    "The broadcast has ended after 1 min. OnAir began anew 5 s before the end; no server has taken the stream since.",
    "The broadcast has ended after 1 min. 3 pieces of picture or sound are missing, which hardly shows.", "quality", None, "box", None, None, None]
ASKS = ["h ended the stream (“no”): ask whoever runs the server for the reason.", "Check the network, and ask whoever runs the server.",
        "h refuses: check “Stream key”, and ask whoever runs the server whether it expects a broadcast.",
        "If it never does, ask whoever runs the server.", "See the service's own page."]

# What is recommended after the box was too slow, and the network in Chinese.
FITTING = """
const done = arguments[0];
Promise.all([import('/quality.js'), import('/box.js'), import('/network.js'), import('/words.js'), import('/engineer.js')])
    .then(async ([{recommended}, {box}, {stateText}, {speak}, {changed}]) => {
  const choices = ['640x360', '960x540', '1280x720', '1920x1080'].map((size) => ({size, fps: 30, kbps: 800, fits_line: size !== '1920x1080',
    recommended: size === '1280x720'}));
  const kept = box.events;
  const after = (...events) => (box.events = events, recommended(choices)?.size ?? '');
  const sizes = [after(), after({code: 'picture_reduced', size: '960x540', fps: 30}), after({code: 'frame_budget_missed', size: '960x540', fps: 30}),
    after({code: 'frame_budget_missed', size: '640x360', fps: 30}), after(...['1280x720', '960x540'].map((size) => ({code: 'ended', size, fps: 30, totals: {reached: 'main', late: 200}}))),
    after({code: 'ended', size: '1280x720', fps: 30, totals: {reached: 'nobody', late: 200}}),
    after({code: 'ended', size: '640x360', fps: 30, totals: {reached: 'main', late: 2}}, {code: 'ended', totals: {reached: 'main', late: 200}})];
  box.events = kept;
  await speak('zh');
  const cable = {kind: 'cable', state: 'connected', in_use: true}, radio = {kind: 'wifi', state: 'disconnected'};
  const texts = [{ways: [cable], known: []}, {ways: [{...radio, in_use: true, wifi: 'Home'}], known: []},
    {ways: [{...cable, in_use: false}, radio], known: [], problem: 'No cable, and the box knows no Wi-Fi yet.'},
    {ways: [radio], known: [], problem: 'The password of the Wi-Fi Home is wrong.'}].map(stateText);
  texts.push(changed('Changed settings, on the page: box.name; added relay.a.'));
  await speak('en');
  done([sizes, texts]);
});
"""
FITS = [["1280x720", "960x540", "640x360", "640x360", "640x360", "960x540", "1280x720"],
        ["设备通过网线联网。", "设备通过 Wi-Fi Home 联网。", "没有插网线，还没有保存任何 Wi-Fi。", None, "设置已更改：“设备名称”；添加了转播“a”。"]]

# The keys beside the picture that are shown.
KEYS = """
return [...document.querySelectorAll('.desk .button, .dock .key')].filter((one) => one.checkVisibility())
  .map((one) => one.textContent);
"""

# Names of platforms that are cut or have two lines, and hints with more than two.
BROKEN_TILES = """
return [...document.querySelectorAll('.tile')].filter((one) => one.scrollWidth > one.clientWidth || ['b', 'small'].some((name, lines) => {
  const line = one.querySelector(name);
  return line && line.getBoundingClientRect().height > (1.5 + lines) * parseFloat(getComputedStyle(line).lineHeight);
})).map((one) => one.textContent);
"""

RELAYS = """
return [...document.querySelectorAll('#part-relays li')].map((one) => [one.querySelector('small').textContent,
  one.querySelector('.dot').className]);
"""


class Box:
    """A box whose life the test has in its hands."""

    def __init__(self, options):
        self.options = options
        self.folder = pathlib.Path(options.folder)
        (self.folder / "onair.toml").write_text(
            f'[video]\nsource = "pattern"\nsize = "640x360"\n[audio]\nsource = "tone"\n'
            f'[publish]\nurl = "{options.url}"\nkey = "tRuThKeY"\n')
        self.process = None
        self.feeding = threading.Event()
        self.start()

    def start(self, *settings):
        with open(self.folder / "onair.log", "ab") as log:
            self.process = subprocess.Popen(
                [self.options.onair, "run", "--config", self.folder / "onair.toml", "--set",
                 f"state.directory={self.folder / 'state'}", "--set", f"page.listen=127.0.0.1:{self.options.port}",
                 *[word for one in settings for word in ("--set", one)]],
                stdin=subprocess.PIPE, stdout=log, stderr=log)
        threading.Thread(target=self.pour, args=(self.process.stdin,), daemon=True).start()

    def feed(self, is_on):
        """Whether raw frames are written into the box's standard input."""
        (self.feeding.set if is_on else self.feeding.clear)()

    def pour(self, pipe):
        frame = bytes(640 * 360 * 3 // 2)
        try:
            while True:
                self.feeding.wait()
                pipe.write(frame)
                pipe.flush()
                time.sleep(0.1)
        except (BrokenPipeError, ValueError):
            pass

    def lines(self):
        return (self.folder / "onair.log").read_text().splitlines()

    def signal(self, number):
        os.kill(self.process.pid, number)
        if number in (signal.SIGKILL, signal.SIGINT):
            self.process.wait(60)


class Check:
    def __init__(self, options):
        self.options = options
        self.failures = []
        if options.out:
            pathlib.Path(options.out).mkdir(parents=True, exist_ok=True)

    def expect(self, is_good, text):
        print(("good  " if is_good else "WRONG ") + text, flush=True)
        if not is_good:
            self.failures.append(text)

    def picture(self, person, name):
        if self.options.out:
            person.driver.save_screenshot(str(pathlib.Path(self.options.out) / f"{name}.png"))


def enter(person):
    """The first password, or the login."""
    person.open()
    person.write(".gate input[type=password]", PASSWORD)
    person.tap(".gate .key.go")
    person.find(".desk")


def change(person, check, values):
    reply = fetch(person, "/api/settings", "PATCH", values)
    check.expect("changes" in reply, f"the box is changed: {', '.join(values)}" + ("" if "changes" in reply else str(reply)))


def begin(person):
    person.tap(".key.go.live")


def end(person, witness):
    person.tap(".dock .keys .key:last-child")
    person.tap("dialog .solid")
    witness.until(lambda line: line["key_of_state"] == "off_air")


def normal(person, check, witness):
    """The usual way gives no alarm, and no word that is too early."""
    witness.begin()
    check.expect(witness.now()["key"].endswith("see the test picture and hear the test tone."), "the key says what it does")
    begin(person)
    witness.expect("go live", ["off_air", "connecting", "going_live", "live"],
                   lambda line: line["word"].startswith("Live") == (line["key_of_state"] == "live"))
    witness.table("go live")
    said = "return document.getElementById('said').textContent"
    check.expect(not person.driver.execute_script(said), "nothing of before is announced while live")
    check.expect(eventually(lambda: witness.now()["time"] == witness.now()["word"].split(" ")[-1]), "one clock")
    witness.begin()
    person.tap(".key.go.private")
    witness.expect("pause", ["live", "pausing", "paused"])
    witness.table("paused")
    check.expect("hear nothing" in witness.now()["gets"], f"a pause: {witness.now()['gets']}")
    person.tap(".dock .keys .key:first-child")
    # The silence has to be at the server, too.
    check.expect(witness.until(lambda line: line["key"].startswith("Back to live, still muted") and line["key_of_state"] == "paused"),
                 "still muted")
    check.picture(person, "paused-muted")
    witness.begin()
    person.tap(".key.go.live")
    witness.expect("back, muted", ["paused", "going_live", "live_muted"],
                   lambda line: "hear the" not in line["gets"])
    check.expect("muted" in witness.now()["word"], f"the header tells the mute: {witness.now()['word']}")
    check.picture(person, "muted")
    person.tap(".dock .keys .key:first-child")
    witness.until(lambda line: line["key_of_state"] == "live")
    person.tap(".more summary")
    witness.begin()
    person.tap(".halves .button:first-child", "Picture off")
    witness.expect("the picture is off", ["live", "going_live", "live_video_off"],
                   lambda line: "see the" not in line["gets"] or line["key_of_state"] == "live")
    check.expect(witness.until(lambda line: line["word"].startswith("Live, no picture") and line["colour"] == "muted"),
                 f"the header tells it: {witness.now()}")
    check.picture(person, "picture-off")
    person.tap(".halves .button:last-child", "Sound off")
    check.expect(witness.until(lambda line: line["key_of_state"] == "live_both_off"), "both are off")
    check.expect("see a still and hear nothing" in witness.now()["gets"], f"viewers: {witness.now()['gets']}")
    person.tap(".halves .button:last-child", "Sound on")
    person.tap(".halves .button:first-child", "Picture on")
    check.expect(witness.until(lambda line: line["key_of_state"] == "live"), "and on again")
    person.tap(".more summary")
    witness.begin()
    change(person, check, {"audio.source": "silence"})
    witness.expect("silence is chosen", ["live", "live_silent"])
    check.expect(witness.until(lambda line: line["word"].startswith("Live, no sound") and line["colour"] == "muted"),
                 f"chosen silence is no green: {witness.now()}")
    eventually(lambda: "Mute" not in person.driver.execute_script(KEYS))
    shown = person.driver.execute_script(KEYS)
    check.expect("Mute" not in shown and "Camera and microphone" in shown, f"the way to the microphone, and no Mute: {shown}")
    check.picture(person, "silence")
    change(person, check, {"audio.source": "tone"})
    witness.until(lambda line: line["key_of_state"] == "live")


def new_key(person, check, witness, url):
    """A new key takes the place of the one in the address; who saves it on the air is asked, and is not told of an outage."""
    change(person, check, {"publish.url": f"{url}/oldKeY", "publish.key": ""})
    begin(person)
    witness.until(lambda line: line["key_of_state"] == "live")
    see(person, "setup")
    person.tap("#part-platform .facts + .row .button")
    person.write("#part-platform input[type=password]", "nEwKeY")
    person.tap("#part-platform form .key.go")
    person.find("dialog p", "breaks the broadcast for a moment")
    check.picture(person, "platform-asks")
    person.tap("dialog .button")
    shown = {one["key"]: one for one in fetch(person, "/api/settings")}
    check.expect(not shown["publish.key"]["is_set"], "who says no changes nothing")
    person.tap("#part-platform form .key.go")
    person.tap("dialog .solid")
    person.find("#part-platform .facts", url)
    shown = {one["key"]: one for one in fetch(person, "/api/settings")}
    check.expect(shown["publish.key"]["is_set"] and shown["publish.url"]["value"] == url,
                 f"the new key has taken the place of the old one: {shown['publish.url']['value']}")
    see(person, "broadcast")
    witness.begin()
    check.expect(witness.until(lambda line: line["key_of_state"] == "live"), "the broadcast goes on with the new key")
    said = "return document.querySelector('.desk .next:not(.gets)').textContent"
    told = person.driver.execute_script(said)
    check.expect(told in (witness.texts["live"]["new_address"], ""), f"the person has changed that: {told}")
    check.picture(person, "new-key")
    end(person, witness)
    change(person, check, {"publish.url": None, "publish.key": None})


def first_steps(person, check):
    """The first set-up: every place to send to is on a phone's screen, and the browser's Back goes one step back."""
    change(person, check, {"publish.url": "", "publish.key": ""})
    person.resize(360, 740)
    person.open()
    person.find(".guide .tile[data-platform=own]")
    bottom = person.driver.execute_script(
        "return Math.max(...[...document.querySelectorAll('.tile')].map((one) => one.getBoundingClientRect().bottom))")
    check.expect(bottom <= 740, f"all tiles are on the screen of a phone: {bottom:.0f} of 740")
    check.picture(person, "tiles")
    for width in (360, 320, 1280):
        person.resize(width, 740)
        broken = person.driver.execute_script(BROKEN_TILES)
        check.expect(not broken, f"no name of a tile is broken at {width} px {broken or ''}")
    check.picture(person, "tiles-desk")
    person.resize(360, 740)
    title = person.text(".guide h1")
    person.tap(".tile[data-platform=youtube]")
    person.find(".guide input[type=password]")
    person.driver.back()
    check.expect(person.find(".guide h1", title).is_displayed(), "Back leads from the key to the platform")
    person.tap(".tile[data-platform=own]")
    person.find(".guide input[type=url]")
    person.driver.back()
    person.find(".guide h1", title)
    person.driver.forward()
    check.expect(person.find(".guide input[type=url]").is_displayed(), "and Forward to the key again")
    person.tap(".guide > .row .link:first-child")
    person.find(".guide h1", title)
    person.tap(".tile[data-platform=unsure]")
    person.find(".guide .screen")
    check.expect("dBFS" not in person.text(".guide .meter"), f"the level is told in a word: {person.text('.guide .meter')}")
    person.driver.back()
    check.expect(person.find(".guide h1", title).is_displayed(), "and from the check")
    change(person, check, {"publish.url": None, "publish.key": None})
    person.resize(1280, 900)
    person.open()
    person.find(".desk")


def seconds(text):
    total = 0
    for part in text.split(":"):
        total = 60 * total + int(part)
    return total


def summary(person, check, witness):
    """What viewers missed of the last broadcast is told until it is read, and not while another one is on."""
    shown = "const one = document.querySelector('.ended'); return one.checkVisibility() ? one.querySelector('[role=status]').textContent : ''"
    check.expect(eventually(lambda: "The broadcast has ended after" in person.driver.execute_script(shown)),
                 f"the last broadcast: {person.driver.execute_script(shown)}")
    check.expect("iewers missed" in person.driver.execute_script(shown), "and what viewers missed")
    person.resize(360, 740)
    person.driver.execute_async_script(LONG_END)
    check.expect("2,195" in person.driver.execute_script(shown), f"a long list: {person.driver.execute_script(shown)}")
    cut = person.driver.execute_script("return document.querySelector('.ended').getBoundingClientRect().bottom"
                                       " - document.querySelector('.dock').getBoundingClientRect().top")
    check.expect(cut <= 0, f"it stands whole on a phone: {cut:.0f} px are under the keys")
    check.picture(person, "ended-phone")
    person.resize(1280, 900)
    check.picture(person, "ended")
    begin(person)
    witness.until(lambda line: line["key_of_state"] == "live")
    check.expect(not person.driver.execute_script(shown), "nothing of the last one while another is on")
    end(person, witness)
    check.expect(eventually(lambda: person.driver.execute_script(shown)), "it is told again")
    person.tap(".ended .link")
    check.expect(not person.driver.execute_script(shown), "until it is read")
    person.open()
    person.find(".desk")
    time.sleep(2)
    check.expect(not person.driver.execute_script(shown), "and not told anew")
    witness.begin()


def photo(person, check):
    """Who takes a photo off air is not told that somebody looks."""
    person.driver.execute_script("document.querySelector('.dock .keys a').click()")
    said = set()
    end = time.monotonic() + 12
    while time.monotonic() < end:
        said.add(person.driver.execute_script("return document.querySelector('.watched').textContent"))
        time.sleep(0.2)
    check.expect(said == {""}, f"a photo off air is no news to who takes it: {said}")


def stalled(person, check, witness, box):
    """A source that stops without a word, as a pipe: its still has a state, a sentence, a trouble and an event."""
    def again(*settings):
        box.signal(signal.SIGINT)
        box.start(*settings)

        def answers():
            try:
                person.open()
                return True
            except WebDriverException:
                return False
        eventually(answers)
        person.find(".desk")
        witness.begin()
        witness.until(lambda line: line["key_of_state"] == "off_air")

    again("video.source=pipe")
    box.feed(True)
    begin(person)
    check.expect(witness.until(lambda line: line["key_of_state"] == "live" and line["grade"] == "Good"), "a pipe is live")
    witness.begin()
    box.feed(False)
    seen = witness.texts["view"]["each"].replace("{sees}", witness.texts["seen"]["still"])
    check.expect(witness.until(lambda line: line["key_of_state"] == "no_camera" and seen.split(" and ")[0] in line["gets"]),
                 f"viewers see the still, and that is told: {witness.now()}")
    check.expect(witness.now()["grade"] == "Poor" and witness.now()["colour"] == "red", "it is not good")
    told = "return document.querySelector('.desk .troubles li p')?.textContent ?? ''"
    check.expect(eventually(lambda: person.driver.execute_script(told) == witness.texts["cause"]["pipe_lost"]),
                 f"why: {person.driver.execute_script(told)}")
    check.picture(person, "stalled")
    see(person, "picture")
    reason = person.text(".off-picture")
    check.expect(reason.startswith(witness.texts["state"]["no_camera"]) and witness.texts["cause"]["pipe_lost"] in reason,
                 f"and on the view of the picture: {reason}")
    check.picture(person, "stalled-picture")
    see(person, "broadcast")
    check.expect(eventually(lambda: any("Nothing comes from the pipe" in line and "[code: stalled]" in line
                                        for line in box.lines())), "the log has it")
    box.feed(True)
    check.expect(witness.until(lambda line: line["key_of_state"] == "live"), "the picture is back")
    wrong = [line for line in witness.said() if line["grade"] == "Good" and (line["key_of_state"] != "live" or seen in line["gets"])]
    check.expect(not wrong, f"nothing was good meanwhile {wrong}")
    check.expect(eventually(lambda: any("The picture was missing" in line for line in box.lines())), "and its end")
    end(person, witness)
    box.feed(False)
    again()


def silence(person, check, witness, box):
    """A box that stands still, and one that is killed: grey, no clock, the last known state with its time."""
    def claims_nothing(line):
        is_old = line["key_of_state"] == "live"
        return is_old or (line["colour"] == "grey" and not line["time"] and not line["servers"] and not line["troubles"])
    for name, stop, again in (("stopped", signal.SIGSTOP, lambda: box.signal(signal.SIGCONT)),
                              ("killed", signal.SIGKILL, box.start)):
        before = seconds(witness.now()["time"])
        witness.begin()
        person.driver.execute_async_script(LISTEN)
        box.signal(stop)
        witness.expect(name, ["live", "no_answer"], claims_nothing)
        quiet = person.driver.execute_script("return halfSeconds")
        check.expect(quiet is not None and quiet <= MOST_HALF_SECONDS, f"{name}: told after {quiet} half seconds")
        # It stays so, whatever the page tries meanwhile.
        time.sleep(8)
        witness.expect(f"{name} for long", ["live", "no_answer"], claims_nothing)
        witness.table(name)
        check.expect("Last known, at " in witness.now()["gets"] and "Live" in witness.now()["gets"],
                     f"the last known state: {witness.now()['gets']}")
        check.expect(witness.texts["last"]["lamp"] not in witness.now()["gets"], "no lamp is named that is not there")
        check.picture(person, name)
        witness.begin()
        again()
        # A box that stood still says so, and what that has done to its connection and its picture.
        witness.expect(
            f"{name}, then back",
            ["no_answer", "unsupervised", "not_on_air", "refused", "connecting", "unconfirmed", "weak", "no_camera", "no_microphone",
             "no_inputs", "going_live", "live"],
            ordered=False)
        time.sleep(1)
        witness.until(lambda line: line["key_of_state"] == "live")
        after = seconds(witness.now()["time"])
        check.expect(after > before, f"the time on air counts on: {before} s, then {after} s")
    # The other views have no headline.
    see(person, "engineer")
    witness.begin()
    box.signal(signal.SIGSTOP)
    check.expect(witness.until(lambda line: "does not reach" in line["banner"]), f"a banner: {witness.now()['banner']}")
    check.picture(person, "stopped-engineer")
    box.signal(signal.SIGCONT)
    check.expect(witness.until(lambda line: not line["banner"] and line["colour"] == "green"), "and it is over")
    see(person, "broadcast")


def kept(person, check, witness, box):
    """A pause that is tapped while the box is dead is told to come, and comes, whatever view is asked for meanwhile."""
    box.signal(signal.SIGKILL)
    witness.until(lambda line: line["key_of_state"] == "no_answer")
    person.tap(".key.go.private")
    check.expect(person.find(".dock .problem", "as soon as it answers: Pause").is_displayed(), "a pause is told to come")
    check.picture(person, "kept")
    person.tap(".top nav a[href='#setup']")
    check.expect(person.find("#banner", "The box does not answer").is_displayed(), "a view that is missing is explained")
    check.picture(person, "kept-no-view")
    box.start()
    person.find(".part")
    see(person, "broadcast")
    witness.begin()
    check.expect(witness.until(lambda line: line["key_of_state"] == "paused"), "the pause comes")
    person.tap(".key.go.live")
    witness.until(lambda line: line["key_of_state"] == "live")


def late(person, check, witness, box):
    """A key that is tapped while the box stands still does nothing when it goes on: the person has given up long before."""
    box.signal(signal.SIGSTOP)
    witness.until(lambda line: line["key_of_state"] == "no_answer")
    time.sleep(6)
    begin(person)
    check.expect(person.find(".dock .problem", "not carried out late").is_displayed(), "and says so at once")
    time.sleep(1)
    witness.begin()
    box.signal(signal.SIGCONT)
    witness.until(lambda line: line["key_of_state"] == "off_air")
    time.sleep(2)
    # A box that stood still may say that, too.
    witness.expect("late", ["no_answer", "off_fault", "off_air"], ordered=False)
    check.picture(person, "late")


def on_no_picture(person, check, witness):
    """What is switched on on the picture is not said to be seen by viewers who get nothing, and the view tells why."""
    fetch(person, "/api/overlays", "POST", {"name": "hello", "kind": "text", "text": "Hello"})
    see(person, "picture")
    card = person.find(".layers li", "Hello").text
    check.expect("viewers do not see it" in card, f"what is on, without a server: {card}")
    told = person.text(".off-picture")
    check.expect(told.startswith(witness.texts["state"]["not_on_air"]) and "127.0.0.1" in told, f"and why: {told}")
    check.picture(person, "no-server-picture")
    person.resize(360, 740)
    person.driver.execute_script("scrollTo(0, 0)")
    top = person.driver.execute_script("return document.querySelector('.layers li').getBoundingClientRect().top")
    check.expect(top < 600, f"on a phone the list begins on the screen: at {top:.0f} of 740")
    check.picture(person, "no-server-picture-phone")
    person.resize(1280, 900)
    for kind in ("text", "clock"):
        person.tap(".adds .button", witness.texts["add"][kind])
        if kind == "text":
            person.write(".adding textarea", "Second")
            person.tap(".adding .solid")
        person.find(".layers li", {"text": "Second", "clock": "Clock"}[kind])
    added = {one["name"]: one["enabled"] for one in fetch(person, "/api/overlays")}
    check.expect(added == {"hello": True, "text": False, "clock": False}, f"what is added on the air begins switched off: {added}")
    for name in added:
        fetch(person, f"/api/overlays/{name}", "DELETE")
    see(person, "broadcast")


def without_server(person, check, witness):
    texts = witness.texts["view"]
    nothing = "", texts["none"], texts["nobody"]
    witness.begin()
    change(person, check, {"publish.url": NOWHERE, "publish.key": "k"})
    begin(person)
    witness.expect("without a server", ["off_air", "connecting", "not_on_air"],
                   lambda line: "Live" not in line["word"] and line["gets"] in nothing)
    witness.table("without a server")
    check.expect(witness.until(lambda line: line["troubles"] == 1), "its trouble is told")
    check.picture(person, "no-server")
    on_no_picture(person, check, witness)
    person.tap(".dock .keys .key:last-child")
    check.expect(person.text("dialog p") == texts["nobody"], "no server is told of the end that has no stream")
    person.tap("dialog .button:not(.solid)")
    witness.begin()
    person.tap(".key.go.private")
    witness.expect("paused without a server", ["not_on_air", "paused_not_on_air"])
    check.picture(person, "no-server-paused")


def relay_alone(person, check, witness, box, url):
    nobody = witness.texts["view"]["nobody"]
    if witness.now()["key_of_state"] != "paused_not_on_air":
        person.tap(".key.go.private")
        witness.until(lambda line: line["key_of_state"] == "paused_not_on_air")
    witness.begin()
    change(person, check, {"relay.facebook.url": url, "relay.facebook.key": "rElAyKeY"})
    witness.expect("paused, a relay alone", ["paused_not_on_air", "paused_relays_only"],
                   lambda line: (line["gets"] == nobody) == (line["key_of_state"] == "paused_not_on_air"))
    witness.table("a relay alone, paused")
    check.expect(witness.until(lambda line: any("good: facebook" in one for one in line["servers"])), "a line for the relay")
    check.expect(any("bad" in one for one in witness.now()["servers"]), f"and one for the first: {witness.now()['servers']}")
    witness.begin()
    person.tap(".key.go.live")
    witness.expect("a relay alone", ["paused_relays_only", "relays_only"])
    witness.table("a relay alone")
    check.expect("Viewers of facebook see the test picture" in witness.now()["gets"], witness.now()["gets"])
    check.picture(person, "relay-alone")
    # Without an answer a relay is still set up, and nothing is good.
    see(person, "setup")
    person.find("#part-relays .dot.good")
    box.signal(signal.SIGSTOP)
    check.expect(
        eventually(lambda: person.driver.execute_script(RELAYS) == [["facebook", "dot rests"]]), "a relay of a silent box")
    check.picture(person, "relay-stopped")
    box.signal(signal.SIGCONT)
    person.find("#part-relays .dot.good")
    see(person, "broadcast")
    witness.begin()
    end(person, witness)
    reply = fetch(person, "/api/relays/facebook", "DELETE")
    check.expect(fetch(person, "/api/relays") == [], f"the relay is removed {reply}")


def crowded(person, check, witness):
    """A page that gets no stream, since too many listen, asks for itself: it says so once, and nothing of an answer."""
    busy = witness.texts["banner"]["busy"]
    person.driver.execute_cdp_cmd("Network.enable", {})
    person.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": ["*/api/events*"]})
    person.open()
    check.expect(eventually(lambda: person.driver.execute_script(
        "return document.getElementById('banner').textContent") == busy), "too many pages")
    witness.begin()
    person.driver.execute_script(
        "document.getElementById('said').textContent = ''; window.heard = [];"
        "new MutationObserver(() => heard.push(document.getElementById('said').textContent))"
        ".observe(document.getElementById('said'), {childList: true, subtree: true})")
    time.sleep(8)
    check.expect({one["banner"] for one in witness.said()} == {busy}, "it says so all the time")
    person.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": []})
    check.expect(witness.until(lambda line: not line["banner"]), "until it gets the stream")
    check.expect(not person.driver.execute_script("return heard.filter(Boolean)"), "and nothing is said to have come back")


def without_devices(person, check, witness, url):
    """Before and after the picture was looked at, off the air."""
    change(person, check, {"publish.url": url, "publish.key": "tRuThKeY", **NO_CAMERA})
    for looks in (True, False):
        name = "after a look" if looks else "at once"
        if looks:
            person.tap(".on-picture")
            check.expect(witness.until(lambda line: line["troubles"] == 1), "both are told off the air, too, as one")
        witness.begin()
        begin(person)
        witness.expect(f"without devices, {name}", ["off_air", "connecting", "going_live", "no_camera", "no_inputs"])
        check.expect(witness.until(lambda line: line["troubles"] == 1), f"both are told on the air, {name}")
        witness.table(f"without devices, {name}")
        check.picture(person, f"no-devices-{'looked' if looks else 'at-once'}")
        time.sleep(2)
        first = person.driver.execute_script("return document.querySelector('.desk .troubles li p').textContent")
        check.expect(first == witness.texts["trouble"]["no_inputs"], f"neither camera nor microphone, in one sentence: {first}")
        shown = person.driver.execute_script(KEYS)
        check.expect("Mute" not in shown and any("The room stays private" in one for one in shown),
                     f"no Mute without a microphone, and a pause that promises nothing new: {shown}")
        person.tap(".key.go.private")
        check.expect(witness.until(lambda line: line["key"] == "Back to liveViewers see a still and hear nothing."),
                     f"a resume promises no room: {witness.now()['key']}")
        end(person, witness)
        ended = person.driver.execute_async_script(ENDED)
        check.expect("no picture for" in ended and "no sound for" in ended, f"what viewers missed: {ended}")
    change(person, check, CAMERA)


def gone(person, check, witness, box):
    """Logged out elsewhere, and reset: each in its own words."""
    begin(person)
    witness.until(lambda line: line["key_of_state"] == "live")
    witness.begin()
    person.driver.execute_script("fetch('/api/logout', {method: 'POST'})")
    check.expect(witness.until(lambda line: line["gate"] and "logged out" in line["banner"]), "a log-out is told")
    check.picture(person, "logged-out")
    enter(person)
    witness.begin()
    person.driver.execute_script(RESET, PASSWORD)
    check.expect(witness.until(lambda line: line["gate"] and "has been reset" in line["banner"]), "a reset is told")
    banners = {one["banner"] for one in witness.said()}
    check.expect(banners <= {"", witness.texts["banner"]["reset"]}, f"and nothing else: {banners}")
    witness.table("reset")
    check.picture(person, "reset")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("onair")
    parser.add_argument("folder")
    parser.add_argument("port", type=int)
    parser.add_argument("--url", required=True)
    parser.add_argument("--out")
    check = Check(options := parser.parse_args())
    box = Box(options)
    try:
        base = f"http://127.0.0.1:{options.port}"
        person = Person(base, 1280, 900)
        eventually(lambda: "has no password" in (box.folder / "onair.log").read_text())
        enter(person)
        witness = Witness(person, check)
        witness.begin()
        normal(person, check, witness)
        places.everywhere(check, base, PASSWORD, "well")
        silence(person, check, witness, box)
        kept(person, check, witness, box)
        end(person, witness)
        summary(person, check, witness)
        photo(person, check)
        stalled(person, check, witness, box)
        first_steps(person, check)
        witness.begin()
        new_key(person, check, witness, options.url)
        late(person, check, witness, box)
        without_server(person, check, witness)
        places.everywhere(check, base, PASSWORD, "trouble")
        relay_alone(person, check, witness, box, options.url)
        crowded(person, check, witness)
        missing = person.driver.execute_async_script(MISSING)
        check.expect(missing == "The file is gone.", f"a file is no camera: {missing}")
        words = person.driver.execute_async_script(WORDS)
        check.expect(words == MEANT, f"no heading against its reason: {words}")
        (stopped, *silent), wrong_port, wrong_part, earlier = person.driver.execute_async_script(GONE)
        gone_texts = [witness.texts["trouble"][name].replace("{server}", "live.example.org")
                      .replace("{ask}", witness.texts["trouble"]["ask_own"]) for name in ("stopped", "worked")]
        check.expect(stopped == [gone_texts[0], "", "state.not_on_air"], f"a server that has stopped: {stopped}")
        check.expect(all(one == [gone_texts[1], "", "state.not_on_air"] for one in silent), f"a silent server: {silent}")
        renewals = person.driver.execute_async_script(RENEWALS)
        check.expect(renewals == RENEWED, f"what a new connection means: {renewals}")
        meanings = person.driver.execute_async_script(MEANINGS)
        check.expect(all(meanings), f"settings, devices, a pause, a look, and who to ask: {meanings}")
        fitting = person.driver.execute_async_script(FITTING)
        check.expect(fitting == FITS, f"what fits box and line, and the network in Chinese: {fitting}")
        events, ended, *lasts, ranks, told, asks = person.driver.execute_async_script(EVENTS)
        # A length of time does not break at the end of a line.
        events, told = ([one and one.replace("\u00a0", " ") for one in texts] for texts in (events, told))
        for text, parts in zip(events, CHINESE, strict=True):
            is_right = all((part[1:] not in text) if part[0] == "-" else part in text for part in parts)
            check.expect(is_right and text.count("facebook") <= 1, f"an event in Chinese: {text}")
        check.expect(ended == "It is over." and all(lasts), f"the last broadcast's end: {ended} {lasts}")
        check.expect(told == TOLD, f"what viewers missed, in English: {told}")
        check.expect(asks == ASKS, f"whom to ask about a server of no platform: {asks}")
        check.expect(ranks == [0, 1, 2, 3], f"titles by how well they fit: {ranks}")
        check.expect("live.example.org, port 1936" in wrong_port[0] and wrong_port[1] == "platform", f"a wrong port: {wrong_port}")
        check.expect("“/live”" in wrong_part[0] and earlier is None, f"a wrong application: {wrong_part} {earlier}")
        without_devices(person, check, witness, options.url)
        gone(person, check, witness, box)
        check.expect(not person.complaints(), f"no complaints of the browser {person.complaints()}")
        person.close()
    finally:
        box.process.send_signal(signal.SIGCONT)
        box.process.terminate()
        box.process.wait(60)
    print(f"{len(check.failures)} wrong")
    return bool(check.failures)


if __name__ == "__main__":
    sys.exit(main())
