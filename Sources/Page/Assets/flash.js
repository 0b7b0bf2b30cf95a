// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// A phone's screen flashes and its speaker beeps, both at the same time: the box tells whether viewers get them far apart.

import { get, post } from "./api.js";
import { fill, h, say } from "./dom.js";
import { countsText, failedText, verdictText } from "./lipsync.js";
import { why } from "./why.js";
import { t } from "./words.js";

const ASK_MS = 500;
/** As the box's own lamp and buzzer: on for so long, at intervals without a pattern. */
const ON_MS = 100;
const [LEAST_MS, MORE_MS] = [700, 600];
/** High enough to be told from voices, and for the speaker of a phone. */
const BEEP_HZ = 3_000;

/** The view: how to hold the phone, and a button that begins. */
export function flashView(life) {
  const result = h("div", { class: "stack", role: "status" });
  const begin = h("button", { type: "button", class: "button solid", onclick: measure }, t("lipsync.phone_begin"));
  const counts = h("p", { role: "status" });
  const screen = h("dialog", { class: "flash", "aria-label": t("lipsync.phone") },
    h("div", { class: "stack" }, h("p", null, t("lipsync.phone_hold")), counts,
      h("button", { type: "button", class: "button", onclick: () => screen.close() }, t("common.cancel"))));
  let sound = null;
  let timer = null;

  /** Lets the speaker beep when the screen is to be lit: at `at` of the page's clock. */
  function beep(at) {
    const late = sound.outputLatency || sound.baseLatency || 0;
    const start = Math.max(sound.currentTime, sound.currentTime + (at - performance.now()) / 1000 - late);
    const tone = new OscillatorNode(sound, { frequency: BEEP_HZ });
    tone.connect(sound.destination);
    tone.start(start);
    tone.stop(start + ON_MS / 1000);
  }

  /** Flashes and beeps until the screen is closed. */
  function flash() {
    let at = performance.now() + LEAST_MS;
    beep(at);
    const frame = (now) => {
      if (!screen.open) return;
      screen.classList.toggle("lit", now >= at && now < at + ON_MS);
      if (now >= at + ON_MS) {
        at += LEAST_MS + Math.random() * MORE_MS;
        beep(at);
      }
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  async function measure() {
    fill(result);
    // A browser lets a page beep only after a tap.
    sound = new AudioContext();
    try {
      await post("/api/lipsync", { by: "phone" });
    } catch (refusal) {
      // Whoever has stopped and begins again goes on with the same measurement.
      const running = refusal.code === "running" && await get("/api/lipsync").catch(() => null);
      if (!running?.by_phone) {
        fill(result, h("p", { class: "problem" }, why(refusal)));
        return end();
      }
    }
    document.body.append(screen);
    screen.showModal();
    flash();
    ask();
  }

  async function ask() {
    const measured = await get("/api/lipsync").catch(() => null);
    if (!screen.open) return;
    if (!measured || measured.state === "running") {
      if (measured) say(counts, countsText(measured));
      timer = setTimeout(ask, ASK_MS);
      return;
    }
    fill(result, measured.state === "done" && measured.by_phone ? verdictText(measured).map((text) => h("p", null, text))
      : h("p", { class: "problem" }, failedText(measured)));
    screen.close();
    begin.focus();
  }

  function end() {
    clearTimeout(timer);
    sound?.close();
    sound = null;
    screen.remove();
  }

  screen.addEventListener("close", end);
  life.addEventListener("abort", () => screen.open && screen.close());
  return h("div", { class: "sound" }, h("section", { class: "stack" }, h("h1", null, t("lipsync.phone")),
    h("p", null, t("lipsync.phone_text")), h("div", { class: "row" }, begin), result,
    h("a", { class: "link", href: "#sound" }, t("lipsync.phone_back"))));
}
