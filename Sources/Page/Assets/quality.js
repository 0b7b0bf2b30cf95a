// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The quality of the picture: a few sizes, with what this box and its line carry.

import { get } from "./api.js";
import { box } from "./box.js";
import { ask, fill, h, say, toast } from "./dom.js";
import { fitting, platformOf } from "./platforms.js";
import { change, onUndone, setting, videoKbps } from "./settings.js";
import { savedText, why } from "./why.js";
import { number, t } from "./words.js";

/** What the picture is at present, in a few words. */
export function qualityNow() {
  const size = setting("video.size")?.value ?? "";
  return t("quality.facts", { size: size.replace("x", "×"), fps: setting("video.fps")?.value ?? "",
    kbps: number(videoKbps()) });
}

/** What the line has to carry for a bit rate of the picture, in Mbit/s: the sound, and a fifth for bad moments. */
const neededMbit = (kbps) => (kbps + (setting("audio.bitrate_kbps")?.value ?? 128)) * 1.2 / 1_000;

/** The part, and a call that asks anew what box and line carry. */
export function qualityPart(life) {
  const list = h("div", { class: "choices", role: "radiogroup", "aria-label": t("setup.quality") });
  const problem = h("p", { class: "problem", role: "alert" });
  const line = h("p", { class: "help" });
  let choices = [];

  /** What the platform takes in place of a bit rate that it does not take; null for one that it takes. */
  function limitOf({ kbps }) {
    const url = setting("publish.url")?.value;
    return url ? fitting(platformOf(url), kbps) : null;
  }

  const isNow = (one) => setting("video.size")?.value === one.size && setting("video.fps")?.value === one.fps
    && (setting("video.bitrate_kbps")?.value || one.kbps) === (limitOf(one)?.kbps ?? one.kbps);

  function paint() {
    const isOwn = !choices.some(isNow);
    fill(list, choices.map(option), isOwn && row("own", t("quality.own"), qualityNow(), null, true, false));
  }

  function option(one) {
    const isSlow = one.encodes_fps !== undefined && one.encodes_fps < one.fps;
    const tells = isSlow ? "quality.slow_box" : one.fits_line === false ? "quality.slow_line"
      : one.recommended ? "quality.recommended" : isNow(one) ? `origin.${setting("video.size").origin}` : null;
    const facts = t("quality.facts", { size: one.size.replace("x", "×"), fps: one.fps, kbps: number(one.kbps) });
    const needs = t("quality.needs", { facts, mbit: number(neededMbit(one.kbps), 1) });
    return row(one.size, t(`quality.${one.size}`), needs, tells, isNow(one), isSlow, () => choose(one));
  }

  function row(id, name, facts, tells, isOn, isOff, pick) {
    const input = h("input", { type: "radio", name: "quality", value: id, checked: isOn, disabled: isOff && !isOn,
      onchange: pick });
    return h("label", { class: "choice" }, input, h("span", null, h("b", null, name),
      tells && h("span", { class: tells === "quality.recommended" ? "badge" : "badge warns" }, t(tells)),
      h("small", null, facts)));
  }

  async function choose(one) {
    say(problem, "");
    const isOn = box.status && box.status.intent.broadcast !== "off";
    if (isOn && !(await ask(t("quality.live_title"), t("quality.live_text"), t("quality.live_yes"),
      t("common.cancel")))) return paint();
    const limit = limitOf(one);
    try {
      const done = await change({ "video.size": one.size, "video.fps": one.fps, "video.bitrate_kbps": limit?.kbps ?? 0 });
      toast([savedText(done), limit?.text].filter(Boolean).join(" "));
    } catch (refusal) {
      say(problem, why(refusal));
    }
    paint();
    list.querySelector("input:checked")?.focus();
  }

  async function load() {
    try {
      const quality = await get("/api/quality");
      if (life.aborted) return;
      choices = quality.choices;
      say(line, quality.line_kbps ? t("quality.line", { mbit: number(quality.line_kbps / 1_000, 1) })
        : t("quality.no_line"));
      paint();
    } catch {
      // The banner tells when the box is gone.
    }
  }

  load();
  onUndone(life, (keys, sentence) => {
    if (!keys.some((key) => key.startsWith("video."))) return;
    say(problem, sentence);
    paint();
  });
  return { node: h("div", { class: "stack" }, list, line, problem), load };
}
