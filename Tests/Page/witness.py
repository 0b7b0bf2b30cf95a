# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the page has said, and when: every change of it, kept by the page itself."""

import json
import pathlib
import time

from steps import WAIT_SECONDS

ASSETS = pathlib.Path(__file__).resolve().parents[2] / "Sources/Page/Assets"

# Keeps what a person reads, at each change. A Chinese headline has marks where a line may end.
WITNESS = """
const read = () => {
  const text = (name) => document.querySelector(name)?.textContent.replace(/\\u200b/g, '') ?? '';
  const shown = (name) => document.querySelector(name)?.checkVisibility() ? text(name) : '';
  return {
    state: shown('.desk .state'), gets: shown('.desk .gets'), grade: shown('.desk .grade'),
    word: shown('.tally span'), colour: document.querySelector('.tally')?.dataset.colour ?? '',
    banner: shown('#banner.shown'), key: shown('.dock .key.go'), gate: shown('.gate h1'),
    troubles: document.querySelectorAll('.desk .troubles li').length,
    servers: [...document.querySelectorAll('.servers li')].map((one) => one.className + ': ' + one.textContent),
    time: document.querySelector('.label .time')?.textContent ?? '', at: Date.now(),
  };
};
window.said = [];
const note = () => {
  const now = read(), before = said.at(-1);
  if (before && JSON.stringify({...now, at: 0}) === JSON.stringify({...before, at: 0})) return;
  said.push(now);
};
new MutationObserver(note).observe(document, {subtree: true, childList: true, characterData: true, attributes: true});
note();
"""


class Witness:
    def __init__(self, person, check, language="en"):
        self.person = person
        self.check = check
        texts = json.loads((ASSETS / f"{language}.json").read_text())
        self.texts = texts
        self.states = {text: key for key, text in texts["state"].items()}
        # In the order in which they are taken away.
        self.also = [texts["state"][key].replace("{sentence}", "") for key in ("and_muted", "and_audio_off", "and_video_off")]
        self.since = 0.0

    def begin(self):
        """Forgets what was said before."""
        self.person.driver.execute_script(WITNESS)
        self.since = time.time()

    def said(self):
        lines = self.person.driver.execute_script("return window.said ?? []")
        for line in lines:
            state = line["state"]
            for suffix in self.also:
                state = state if state in self.states else state.removesuffix(suffix)
            line["key_of_state"] = self.states.get(state, state)
        return lines

    def now(self):
        return self.said()[-1]

    def until(self, condition):
        """Waits until what is said fulfils a condition; whether it did."""
        end = time.monotonic() + WAIT_SECONDS
        while not condition(self.now()):
            if time.monotonic() > end:
                return False
            time.sleep(0.05)
        return True

    def expect(self, name, states, condition=lambda line: True, ordered=True):
        """From `begin` on the page says these states alone, in this order, each or not, and the last one in the end.

        - condition: holds for each line that was said.
        - ordered: whether the order counts.
        """
        reached = self.until(lambda line: line["key_of_state"] == states[-1] and condition(line))
        lines = self.said()
        order = [line["key_of_state"] for line in lines]
        places = [states.index(one) if one in states else -1 for one in order]
        is_ordered = not ordered or places == sorted(places)
        is_true = -1 not in places and is_ordered and all(condition(line) for line in lines)
        told = [one for at, one in enumerate(order) if at == 0 or order[at - 1] != one]
        self.check.expect(reached and is_true, f"{name}: {' → '.join(told)}" + ("" if is_true else f" {lines[-3:]}"))

    def table(self, name):
        """Prints what was said half a second, three and ten seconds after `begin`."""
        lines = self.said()
        for seconds in (0.5, 3, 10):
            line = [one for one in lines if one["at"] <= (self.since + seconds) * 1000][-1:]
            for one in line:
                print(f"      {name}, {seconds:g} s: {one['colour']}, {one['word']} | {one['state']} {one['gets']} "
                      f"| {'; '.join(one['servers'])} | {one['banner']}")
