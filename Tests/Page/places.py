# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later

"""What has to be on the screen at every size: the privacy key, the other keys, and the state."""

import time

from steps import Person, see

# Phones, upright and on their side, tablets and computers.
SIZES = [(320, 568), (568, 320), (360, 740), (740, 360), (412, 915), (915, 412), (768, 1024), (1024, 768), (1280, 800),
         (800, 1280)]

# What is wrong with the places of things; [] if nothing is.
PLACES = """
const wrong = [], high = innerHeight, wide = innerWidth;
const isTop = (node, name) => {
  if (!node?.checkVisibility()) return void wrong.push(name + ' is not there');
  const box = node.getBoundingClientRect();
  const at = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  if (!node.contains(at)) wrong.push(name + ' is covered or off the screen');
  if (box.top < -0.5 || box.bottom > high + 0.5 || box.left < -0.5 || box.right > wide + 0.5) wrong.push(name + ' is cut');
  for (const y of [box.top + 3, box.bottom - 3]) {
    if (!node.contains(document.elementFromPoint(box.x + box.width / 2, y))) wrong.push(name + ' is half covered');
  }
};
for (const down of [0, document.documentElement.scrollHeight]) {
  scrollTo(0, down);
  isTop(document.querySelector('.tally'), 'the state in the header, scrolled to ' + down);
  if (document.body.dataset.view !== 'broadcast') continue;
  isTop(document.querySelector('.key.go.private'), 'Pause, scrolled to ' + down);
  document.querySelectorAll('.dock .keys .key').forEach((key) => isTop(key, key.textContent + ', scrolled to ' + down));
}
scrollTo(0, 0);
const screen = document.querySelector('.screen')?.getBoundingClientRect();
if (screen && wide < 960 && screen.height > high / 2 + 1) wrong.push('the picture is higher than half of the screen');
const dock = document.querySelector('.dock')?.getBoundingClientRect();
if (screen?.height && wide >= 360 && dock && screen.top > dock.top - 40) wrong.push('the picture is below the fold');
for (const one of document.querySelectorAll('.troubles .button + .button')) {
  const [before, after] = [one.previousElementSibling, one].map((button) => button.getBoundingClientRect());
  const isBeside = after.top < before.bottom;
  if (isBeside && (after.left - before.right < 4 || after.top !== before.top)) wrong.push('two buttons touch, or are askew');
}
const left = document.documentElement.scrollWidth - wide;
if (left > 0) wrong.push(left + ' px too wide');
return wrong;
"""

# Whether a line of the headline ends within a word.
BROKEN = """
const node = document.querySelector('.desk .state'), text = node.firstChild, wrong = [];
const range = document.createRange();
const top = (at) => { range.setStart(text, at); range.setEnd(text, at + 1); return range.getBoundingClientRect().top; };
let at = 0;
for (const { segment, isWordLike } of new Intl.Segmenter('zh', {granularity: 'word'}).segment(text.data)) {
  if (isWordLike && Math.abs(top(at) - top(at + segment.length - 1)) > 4) wrong.push(segment);
  at += segment.length;
}
return wrong;
"""


def everywhere(check, base, password, name):
    """Each size in both languages; live, or wanted live with a trouble."""
    for language in ("en", "zh"):
        person = Person(base, *SIZES[0], language)
        person.open()
        person.write(".gate input[type=password]", password)
        person.tap(".gate .key.go")
        person.find(".desk")
        for view in ("broadcast", "setup", "engineer"):
            see(person, view)
            wrong = []
            for width, height in SIZES:
                person.resize(width, height)
                if view == "broadcast":
                    person.find(".key.go")
                    if person.driver.find_elements("css selector", ".key.go.live"):
                        person.tap(".key.go.live")
                        person.find(".key.go.private")
                time.sleep(0.2)
                found = person.driver.execute_script(PLACES)
                wrong += [f"{width}x{height}: {one}" for one in found]
                if view == "broadcast":
                    check.picture(person, f"place-{name}-{width}x{height}-{language}")
                    broken = person.driver.execute_script(BROKEN) if language == "zh" else []
                    wrong += [f"{width}x{height}: a line ends within {one}" for one in broken]
                elif (width, height) in (SIZES[2], SIZES[3]):
                    check.picture(person, f"place-{view}-{name}-{width}x{height}-{language}")
            check.expect(not wrong, f"{name}, {language}, {view}: all in its place in {len(SIZES)} sizes {wrong or ''}")
        complaints = person.complaints()
        check.expect(not complaints, f"no complaints of the browser {complaints}")
        person.close()
