// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The level meter: of what viewers hear, in dBFS.

import { box } from "./box.js";
import { h, say } from "./dom.js";
import { number, t } from "./words.js";

const FLOOR_DB = -60;
/** The highest level of so long is shown in words: a beep would alternate with silence otherwise. */
export const HOLD_MS = 2_000;
/** Peaks of speech and music that are right. */
const RIGHT_DB = [-24, -6];
const CLIP_MS = 3_000;
/** Without levels for so long there is nothing to show. */
const QUIET_MS = 1_000;

/** The highest level of the last seconds, which a meter that is made anew goes on with. */
const held = { peak: -Infinity, at: -Infinity };
box.on("levels", ({ peak_db: db = -100 }) => {
  const now = performance.now();
  if (db < held.peak && now - held.at <= HOLD_MS) return;
  [held.peak, held.at] = [db, now];
});

/** What a peak level means: "silent", "quiet", "right" or "loud". */
export function verdict(peak, isClipped) {
  if (isClipped) return "loud";
  if (peak <= FLOOR_DB + 5) return "silent";
  return peak < RIGHT_DB[0] ? "quiet" : peak > RIGHT_DB[1] ? "loud" : "right";
}

/** How far along the bar a level is. */
export const share = (db) => Math.max(0, Math.min(1, 1 - db / FLOOR_DB));

export class Meter {
  #fill = h("i", { class: "level" });
  #rms = h("i", { class: "level rms" });
  #hold = h("i", { class: "hold" });
  #word = h("b", null);
  #number = h("small", null);
  #value = h("output", { class: "value" }, this.#word, this.#number);
  #clip = h("span", { class: "clip" });
  #bar = h("div", {
    class: "bar", role: "meter", "aria-label": t("meter.name"), "aria-valuemin": String(FLOOR_DB), "aria-valuemax": "0",
  }, this.#fill, this.#rms, this.#hold, zone(), [-48, -36, -24, -12].map((db) => mark(db)));
  #peak = FLOOR_DB;
  #isBare;
  #clipAt = -Infinity;
  #heard = 0;
  #said = 0;
  node = h("div", { class: "meter" }, this.#bar, this.#value, this.#clip);

  /** The highest level of the last seconds in dBFS. */
  get peak() {
    return this.#peak;
  }

  get isClipped() {
    return performance.now() - this.#clipAt < CLIP_MS;
  }

  /**
   * `isOpen`: whether there is sound to measure. Levels come also while others listen, and for a moment after the end.
   * `isBare`: without a word for how loud it is, where the view has one of its own.
   */
  constructor(life, isOpen, isBare) {
    this.#isBare = isBare;
    this.#show(null);
    box.on("levels", (levels) => this.#show(isOpen() ? levels : null), life);
    const timer = setInterval(() => {
      if (performance.now() - this.#heard > QUIET_MS) this.#show(null);
    }, 500);
    life.addEventListener("abort", () => clearInterval(timer));
  }

  #show(levels) {
    const now = performance.now();
    const db = levels?.peak_db ?? -100;
    if (levels) this.#heard = now;
    this.#peak = levels ? held.peak : FLOOR_DB;
    if (levels?.clipped) this.#clipAt = now;
    const isClipped = this.isClipped;
    this.#fill.style.transform = `scaleX(${share(db)})`;
    this.#rms.style.transform = `scaleX(${share(levels?.rms_db ?? -100)})`;
    this.#hold.style.left = `${share(this.#peak) * 100}%`;
    this.#hold.hidden = this.#peak <= FLOOR_DB;
    this.node.classList.toggle("clipped", isClipped);
    say(this.#clip, isClipped ? t("cause.clipping") : "");
    // Numbers that change ten times a second cannot be read.
    if (now - this.#said < 450 && levels) return;
    this.#said = now;
    // The peak is held: a sound that comes and goes does not alternate with silence.
    const word = levels && !this.#isBare ? t(`meter.${verdict(this.#peak, isClipped)}`) : "";
    const value = levels && this.#peak > FLOOR_DB ? t("meter.value", { db: number(this.#peak) }) : "";
    say(this.#word, word);
    say(this.#number, value);
    this.#bar.setAttribute("aria-valuenow", String(Math.max(FLOOR_DB, Math.round(db))));
    this.#bar.setAttribute("aria-valuetext", `${word} ${value}`.trim() || t(levels ? "meter.silent" : "meter.none"));
  }
}

/** Where peaks should be. */
export function zone() {
  const node = h("span", { class: "zone", title: t("meter.zone") });
  const [from, to] = RIGHT_DB.map(share);
  node.style.left = `${from * 100}%`;
  node.style.width = `${(to - from) * 100}%`;
  return node;
}

function mark(db) {
  const node = h("span", { class: "mark" }, String(db));
  node.style.left = `${share(db) * 100}%`;
  return node;
}
