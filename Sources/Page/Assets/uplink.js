// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The test of the connection to the platform.

import { get, post } from "./api.js";
import { box } from "./box.js";
import { announce, fill, h } from "./dom.js";
import { fitting, platformOf } from "./platforms.js";
import { change, onUndone, setting } from "./settings.js";
import { number, t } from "./words.js";

/** The button, and the result with a bit rate to take over. */
export function uplinkPart(life) {
  const button = h("button", { class: "button solid", onclick: test }, t("setup.uplink"));
  const result = h("div", { class: "stack", role: "status" });
  const node = h("div", { class: "stack" }, h("div", { class: "row" }, button), result);
  let timer = null;

  function show(uplink) {
    button.disabled = uplink.state === "running" || (box.status && box.status.intent.broadcast !== "off");
    if (uplink.state === "running") {
      fill(result, h("p", null, t("uplink.running", { seconds: number(uplink.seconds_left ?? 10) })));
      clearTimeout(timer);
      timer = setTimeout(ask, 1_000);
    } else if (uplink.state === "failed") {
      fill(result, h("p", { class: "problem", lang: "en" }, uplink.sentence || t("error.other")));
    } else if (uplink.state === "done") {
      showResult(uplink);
    } else fill(result, button.disabled && h("p", { class: "help" }, t("uplink.on_air")));
  }

  function showResult({ throughput_kbps, recommended_kbps, recommended_size, sentence }) {
    const limit = fitting(platformOf(setting("publish.url")?.value), recommended_kbps);
    // More than the platform takes is refused; less than it wants is all that the network carries.
    const kbps = Math.min(recommended_kbps, limit?.kbps ?? Infinity);
    const isSlow = throughput_kbps < 1_000;
    const take = h("button", { class: "button", onclick: use }, t("uplink.use", { kbps: number(kbps) }));
    async function use() {
      take.disabled = true;
      try {
        await change({ "video.bitrate_kbps": kbps, "video.size": recommended_size });
        fill(result, h("p", { class: "done-text" }, t("form.saved")));
      } catch (refusal) {
        take.after(h("p", { class: "problem" }, refusal.message || t("error.other")));
      }
    }
    fill(result,
      h("p", { class: "figure" }, h("b", null, isSlow ? number(throughput_kbps) : number(throughput_kbps / 1_000, 1)),
        isSlow ? " kbit/s" : " Mbit/s"),
      h("p", { lang: "en" }, sentence), limit && h("p", null, limit.text),
      kbps < throughput_kbps && h("div", { class: "row" }, take));
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
      fill(result, h("p", { class: "problem" }, refusal.message || t("banner.lost_short")));
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
  return node;
}
