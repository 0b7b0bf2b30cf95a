// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The schedule on the broadcast's view: what is next, and when the broadcast ends by itself.

import { post } from "./api.js";
import { box } from "./box.js";
import { ask, h, say, toast } from "./dom.js";
import { dressed, sayOf } from "./dress.js";
import { away, boxTime, hour, span, zoneOf } from "./moments.js";
import { why } from "./why.js";
import { loadWordsOf, t, tryWord } from "./words.js";

/** Minutes that a tap adds. */
const MORE_MINUTES = 15;
/** What begins within this time can be left out where the broadcast is seen. */
const SOON_MS = 15 * 60_000;

/** Does something to the schedule; shows in `problem` why that is refused. */
async function give(body, problem, done) {
  say(problem, "");
  try {
    await body();
    await box.refresh();
    toast(done);
  } catch (refusal) {
    say(problem, tryWord(`sched.refused_${refusal.code}`, null) ?? why(refusal));
  }
}

/** Lets the broadcast of the schedule go on for longer. */
export const extend = (problem) =>
  give(() => post("/api/schedule/extend", { minutes: MORE_MINUTES }), problem, t("sched.extended"));

/** Leaves an occurrence out, or takes that back. */
export const skip = ({ id, skipped }, problem) => give(() => post("/api/schedule/skip", { id, undo: skipped }), problem,
  t(skipped ? "sched.unskipped" : "sched.skipped"));

/** Ends the broadcast before its time. */
export async function endNow(problem) {
  if (await ask(t("live.end_title"), t("sched.end_text"), t("live.end_yes"), t("common.cancel"))) {
    give(() => box.command("stop"), problem, t("sched.ended"));
  }
}

/** When it ends by itself, in a sentence. */
export const endText = ({ running, ends_at: ends, forgotten: isForgotten }) =>
  t(isForgotten ? "sched.forgotten" : "sched.ends", { time: hour(ends, running?.zone) });

/** How soon that is, and by how much later than planned. */
export const endNote = ({ ends_at: ends, extended_minutes: minutes }) =>
  [away(ends), minutes > 0 && t("sched.later", { minutes })].filter(Boolean).join(" · ");

/** What is wrong: a text, and whether it is the page's own. */
export function wrongOf({ clock_set: isSet, test, test_sentence: sentence }) {
  if (!isSet) return [t("sched.no_clock"), true];
  return test === "failed" ? [sentence || t("sched.test_failed"), !sentence] : ["", true];
}

/** The parts of the broadcast's view: the list of what is next, and what stands with the keys five minutes before the end. */
export async function part(page, life) {
  await Promise.all([loadWordsOf("schedule"), dressed("schedule.css")]);
  const problem = h("p", { class: "problem", role: "alert" });
  const wrong = h("p", { class: "problem", role: "status" });
  const text = h("b", null);
  const note = h("small", null);
  const more = h("button", { type: "button", class: "button", onclick: () => extend(problem) }, t("sched.extend"));
  const leave = h("button", { type: "button", class: "button", onclick: () => skip(box.status.schedule.next, problem) }, t("sched.skip"));
  const link = h("a", { class: "link", href: "#schedule", hidden: page.session.scope === "operate" }, t("nav.schedule"));
  const node = h("section", { class: "due", "aria-label": t("nav.schedule") }, h("p", null, text, note), wrong, problem, h("div", { class: "row" }, more, leave, link));
  const warned = h("span", { role: "alert" });
  const left = h("small", null);
  const longer = h("button", { type: "button", class: "button solid", onclick: () => extend(problem) }, t("sched.longer"));
  const warning = h("div", { class: "row due-warning", hidden: true }, h("p", null, warned, left), longer);

  function update() {
    const { schedule, intent } = box.status ?? {};
    const isLost = box.link === "lost";
    const isOn = intent?.broadcast !== "off";
    const ends = schedule?.ends_at && isOn;
    const next = schedule && !ends && schedule.next;
    warning.hidden = isLost || !ends || !schedule.warning;
    const [told, isOwn] = schedule ? wrongOf(schedule) : ["", true];
    node.hidden = isLost || !ends && !next && !told || !warning.hidden && !problem.textContent;
    if (!warning.hidden) {
      say(warned, endText(schedule));
      say(left, endNote(schedule));
      longer.hidden = Boolean(schedule.forgotten) || !schedule.running;
    }
    if (node.hidden) return;
    sayOf(wrong, told, isOwn);
    say(text, ends ? endText(schedule) : next ? t("sched.begins", { away: away(next.begins_at) }) : "");
    say(note, ends ? endNote(schedule) : next ? [span(next), zoneOf(next), next.name].filter(Boolean).join(" · ") : "");
    more.hidden = !ends || !schedule.running || !warning.hidden;
    leave.hidden = !next || Date.parse(next.begins_at) - boxTime() > SOON_MS;
  }

  for (const name of ["status", "tick", "link"]) box.on(name, update, life);
  update();
  return [node, warning];
}
