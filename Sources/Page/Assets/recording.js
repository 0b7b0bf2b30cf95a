// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// A recording in the list: a picture that plays it, its marks, and what can be done with it.

import { patch, post, request } from "./api.js";
import { field, fill, h, icon, say } from "./dom.js";
import { menu } from "./dress.js";
import { size } from "./media.js";
import { day, hour } from "./moments.js";
import { why } from "./why.js";
import { clock, listed, t } from "./words.js";

/** The box brings a deleted recording back for so long. */
const UNDO_MS = 55_000;
/** The box's own beginning of a name: when it was recorded, by the clock on its wall. */
const STAMP = /^(\d{4}-\d\d-\d\d)_(\d\d)-(\d\d)-(\d\d) ?/;

/** What a recording is called, and when it began: in words, and as the beginning of its name. */
export function titled({ name, modified }) {
  const [stamp, date, hours, minutes] = STAMP.exec(name) ?? [""];
  // Without a zone it is read in that of the browser, and written in it: the same.
  const at = stamp ? `${date}T${hours}:${minutes}` : null;
  const began = at && !Number.isNaN(Date.parse(at)) ? listed([day(at, "", "short"), hour(at)]) : "";
  const isEarly = /^before-clock-\d+$/.test(name);
  const title = isEarly ? t("rec.before_clock", { number: name.split("-").at(-1) }) : began ? name.slice(stamp.length) : name;
  return { stamp: began ? stamp : "", title: title || began, own: began ? name.slice(stamp.length) : name,
    when: began && title ? began : began || isEarly ? "" : listed([day(modified, "", "short"), hour(modified)]) };
}

/** "1 mark · 2 pauses". */
const marksText = (marks) => ["hand", "pause", "gap"].map((kind) => {
  const count = marks.filter((one) => one.kind === kind).length;
  // A line ends between two of them.
  return count > 0 && t(`rec.count_${kind}${count > 1 ? "s" : ""}`, { count }).replaceAll(" ", "\u00a0");
}).filter(Boolean);

/**
 * A line of the list. `renamed` is called with the old and the new id, `soon` when the list may be another one. Returns the
 * node, `update` for another state of the same recording, and `isDeleted`: whether it waits to be brought back.
 */
