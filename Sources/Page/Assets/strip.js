// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// A channel strip: what is heard of a track, how loud it is, and whether viewers hear it.

import { h, icon, say } from "./dom.js";
import { sayOf } from "./dress.js";
import { slider } from "./layerfields.js";
import { HOLD_MS, share, verdict, zone } from "./meter.js";
import { t } from "./words.js";

/** A fader counts once it has rested for so long: each change is kept by the box. */
const REST_MS = 200;

/** A slider from 0 to 100, where 50 changes nothing. `change` is called with a volume. */
export function fader(label, change) {
  let timer = null;
  const one = slider(label, { low: 0, high: 100, step: 1, unit: "" }, (volume) => volume, (volume) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      timer = null;
      change(volume);
    }, REST_MS);
  });
  return { node: one.node, update: (volume) => timer === null && one.update(volume) };
}

/** A strip. `change` is called with its fields that are to be others; `parts` stand beneath. */
export function strip(change, parts) {
  const name = h("b", null);
  const small = h("small", null);
  const [level, rms] = [h("i", { class: "level" }), h("i", { class: "level rms" })];
  const bar = h("div", { class: "bar", role: "meter", "aria-valuemin": "-60", "aria-valuemax": "0" }, level, rms, zone());
  const mute = h("button", { type: "button", class: "key mute", onclick: () => change({ mute: !mute.classList.contains("muted") }) });
  const volume = fader(t("set.music.volume"), (value) => change({ volume: value }));
  const problem = h("p", { class: "problem", role: "alert" });
  let held = { peak_db: -100, at: 0 };

  return {
    node: h("li", { class: "strip" }, h("div", { class: "row" }, h("div", { class: "grow" }, name, small), mute), problem,
      h("div", { class: "pair" }, bar, volume.node), parts),
    /**
     * Takes the name and the values of the track, what is said of it, and what is wrong. `isOwn`: the page says the latter.
     * `isUnheard`: a mute or a pause of the broadcast silences it already.
     */
    update(title, value, text, wrong, isOwn, isUnheard) {
      const word = t(value.mute ? "live.unmute" : isUnheard ? "sound.keep_muted" : "live.mute");
      if (mute.textContent !== word) mute.replaceChildren(icon(value.mute ? "silent" : "sound"), word);
      mute.setAttribute("aria-label", `${word}: ${title}`);
      mute.classList.toggle("muted", Boolean(value.mute));
      bar.setAttribute("aria-label", title);
      volume.node.querySelector("input").setAttribute("aria-label", `${t("set.music.volume")}: ${title}`);
      volume.update(value.volume);
      say(name, title);
      say(small, text);
      sayOf(problem, wrong, isOwn);
    },
    /** Shows the levels of the last moment; without any there is nothing to measure. */
    level(now = { peak_db: -100, rms_db: -100 }) {
      level.style.transform = `scaleX(${share(now.peak_db)})`;
      rms.style.transform = `scaleX(${share(now.rms_db)})`;
      const at = performance.now();
      if (now.peak_db > held.peak_db || at - held.at > HOLD_MS) held = { peak_db: now.peak_db, at };
    },
    /** Whether there is sound, in a word: how loud it is, the verdict on all sounds tells. */
    word() {
      bar.setAttribute("aria-valuenow", String(Math.max(-60, Math.round(held.peak_db))));
      const text = t(verdict(held.peak_db) === "silent" ? "meter.silent" : "sound.comes");
      bar.setAttribute("aria-valuetext", text);
      return text;
    },
  };
}
