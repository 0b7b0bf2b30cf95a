// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The test of the connection to the platform.

import { get, post } from "./api.js";
import { box } from "./box.js";
import { fill, h } from "./dom.js";
import { change } from "./settings.js";
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
      const take = uplink.recommended_kbps && h("button", { class: "button", onclick: use }, t("uplink.use",
        { kbps: number(uplink.recommended_kbps) }));
      fill(result,
        h("p", { class: "figure" }, h("b", null, number(uplink.throughput_kbps / 1000, 1)), " Mbit/s"),
        h("p", null, t("uplink.advice", { kbps: number(uplink.recommended_kbps),
          size: uplink.recommended_size ?? "" })),
        take && h("div", { class: "row" }, take));
      async function use() {
        take.disabled = true;
        try {
          const changes = { "video.bitrate_kbps": uplink.recommended_kbps };
          if (uplink.recommended_size) changes["video.size"] = uplink.recommended_size;
          await change(changes);
          fill(result, h("p", { class: "done-text" }, t("form.saved")));
        } catch (refusal) {
          take.after(h("p", { class: "problem" }, refusal.message || t("error.other")));
        }
      }
    } else fill(result, button.disabled && h("p", { class: "help" }, t("uplink.on_air")));
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
  life.addEventListener("abort", () => clearTimeout(timer));
  return { node };
}
