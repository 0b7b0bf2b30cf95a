// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// How loud the sound is: the level beside the slider that changes it.

import { box } from "./box.js";
import { h, say, toast } from "./dom.js";
import { Meter, verdict } from "./meter.js";
import { change, load, onUndone, setting } from "./settings.js";
import { savedText, why } from "./why.js";
import { number, t } from "./words.js";

const KEY = "audio.gain_db";
/** Of the slider; more is possible among all settings. */
const [LEAST_DB, MOST_DB] = [-20, 30];
const SAVE_AFTER_MS = 500;
/** A verdict stands for so long, so that it can be read. */
const VERDICT_MS = 2_000;

/** The part. `screen`: the monitor, which opens camera and microphone, so that there is a level. */
export function loudnessPart(life, screen) {
  const meter = new Meter(life, screen.isOpen);
  const word = h("b", { role: "status" });
  const value = h("output", { class: "value" });
  const problem = h("p", { class: "problem", role: "alert" });
  const listen = h("button", { class: "button", type: "button", onclick: () => {
    screen.open();
    // The key goes when there is a level.
    slider.focus({ preventScroll: true });
  } }, t("loudness.listen"));
  const slider = h("input", { type: "range", min: LEAST_DB, max: MOST_DB, step: "0.5",
    "aria-label": t("set.audio.gain_db"), oninput: move });
  let [timer, told, heard] = [null, 0, 0];

  const show = (db) => {
    slider.value = db;
    say(value, `${db > 0 ? "+" : ""}${number(db, db % 1 ? 1 : 0)} dB`);
    slider.setAttribute("aria-valuetext", value.textContent);
  };

  function move() {
    show(Number(slider.value));
    clearTimeout(timer);
    timer = setTimeout(save, SAVE_AFTER_MS);
  }

  async function save() {
    say(problem, "");
    try {
      toast(savedText(await change({ [KEY]: Number(slider.value) })));
    } catch (refusal) {
      say(problem, why(refusal));
      show(setting(KEY)?.value ?? 0);
    }
  }

  box.on("levels", () => {
    if (!screen.isOpen()) return;
    const now = performance.now();
    heard = now;
    listen.hidden = true;
    if (now - told < VERDICT_MS) return;
    told = now;
    say(word, t(`loudness.${verdict(meter.peak, meter.isClipped)}`));
  }, life);
  const idle = setInterval(() => {
    const isQuiet = performance.now() - heard > 1_500;
    listen.hidden = !isQuiet;
    if (isQuiet) say(word, "");
  }, 500);
  life.addEventListener("abort", () => clearInterval(idle));
  show(setting(KEY)?.value ?? 0);
  // It may be changed among all settings, or by others. What a finger is moving stays.
  box.on("event", async (event) => {
    if (event.code !== "settings_changed" || !box.isNew(event)) return;
    await load(true).catch(() => {});
    if (!life.aborted && document.activeElement !== slider) show(setting(KEY)?.value ?? 0);
  }, life);
  onUndone(life, (keys, sentence) => {
    if (!keys.includes(KEY)) return;
    show(setting(KEY)?.value ?? 0);
    say(problem, sentence);
  });
  return h("div", { class: "stack loudness" }, h("div", { class: "monitor" }, meter.node),
    h("div", { class: "row" }, listen, word),
    h("label", { class: "gain" }, h("span", null, t("loudness.softer")), slider,
      h("span", null, t("loudness.louder")), value), problem);
}
