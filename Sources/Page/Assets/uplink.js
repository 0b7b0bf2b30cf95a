// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The test of the connection to the platform.

import { get, post } from "./api.js";
import { box } from "./box.js";
import { announce, fill, h, toast } from "./dom.js";
import { isBetter, isNow, limitOf, qualityName, qualityNow, rateOf, recommended, take } from "./quality.js";
import { onUndone, setting, videoKbps } from "./settings.js";
import { why } from "./why.js";
import { number, t } from "./words.js";

/** The button, and the result with a bit rate to take over. */
export function uplinkPart(life, done) {
  const button = h("button", { class: "button solid", onclick: test }, t("uplink.test"));
  const result = h("div", { class: "stack", role: "status" });
  const node = h("div", { class: "stack uplink" }, h("h3", null, t("uplink.title")), h("p", { class: "help" }, t("uplink.text")),
    h("div", { class: "row" }, button), result);
  let timer = null;
  let isRunning = false;
  /** The last result. */
  let last = null;

  function show(uplink) {
    const wasRunning = isRunning;
    isRunning = uplink.state === "running";
    last = uplink;
    button.disabled = isRunning || (box.status && box.status.intent.broadcast !== "off");
    if (uplink.state === "running") {
      fill(result, h("p", null, t("uplink.running", { seconds: number(uplink.seconds_left ?? 10) })));
      clearTimeout(timer);
      timer = setTimeout(ask, 1_000);
    } else if (uplink.state === "failed") {
      fill(result, h("p", { class: "problem", lang: "en" }, uplink.sentence || t("error.other")));
    } else if (uplink.state === "done") {
      if (wasRunning) done();
      showResult(uplink);
    } else fill(result, button.disabled && h("p", { class: "help" }, t("refused.on_air")));
  }

  async function showResult(uplink) {
    const { throughput_kbps, recommended_kbps, at_least } = uplink;
    const { choices } = await get("/api/quality").catch(() => ({ choices: [] }));
    if (life.aborted || isRunning) return;
    const isSlow = throughput_kbps < 1_000;
    // A quarter is kept free: lines vary, and keyframes are bursts.
    const carries = throughput_kbps * 0.75 - (setting("audio.bitrate_kbps")?.value ?? 128);
    const isEnough = carries >= videoKbps();
    // A line that is too slow for each of them carries the smallest one at a lower rate.
    const least = choices[0]?.fits_line === false && { ...choices[0], kbps: recommended_kbps, isLow: true };
    const found = recommended(choices) ?? least;
    // Where the platform wants more than the line carries, it gets less than it wants.
    const best = found && rateOf(found) > carries ? { ...found, isLow: true } : found;
    const limit = best && limitOf(best);
    const isHopeless = recommended_kbps >= throughput_kbps;
    const now = choices.find(isNow);
    const button = h("button", { class: "button", onclick: use }, best && t("uplink.use", { quality: qualityName(best) }));
    async function use() {
      button.disabled = true;
      try {
        toast(await take(best));
        show(uplink);
        done();
      } catch (refusal) {
        button.disabled = false;
        button.after(h("p", { class: "problem" }, why(refusal)));
      }
    }
    const verdict = isHopeless ? "uplink.hopeless" : isEnough ? "uplink.enough" : "uplink.too_slow";
    fill(result,
      h("p", { class: "figure" }, at_least && `${t("uplink.at_least")} `, h("b", null, isSlow ? number(throughput_kbps) : number(throughput_kbps / 1_000, 1)),
        isSlow ? " kbit/s" : " Mbit/s"),
      h("p", null, t(verdict, { now: now ? qualityName(now) : qualityNow() })), limit && h("p", null, limit.text),
      best && !isHopeless && !isNow(best)
        && [h("p", null, t(!isEnough ? "uplink.should" : isBetter(best) ? "uplink.more" : "uplink.less")), h("div", { class: "row" }, button)]);
  }

  async function ask() {
    if (life.aborted) return;
    try {
      show(await get("/api/uplink"));
    } catch {
      timer = setTimeout(ask, 3_000);
    }
  }

  async function test() {
    button.disabled = true;
    try {
      show(await post("/api/uplink"));
    } catch (refusal) {
      fill(result, h("p", { class: "problem" }, why(refusal)));
      button.disabled = false;
    }
  }

  ask();
  let wasOff = null;
  box.on("status", ({ intent }) => {
    const isOff = intent.broadcast === "off";
    if (isOff !== wasOff) ask();
    wasOff = isOff;
  }, life);
  onUndone(life, (keys, sentence) => {
    if (!keys.includes("video.bitrate_kbps") && !keys.includes("video.size")) return;
    fill(result, h("p", { class: "problem", lang: "en" }, sentence));
    announce(sentence);
  });
  life.addEventListener("abort", () => clearTimeout(timer));
  /** `paint` compares the last result with a quality that was changed. */
  return { node, paint: () => last?.state === "done" && showResult(last) };
}
