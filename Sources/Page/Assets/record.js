// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The recording on the broadcast's view: its keys, and the sign that it goes on off the air, which each view shows.

import { post } from "./api.js";
import { box } from "./box.js";
import { ask, h, say, toast } from "./dom.js";
import { dressed } from "./dress.js";
import { lasting } from "./moments.js";
import { why } from "./why.js";
import { clock, listed, loadWordsOf, t, tryWord } from "./words.js";

/** What is recorded now, or was to be. */
export const isOn = (record) => Boolean(record) && record.state !== "off";

/** Seconds of the recording, which go on between two statuses; null while nothing is recorded. */
export function recordedSeconds() {
  const { state, seconds } = box.status?.record ?? {};
  if (seconds === undefined || box.link === "lost") return null;
  return seconds + (state === "recording" ? box.sinceStatus() : 0);
}

/** Why it cannot record, in the page's words or else the box's: the text, and whether it is the page's. */
export function causeOf({ cause, sentence }) {
  const own = tryWord(`rec.cause_${cause}`, null);
  return [cause ? own ?? sentence : "", own !== null];
}

/** Gives a command of the recording; shows in `problem` why that is refused. Returns whether it is done. */
async function give(path, problem) {
  say(problem, "");
  try {
    await post(path);
    box.refresh();
    return true;
  } catch (refusal) {
    say(problem, tryWord(`rec.cause_${refusal.code}`, null) ?? why(refusal));
    return false;
  }
}

/**
 * The keys that record, end that and set a mark, with what is recorded. `hasPlace`: the view tells where, and why not, so that
 * the keys need not.
 */
export function recordKeys(page, life, hasPlace) {
  const problem = h("p", { class: "problem", role: "alert" });
  const lamp = h("i", { class: "rec-dot" });
  const text = h("span", null);
  const more = h("small", null);
  const begin = h("button", { type: "button", class: "button", onclick: () => start() }, h("i", { class: "rec-dot" }), t("rec.start"));
  const stop = h("button", { type: "button", class: "button", onclick: async () => await give("/api/record/stop", problem) && toast(t("rec.stopped")) }, t("rec.stop"));
  const mark = h("button", { type: "button", class: "button", onclick: async () => await give("/api/record/mark", problem) && toast(t("rec.marked")) }, t("rec.mark"));
  const line = h("p", { class: "rec-line" }, lamp, h("span", null, text, " ", more));
  const node = h(hasPlace ? "div" : "section", { class: "recorder", "aria-label": !hasPlace && t("nav.recordings") }, line, h("div", { class: "row" }, begin, mark, stop), problem);

  async function start() {
    const isOff = box.status?.intent.broadcast === "off";
    if (!isOff || await ask(t("rec.off_title"), t("rec.off_text"), t("rec.start"), t("common.cancel"))) give("/api/record/start", problem);
  }

  function update() {
    const { record } = box.status ?? {};
    // Where nothing can be recorded, the view of the recordings tells why.
    node.hidden = !record || !hasPlace && record.place === "none" && !isOn(record) || box.link === "lost";
    if (node.hidden) return;
    const { state, room_seconds: room, room_low: isLow, gaps } = record;
    const [cause, isOwn] = causeOf(record);
    const seconds = recordedSeconds();
    const isRunning = isOn(record);
    line.hidden = !isRunning && !isLow;
    lamp.hidden = !isRunning;
    line.classList.toggle("runs", state === "recording");
    say(text, isRunning ? t(`rec.state_${state}`, { time: seconds === null ? "" : clock(seconds) }).trim() : "");
    say(more, listed([gaps > 0 && t("rec.gaps", { count: gaps }), room !== undefined && t(isLow ? "rec.room_low" : "rec.room", { time: lasting(room) })]));
    // Who only operates opens no camera off the air.
    begin.hidden = isRunning || page.session.scope === "operate" && box.status.intent.broadcast === "off";
    begin.disabled = record.place === "none";
    stop.hidden = !isRunning;
    mark.hidden = state !== "recording";
    if (cause && !hasPlace) {
      say(problem, cause);
      problem.lang = isOwn ? "" : "en";
      problem.dataset.told = "";
    } else if ("told" in problem.dataset) {
      say(problem, "");
      delete problem.dataset.told;
    }
  }

  for (const name of ["status", "tick", "link"]) box.on(name, update, life);
  update();
  return node;
}

/** The part of the broadcast's view: one node. */
export async function part(page, life) {
  await ready();
  return [recordKeys(page, life)];
}

const ready = () => Promise.all([loadWordsOf("recordings"), dressed("recordings.css")]);

/** Says above all views that it is recorded off the air: the camera is open. */
export async function signal() {
  await ready();
  const text = h("span", { role: "status" });
  const time = h("span", null);
  const problem = h("span", { role: "alert" });
  const stop = h("button", { type: "button", class: "button", onclick: () => give("/api/record/stop", problem) });
  const node = h("section", { class: "rec-sign", hidden: true }, h("i", { class: "rec-dot" }), h("p", null, text, " ", time, " ", problem), stop);
  const update = () => {
    const { record } = box.status ?? {};
    node.hidden = !record?.off_air || box.link === "lost";
    if (node.hidden) return;
    const seconds = recordedSeconds();
    node.setAttribute("aria-label", t("rec.sign_name"));
    say(text, t("rec.sign"));
    say(time, seconds === null ? "" : clock(seconds));
    say(stop, t("rec.sign_stop"));
    stop.setAttribute("aria-label", t("rec.stop"));
  };
  for (const name of ["status", "tick", "link"]) box.on(name, update);
  update();
  document.querySelector(".head").append(node);
}
