// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The schedule: what is next, broadcasts that begin and end by themselves, and calendars.

import { get, request } from "./api.js";
import { box } from "./box.js";
import { ask, fill, h, repaint, say, toast } from "./dom.js";
import { dressed, menu, sayOf } from "./dress.js";
import { calendarPart } from "./calendar.js";
import { entryForm, timesOf } from "./entry.js";
import { away, span, zoneOf } from "./moments.js";
import { endNote, endNow, endText, extend, skip, wrongOf } from "./next.js";
import { load, serverIn } from "./settings.js";
import { why } from "./why.js";
import { loadWordsOf, t } from "./words.js";

const SOON_MS = 300;
/** How many of the next broadcasts are shown at first. */
const FEW = 5;
/** A box has so many entries. */
const MOST = 32;

export async function view(page, life) {
  await Promise.all([load(true), loadWordsOf("schedule"), dressed("schedule.css")]);
  let entries = [];
  let calendar = { upcoming: [], feed: {}, import: {}, not_understood: [] };
  let timer = null;
  const problem = h("p", { class: "problem", role: "alert" });
  const listProblem = h("p", { class: "problem", role: "alert" });
  const wrong = h("p", { class: "problem", role: "status" });
  const key = (text, onclick, kind = "") => h("button", { type: "button", class: `button ${kind}`, onclick }, t(text));

  // What is next, or runs.
  const head = h("b", null);
  const when = h("span", null);
  const far = h("small", null);
  const longer = key("sched.extend", () => extend(problem), "solid");
  const end = key("sched.end_now", () => endNow(problem));
  const leave = key("sched.skip", () => skip(box.status.schedule.next, problem));
  const card = h("div", { class: "next-card" }, h("div", null, head, when, far), h("div", { class: "row" }, longer, end, leave));

  const list = h("ul", { class: "lines entries" });
  const area = h("div", { class: "stack", hidden: true });
  const add = h("button", { type: "button", class: "button solid", onclick: () => edit(null) }, t("sched.add"));
  const addRow = h("div", { class: "row" }, add);
  const upcoming = h("ul", { class: "lines" });
  const all = h("details", { class: "quiet" }, h("summary", null, t("sched.all")), h("ul", { class: "lines" }));
  const nextTitle = h("h2", null, t("sched.upcoming"));
  const other = calendarPart(life, look);

  function paintNext() {
    const { schedule, intent } = box.status ?? {};
    const { running, next, ends_at: ends } = schedule ?? {};
    const isRunning = Boolean(ends) && intent.broadcast !== "off";
    say(head, isRunning ? endText(schedule) : next ? span(next) : t("sched.nothing"));
    say(when, isRunning ? endNote(schedule) : next ? t("sched.begins", { away: away(next.begins_at) }) : t(entries.length ? "sched.nothing_text" : "sched.empty"));
    const one = isRunning ? running : next;
    say(far, one ? [one.name, zoneOf(one)].filter(Boolean).join(" · ") : "");
    longer.hidden = !isRunning || !running;
    end.hidden = !isRunning;
    leave.hidden = isRunning || !next;
    sayOf(wrong, ...(schedule ? wrongOf(schedule) : ["", true]));
    node.toggleAttribute("inert", box.link === "lost");
  }

  /** A line for an entry. */
  function line(entry) {
    const { name, url, next, state, sentence } = entry;
    const { when: text } = timesOf(entry);
    return h("li", null, h("div", { class: "grow" }, h("b", null, text),
      h("small", null, [name, url && t("sched.to", { server: serverIn(url).split(":")[0] }), state === "over" && t("sched.over")].filter(Boolean).join(" · ")),
      next && state !== "running" && h("small", null, t("sched.next", { when: [span(next), zoneOf(next)].filter(Boolean).join(" · ") })),
      state === "running" && h("small", null, t("sched.runs")),
      sentence && h("p", { class: "problem", lang: "en" }, sentence)),
    menu(t("sched.menu", { name }), name, [[t("relays.change"), () => edit(entry)], [t("relays.remove"), () => remove(entry)]]));
  }

  function occurrence(one) {
    return h("li", { class: one.skipped && "skipped" }, h("div", { class: "grow" }, h("b", null, span(one, "short")), h("small", null,
      [one.name, zoneOf(one), one.source !== "entry" && t("sched.of_calendar"), one.skipped && t("sched.left_out")].filter(Boolean).join(" · "))),
    h("button", { type: "button", class: "link", onclick: async () => {
      await skip(one, listProblem);
      look();
    }, "aria-label": `${t(one.skipped ? "sched.unskip" : "sched.skip_one")}: ${one.name}, ${span(one)}` }, t(one.skipped ? "sched.unskip" : "sched.skip_one")));
  }

  function paint() {
    if (life.aborted) return;
    paintNext();
    // A menu that is open would close.
    if (!list.querySelector("[open]")) repaint(list, entries, entries.map(line));
    list.hidden = !entries.length;
    addRow.hidden = !area.hidden;
    add.disabled = entries.length >= MOST;
    const shown = calendar.upcoming;
    nextTitle.hidden = !shown.length;
    repaint(upcoming, shown.slice(0, FEW), shown.slice(0, FEW).map(occurrence));
    repaint(all.lastChild, shown.slice(FEW), shown.slice(FEW).map(occurrence));
    all.hidden = shown.length <= FEW;
    other.update(calendar);
  }

  async function look() {
    const found = await Promise.all([get("/api/schedule"), get("/api/schedule/calendar")]).catch((refusal) => {
      if (refusal.status) say(listProblem, why(refusal));
    });
    if (!found || life.aborted) return;
    [entries, calendar] = found;
    paint();
  }

  function close() {
    area.hidden = true;
    fill(area);
    paint();
    list.scrollIntoView({ block: "nearest" });
    add.focus({ preventScroll: true });
  }

  /** Shows the form for an entry, or for a new one. */
  function edit(entry) {
    fill(area, entryForm(entry, async () => {
      toast(t("form.saved"));
      await look();
      close();
    }, close));
    area.hidden = false;
    paint();
    area.querySelector("h3").scrollIntoView({ block: "nearest" });
    area.querySelector("button, input").focus({ preventScroll: true });
  }

  async function remove({ name }) {
    if (!await ask(t("sched.remove_title", { name }), t("sched.remove_text"), t("relays.remove"), t("common.cancel"))) return;
    say(listProblem, "");
    await request("DELETE", `/api/schedule/${name}`).catch((refusal) => say(listProblem, why(refusal)));
    await look();
  }

  const node = h("div", { class: "schedule" }, h("h1", { class: "unseen" }, t("nav.schedule")),
    h("section", { class: "stack", "aria-label": t("sched.now") }, card, wrong, problem,
      h("h2", null, t("sched.entries")), list, addRow, area, listProblem),
    h("section", { class: "stack", "aria-label": t("sched.upcoming") }, nextTitle, upcoming, all, other.node));

  /** Asks a moment after something has happened. */
  function soon() {
    clearTimeout(timer);
    timer = setTimeout(look, SOON_MS);
  }
  let before = JSON.stringify(box.status?.schedule);
  box.on("status", ({ schedule }) => {
    paintNext();
    const now = JSON.stringify(schedule);
    if (now !== before) soon();
    before = now;
  }, life);
  box.on("tick", paintNext, life);
  box.on("link", soon, life);
  box.on("event", (event) => /^(settings_|schedule|calendar)/.test(event.code) && box.isNew(event) && soon(), life);
  await look();
  return node;
}