export function recordingLine(first, life, { renamed, soon }) {
  let one = first;
  let isGone = false;
  let film = null;
  const path = (rest = "") => `/api/recordings/${one.id}${rest}`;
  const problem = h("p", { class: "problem", role: "alert" });
  const picture = h("img", { alt: "", loading: "lazy", decoding: "async", width: 160, height: 90, onerror: () => (picture.hidden = true) });
  const length = h("span", { class: "length" });
  const play = h("button", { type: "button", class: "film", onclick: watch }, picture, icon("play"), length);
  const title = h("b", null);
  const small = h("small", null);
  const save = h("a", { class: "button save" }, icon("save"), h("span", { class: "word" }, t("rec.save")));
  const acts = h("span", null);
  const area = h("div", { class: "stack film-area", hidden: true });
  const head = h("div", { class: "film-head" }, play, h("div", { class: "grow" }, title, small), save, acts);
  const node = h("li", null, head, problem, area);

  function paint() {
    const { running, seconds, bytes, marks, kept } = one;
    const { title: text, when } = titled(one);
    say(title, text);
    fill(small, [when, listed([size(bytes), running && t("rec.running"), kept && t("rec.kept"), !running && seconds === undefined && t("rec.unreadable")])]
      .filter(Boolean).map((line) => h("span", null, line)), marks.length > 0 && h("span", { class: "marks" }, marksText(marks).join(" · ")));
    say(length, running ? t("rec.now") : seconds === undefined ? "" : clock(seconds));
    length.hidden = !length.textContent;
    play.setAttribute("aria-label", t("rec.watch", { name: text }));
    play.setAttribute("aria-expanded", String(Boolean(film)));
    play.disabled = !running && seconds === undefined;
    save.setAttribute("href", path("/file?save=1"));
    save.setAttribute("download", one.file);
    save.setAttribute("aria-label", t("rec.save_name", { name: text }));
    save.hidden = running;
    node.dataset.id = one.id;
    const acting = menu(t("rec.menu", { name: text }), text, [
      [t(kept ? "rec.unkeep" : "rec.keep"), () => act(() => patch(path(), { kept: !kept }))],
      ...running ? [] : [[t("rec.rename"), rename], [t("rec.delete"), remove]]]);
    acting.addEventListener("toggle", reach);
    fill(acts, acting);
    reach();
  }

  /** Lets an open menu or a film reach out of the line. */
  const reach = () => node.classList.toggle("open", Boolean(film || acts.querySelector("[open]")));

  /** Does something with it, and shows what it is then, or why that is refused. */
  async function act(body) {
    say(problem, "");
    try {
      const next = await body();
      if (next?.id) take(next);
      return true;
    } catch (refusal) {
      if (refusal.status === 404) soon();
      say(problem, why(refusal));
      return false;
    }
  }

  function take(next) {
    if (next.id !== one.id) renamed(one.id, next.id);
    one = next;
    paint();
  }

  /** Plays it beneath its line, or ends that. */
  function watch() {
    if (film) return close();
    film = h("video", { controls: true, playsInline: true, "aria-label": titled(one).title, onerror: () => film && say(problem, t("rec.unplayable")) });
    film.setAttribute("src", path("/file"));
    const to = (seconds) => () => {
      film.currentTime = seconds;
      film.play().catch(() => {});
    };
    const marks = one.marks.map(({ kind, seconds }) => h("li", null, h("button", { type: "button", class: "button", onclick: to(seconds) },
      h("b", null, clock(seconds)), t(`rec.mark_${kind}`))));
    fill(area, film, marks.length > 0 && h("ul", { class: "row", "aria-label": t("rec.marks") }, marks), h("div", { class: "row" },
      h("button", { type: "button", class: "link", onclick: close }, t("rec.close"))));
    area.hidden = false;
    paint();
    area.scrollIntoView({ block: "nearest" });
    film.focus({ preventScroll: true });
    film.play().catch(() => {});
  }

  function close() {
    film?.removeAttribute("src");
    film?.load();
    film = null;
    area.hidden = true;
    fill(area);
    paint();
    play.focus();
  }

  function rename() {
    if (film) close();
    const { stamp, own } = titled(one);
    const input = h("input", { type: "text", value: own, maxLength: 200, autocomplete: "off", required: true });
    const named = field(t("rec.name"), input, stamp ? { help: t("rec.name_help") } : {});
    const done = () => {
      area.hidden = true;
      fill(area);
      acts.querySelector("summary").focus();
    };
    async function keep(event) {
      event.preventDefault();
      const name = input.value.trim();
      if (!name && !stamp) return named.problem(t("rec.cause_unfit_name"));
      try {
        take(await patch(path(), { name: `${stamp}${name}`.trim() }));
        done();
      } catch (refusal) {
        named.problem(/^(unfit_name|name_taken)$/.test(refusal.code) ? t(`rec.cause_${refusal.code}`) : why(refusal));
        input.focus();
      }
    }
    fill(area, h("form", { class: "stack", onsubmit: keep, noValidate: true }, named, h("div", { class: "row" },
      h("button", { class: "button solid" }, t("form.save_short")), h("button", { type: "button", class: "link", onclick: done }, t("common.cancel")))));
    area.hidden = false;
    input.select();
  }

  /** Deletes it; for a minute it can be brought back. */
  async function remove() {
    if (film) close();
    if (!await act(() => request("DELETE", path()))) return;
    isGone = true;
    const undo = h("button", { type: "button", class: "button", onclick: async () => {
      if (await act(() => post(path("/undo")))) back();
    } }, t("rec.undo"));
    const timer = setTimeout(() => {
      node.remove();
      soon();
    }, UNDO_MS);
    life.addEventListener("abort", () => clearTimeout(timer));
    const back = () => {
      clearTimeout(timer);
      isGone = false;
      node.classList.remove("gone");
      fill(node, head, problem, area);
      play.focus();
      soon();
    };
    node.classList.add("gone");
    fill(node, h("div", { class: "row" }, h("p", { class: "grow", role: "status" }, t("rec.deleted", { name: titled(one).title })), undo), problem);
    undo.focus();
  }

  picture.setAttribute("src", path("/picture"));
  paint();
  return { node, isDeleted: () => isGone, update(next) {
    // A menu that is open would close.
    if (isGone || JSON.stringify(next) === JSON.stringify(one) || acts.querySelector("[open]")) return;
    if (one.running && !next.running) {
      picture.hidden = false;
      picture.setAttribute("src", path("/picture?"));
    }
    one = next;
    paint();
  } };
}
