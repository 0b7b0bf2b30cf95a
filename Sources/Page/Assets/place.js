// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Where the box records: a stick or a folder, the room that is left, and whether it records each broadcast.

import { post } from "./api.js";
import { box } from "./box.js";
import { h, say, toast } from "./dom.js";
import { sayOf } from "./dress.js";
import { size } from "./media.js";
import { lasting } from "./moments.js";
import { causeOf } from "./record.js";
import { change, load, setting } from "./settings.js";
import { savedText, why } from "./why.js";
import { sentences, t, tryWord } from "./words.js";

/** The part. */
export function placePart(life) {
  const name = h("b", null);
  const room = h("small", null);
  const bar = h("progress", { "aria-label": t("rec.used") });
  const wrong = h("p", { class: "problem", role: "status" });
  const stickText = h("p", { role: "status" });
  const problem = h("p", { class: "problem", role: "alert" });
  const eject = h("button", { type: "button", class: "button", onclick: async () => {
    say(problem, "");
    eject.disabled = true;
    try {
      await post("/api/record/eject");
      await box.refresh();
    } catch (refusal) {
      say(problem, tryWord(`rec.cause_${refusal.code}`, null) ?? why(refusal));
    }
    eject.disabled = false;
  } }, t("rec.eject"));
  const each = h("input", { type: "checkbox", class: "switch-box", role: "switch", onchange: async () => {
    say(problem, "");
    try {
      toast(savedText(await change({ "record.start": each.checked ? "broadcast" : "hand" })));
    } catch (refusal) {
      say(problem, why(refusal));
    }
    update();
  } });
  const eachText = h("span", null);
  const eachLine = h("label", { class: "switch-line" }, each, eachText);
  const node = h("div", { class: "place" }, h("div", { class: "row" }, h("div", { class: "grow" }, name, room), eject), bar, stickText, wrong, problem, eachLine);

  /** What a person has to know of the stick: a text, and whether it is the page's own. */
  function told({ state, problem: cause, speed, read_only: isReadOnly, sentence }) {
    if (state === "unusable" || cause === "busy") return [tryWord(`rec.stick_${cause}`, null) ?? sentence, Boolean(tryWord(`rec.stick_${cause}`, null))];
    if (/^(checking|removing|removed)$/.test(state)) return [t(`rec.stick_${state}`), true];
    if (isReadOnly) return [t("rec.stick_read_only"), true];
    return /^(slow|stalls|fake)$/.test(speed) ? [t(`rec.stick_${speed}`), true] : ["", true];
  }

  function update() {
    const { record } = box.status ?? {};
    const start = setting("record.start")?.value;
    eachLine.hidden = start === undefined;
    each.checked = start !== "hand";
    each.disabled = start === "always";
    say(eachText, t(start === "always" ? "rec.always" : "rec.each"));
    node.hidden = !record;
    if (!record) return;
    const { place, directory, stick, free_bytes: free, total_bytes: total, room_seconds: left, room_low: isLow } = record;
    const label = stick && (stick.label ? t("rec.stick_named", { name: stick.label }) : t("rec.stick"));
    const isGone = stick?.state === "removed";
    say(name, place === "stick" ? label ?? t("rec.stick") : place === "folder" ? t("rec.folder", { path: directory ?? "" }) : isGone ? label : t("rec.no_place"));
    const isKnown = place !== "none" && free !== undefined && total;
    say(room, isKnown ? sentences([left !== undefined && t(isLow ? "rec.room_low_text" : "rec.room_text", { time: lasting(left) }),
      t("rec.free", { free: size(free), total: size(total) })]) : place === "none" && !stick ? t("rec.no_place_text") : "");
    bar.hidden = !isKnown;
    bar.max = total || 1;
    bar.value = isKnown ? total - free : 0;
    eject.hidden = !stick || !/^(ready|removing)$/.test(stick.state);
    const [text, isOwn] = stick ? told(stick) : ["", true];
    sayOf(stickText, text, isOwn);
    stickText.classList.toggle("problem", Boolean(stick) && !/^(checking|removing|removed)$/.test(stick.state));
    const [cause, isOwnCause] = causeOf(record);
    // What is wrong with the stick, or that there is none, is told already.
    sayOf(wrong, record.cause === "no_place" || text && stick?.state !== "ready" ? "" : cause, isOwnCause);
  }

  for (const one of ["status", "link"]) box.on(one, update, life);
  box.on("event", async (event) => {
    if (!/^settings_/.test(event.code) || !box.isNew(event)) return;
    await load(true).catch(() => {});
    update();
  }, life);
  update();
  return node;
}
