// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The quality of the picture: a few sizes, with what this box and its line carry.

import { get } from "./api.js";
import { box } from "./box.js";
import { ask, fill, h, say, toast } from "./dom.js";
import { fitting, platformOf } from "./platforms.js";
import { wasTooSlow } from "./missed.js";
import { change, onUndone, setting, videoKbps } from "./settings.js";
import { savedText, why } from "./why.js";
import { number, sentences, t } from "./words.js";

/** A size with its frame rate and bit rate, in a few words. */
const factsOf = ({ size, fps, kbps }) => t("quality.facts", { size: size.replace("x", "×"), fps, kbps: number(kbps) });

/** What the picture is at present, in a few words. */
export const qualityNow = () => factsOf({ size: setting("video.size")?.value ?? "", fps: setting("video.fps")?.value ?? "",
  kbps: videoKbps() });

/** The bit rate that a choice sets: that of the platform, where it does not take the other. */
export const rateOf = (one) => (one.isLow ? Math.min(one.kbps, limitOf(one)?.kbps ?? Infinity) : limitOf(one)?.kbps ?? one.kbps);

/** A choice in a few words: “HD (1280×720, …)”. */
export const qualityName = (one) => t("quality.named", { name: t(`quality.${one.size}`), facts: factsOf({ ...one, kbps: rateOf(one) }) });

/** What the line has to carry for a bit rate of the picture, in Mbit/s: the sound, too, in three quarters of it, as Quality.swift has it. */
const neededMbit = (kbps) => (kbps + (setting("audio.bitrate_kbps")?.value ?? 128)) / 0.75 / 1_000;

/** Pixels a second. */
const load = ({ size, fps }) => size.split("x").reduce((area, side) => area * side, fps);

/** Whether the box has been too slow for such a picture since it was started: it has dropped some, or sent less. */
const wasSlow = (one) => box.events.some((event) => event.code === "frame_budget_missed" && load(one) >= load(event)
  || event.code === "picture_reduced" && load(one) > load(event) || event.code === "ended" && wasTooSlow(event) && load(one) >= load(event));

/** The choice for this box and its line, of those that the box tells; undefined if none fits. Nothing is smaller than the first. */
export function recommended(choices) {
  const most = choices.findIndex((one) => one.recommended);
  return choices.slice(0, most + 1).findLast((one) => one.fits_line !== false && (one === choices[0] || !wasSlow(one)));
}

/** What the platform takes in place of a bit rate that it does not take; null for one that it takes. */
export function limitOf({ kbps }) {
  const url = setting("publish.url")?.value;
  return url ? fitting(platformOf(url), kbps) : null;
}

/** Whether a choice is what the settings have. */
export const isNow = (one) => setting("video.size")?.value === one.size && setting("video.fps")?.value === one.fps
  && videoKbps() === rateOf(one);

/** Whether a choice is a better picture than that of the settings. */
export function isBetter(one) {
  const more = load(one) - load({ size: setting("video.size").value, fps: setting("video.fps").value });
  return more > 0 || more === 0 && rateOf(one) > videoKbps();
}

/** Takes a choice, of which `isLow` is one with a bit rate of its own. Resolves to what there is to say of it. */
export async function take(one) {
  const limit = limitOf(one);
  const done = await change({ "video.size": one.size, "video.fps": one.fps, "video.bitrate_kbps": one.isLow || limit ? rateOf(one) : 0 });
  return sentences([savedText(done), limit?.text]);
}

/** The part, and a call that asks anew what box and line carry. */
export function qualityPart(life) {
  const list = h("div", { class: "choices", role: "radiogroup", "aria-label": t("setup.quality") });
  const problem = h("p", { class: "problem", role: "alert" });
  const line = h("p", { class: "help" });
  let choices = [];
  let isLineUnknown = false;

  function paint() {
    const isOwn = !choices.some(isNow);
    fill(list, choices.map(option), isOwn && row("own", t("quality.own"), qualityNow(), true, false));
  }

  function option(one) {
    const isSlow = one.encodes_fps !== undefined && one.encodes_fps < one.fps;
    const wasTooMuch = wasSlow(one);
    const warnings = [isSlow ? "quality.slow_box" : wasTooMuch && "quality.was_slow",
      one.fits_line === false && (isLineUnknown ? "quality.untested" : "quality.slow_line")].filter(Boolean);
    const isBest = !isSlow && !wasTooMuch && one === recommended(choices);
    const kbps = rateOf(one);
    const needs = t("quality.needs", { facts: factsOf({ ...one, kbps }), mbit: number(neededMbit(kbps), 1) });
    return row(one.size, t(`quality.${one.size}`), needs, isNow(one), isSlow, () => choose(one),
      isBest && h("span", { class: "badge" }, t("quality.recommended")),
      warnings.map((one) => h("span", { class: "badge warns" }, t(one))));
  }

  function row(id, name, facts, isOn, isOff, pick, ...badges) {
    const input = h("input", { type: "radio", name: "quality", value: id, checked: isOn, disabled: isOff && !isOn,
      onchange: pick });
    return h("label", { class: "choice" }, input, h("span", null, h("b", null, name), ...badges, h("small", null, facts)));
  }

  async function choose(one) {
    say(problem, "");
    const isOn = box.status && box.status.intent.broadcast !== "off";
    if (isOn && !(await ask(t("quality.live_title"), t("quality.live_text"), t("quality.live_yes"),
      t("common.cancel")))) return paint();
    try {
      toast(await take(one));
    } catch (refusal) {
      say(problem, why(refusal));
    }
    paint();
    list.querySelector("input:checked")?.focus();
  }

  async function look() {
    try {
      const [quality, uplink] = await Promise.all(["/api/quality", "/api/uplink"].map(get));
      if (life.aborted) return;
      choices = quality.choices;
      // The test tries no more than about twice what the present picture needs.
      isLineUnknown = Boolean(uplink.at_least);
      say(line, quality.line_kbps ? "" : t("quality.no_line"));
      paint();
    } catch {
      // The banner tells when the box is gone.
    }
  }

  look();
  onUndone(life, (keys, sentence) => {
    if (!keys.some((key) => key.startsWith("video."))) return;
    say(problem, sentence);
    paint();
  });
  return { node: h("div", { class: "stack" }, list, line, problem), load: look, paint };
}
