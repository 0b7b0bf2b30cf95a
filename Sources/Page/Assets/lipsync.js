// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// By how much picture and sound are apart: measured by lamp and buzzer, by hands that clap, or roughly by a phone.

import { get, post } from "./api.js";
import { fill, h, toast } from "./dom.js";
import { change, setting } from "./settings.js";
import { savedText, why } from "./why.js";
import { number, sentences, t, tryWord } from "./words.js";

const ASK_MS = 500;
/** Time for which a result is shown: it may be wrong soon after. */
const RESULT_MS = 60_000;
/** Less than that nobody sees. */
const TOGETHER_MS = 10;
/** What is set. */
const KEY = "audio.delay_ms";

/** What a running measurement has found. */
export const countsText = ({ sounds = 0, flashes = 0, seconds_left: seconds = 0, by_lamp: byLamp, by_phone: byPhone }) => t(
  byLamp || byPhone ? "lipsync.running" : "lipsync.clapping",
  { sounds: number(sounds), flashes: number(flashes), seconds: number(seconds) });

/** Why there is no result. */
export const failedText = ({ cause, sentence }) => tryWord(`lipsync.${cause}`, sentence ?? t("error.other"));

/** What a phone has shown, and what helps. */
export const verdictText = ({ verdict, events }) => [t(`lipsync.phone_${verdict}`, { events: number(events) }),
  verdict !== "together" && t("lipsync.phone_then")].filter(Boolean);

/** The button, what to do meanwhile, and the result with a delay to take over. */
export function lipSyncPart(life) {
  const button = h("button", { type: "button", class: "button", onclick: measure }, t("lipsync.measure"));
  const result = h("div", { class: "stack", role: "status" });
  let timer = null;
  let isRunning = false;

  function show(measured) {
    isRunning = measured.state === "running";
    button.disabled = isRunning;
    clearTimeout(timer);
    if (isRunning) {
      const how = measured.by_phone ? "phone_hold" : measured.by_lamp ? "lamp" : "clap";
      fill(result, h("p", null, t(`lipsync.${how}`)), h("p", { class: "help" }, countsText(measured)));
      timer = setTimeout(ask, ASK_MS);
      return;
    }
    timer = setTimeout(() => fill(result), RESULT_MS);
    if (measured.state === "failed") {
      fill(result, h("p", { class: "problem" }, failedText(measured)));
    } else if (measured.by_phone && measured.verdict) fill(result, h("p", null, sentences(verdictText(measured))));
    else if (measured.state === "done") showResult(measured);
    else fill(result);
  }

  function showResult({ sound_after_ms: after, delay_ms: delay, events }) {
    const apart = Math.round(Math.abs(after));
    const isTogether = apart < TOGETHER_MS;
    const use = h("button", { type: "button", class: "button", onclick: take }, t("lipsync.use", { ms: number(delay) }));
    async function take() {
      use.disabled = true;
      try {
        toast(savedText(await change({ [KEY]: delay })));
        fill(result, h("p", null, t("lipsync.taken", { ms: number(delay) })));
      } catch (refusal) {
        use.disabled = false;
        use.after(h("p", { class: "problem" }, why(refusal)));
      }
    }
    // What was measured before the delay was changed by hand is no advice any more.
    const isAdvice = !isTogether && setting(KEY)?.value !== delay;
    fill(result, h("p", null, t(isTogether ? "lipsync.together" : after > 0 ? "lipsync.late" : "lipsync.early",
      { ms: number(apart), events: number(events) })), isAdvice && h("div", { class: "row" }, use));
  }

  async function ask() {
    if (life.aborted) return;
    try {
      const measured = await get("/api/lipsync");
      // What was found before somebody came here is old.
      if (isRunning || measured.state === "running") show(measured);
    } catch {
      timer = setTimeout(ask, 3_000);
    }
  }

  async function measure() {
    button.disabled = true;
    try {
      show(await post("/api/lipsync"));
    } catch (refusal) {
      fill(result, h("p", { class: "problem" }, why(refusal)));
      button.disabled = false;
    }
  }

  ask();
  life.addEventListener("abort", () => clearTimeout(timer));
  return h("div", { class: "stack lipsync" }, h("h2", null, t("lipsync.title")), h("p", { class: "help" }, t("lipsync.text")),
    h("div", { class: "row" }, button, h("a", { class: "link", href: "#sound/phone" }, t("lipsync.phone"))), result);
}
