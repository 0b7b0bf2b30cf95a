// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The recordings: what there is, and where the box records.

import { get } from "./api.js";
import { box } from "./box.js";
import { fill, h, say } from "./dom.js";
import { dressed } from "./dress.js";
import { placePart } from "./place.js";
import { recordKeys } from "./record.js";
import { recordingLine } from "./recording.js";
import { load } from "./settings.js";
import { why } from "./why.js";
import { loadWordsOf, number, t } from "./words.js";

/** Recordings that are asked for at first, and each time that somebody has come to the end of the list. */
const [FIRST, NEXT] = [30, 100];
const SOON_MS = 500;
/** Events after which the list is another one. */
const CHANGES = /^(record_(started|stopped|failed|mended|marked)|recordings_(changed|removed)|stick_(ready|gone|removable))$/;

export async function view(page, life) {
  await Promise.all([load(true), loadWordsOf("recordings"), dressed("recordings.css")]);
  /** The lines by the id of their recording. */
  const lines = new Map();
  let isAsking = false;
  let timer = null;
  const problem = h("p", { class: "problem", role: "alert" });
  const list = h("ul", { class: "recordings" });
  const count = h("p", { class: "help", role: "status" });
  const none = h("p", { class: "lead", hidden: true }, t("rec.none"));
  const older = h("button", { type: "button", class: "button", hidden: true, onclick: () => more() }, t("rec.older"));
  const place = placePart(life);

  /** Asks for recordings: the newest, or those that are older than one. */
  const ask = (limit, after) => get(`/api/recordings?limit=${limit}${after ? `&after=${after}` : ""}`);

  /** A line for a recording; the one that there is goes on, with a film that plays. */
  function lineOf(one) {
    const old = lines.get(one.id);
    if (old) old.update(one);
    else lines.set(one.id, recordingLine(one, life, { renamed, soon }));
    return lines.get(one.id);
  }

  /** A new name makes a new id. */
  function renamed(from, to) {
    const line = lines.get(from);
    lines.delete(from);
    if (line) lines.set(to, line);
  }

  function tell(found) {
    older.hidden = !found.more;
    none.hidden = found.count > 0 || lines.size > 0;
    say(count, found.count > lines.size ? t("rec.shown", { shown: number(lines.size), count: number(found.count) }) : "");
    say(problem, "");
  }

  /** Shows the newest, and takes away what is gone. */
  async function look() {
    if (isAsking) return;
    isAsking = true;
    try {
      const found = await ask(Math.min(1000, Math.max(FIRST, lines.size)));
      if (life.aborted) return;
      const ids = new Set(found.recordings.map(({ id }) => id));
      let next = list.firstElementChild;
      /** Takes lines away that are not there any more, up to one that is. Those that wait to be brought back stay. */
      const pass = () => {
        while (next && !ids.has(next.dataset.id)) {
          const one = next;
          next = next.nextElementSibling;
          if (lines.get(one.dataset.id)?.isDeleted()) continue;
          lines.delete(one.dataset.id);
          one.remove();
        }
      };
      // A line that stays where it is keeps its focus, and goes on to play.
      for (const one of found.recordings) {
        pass();
        const { node } = lineOf(one);
        if (node === next) next = next.nextElementSibling;
        else list.insertBefore(node, next);
      }
      if (!found.more) pass();
      tell(found);
    } catch (refusal) {
      if (refusal.code === "no_place" || refusal.status === 409) clear();
      else if (refusal.status !== 0) say(problem, why(refusal));
    } finally {
      isAsking = false;
    }
  }

  /** Without a place there are none. */
  function clear() {
    lines.clear();
    fill(list);
    older.hidden = true;
    none.hidden = true;
    say(count, "");
  }

  async function more() {
    const last = [...list.children].findLast(({ classList }) => !classList.contains("gone"));
    if (isAsking || !last) return;
    isAsking = true;
    older.disabled = true;
    try {
      const found = await ask(NEXT, last.dataset.id);
      if (life.aborted) return;
      list.append(...found.recordings.map((one) => lineOf(one).node));
      tell(found);
    } catch (refusal) {
      // The one after which was asked may be gone.
      if (refusal.status !== 0) soon();
    } finally {
      isAsking = older.disabled = false;
    }
  }

  /** Asks a moment after something has happened. */
  function soon() {
    clearTimeout(timer);
    timer = setTimeout(look, SOON_MS);
  }

  // Whoever scrolls to the end gets the next ones without a tap.
  const watch = new IntersectionObserver(([{ isIntersecting }]) => isIntersecting && more(), { rootMargin: "400px" });
  watch.observe(older);
  life.addEventListener("abort", () => watch.disconnect());

  let before = "";
  box.on("status", ({ record }) => {
    const now = [record?.place, record?.directory, record?.id, record?.state === "off"].join();
    if (now !== before) soon();
    before = now;
  }, life);
  box.on("event", (event) => CHANGES.test(event.code) && box.isNew(event) && soon(), life);
  box.on("link", soon, life);
  await look();
  return h("div", { class: "kept" }, h("h1", { class: "unseen" }, t("nav.recordings")),
    h("section", { class: "stack", "aria-label": t("rec.place") }, place, recordKeys(page, life, true)),
    h("section", { class: "stack", "aria-label": t("nav.recordings") }, problem, none, list, h("div", { class: "row" }, older, count)));
}
