// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The guests: who waits and who is on air, and how they are seen beside the camera.

import { get, patch, post } from "./api.js";
import { box } from "./box.js";
import { fill, h, say, toast } from "./dom.js";
import { dressed } from "./dress.js";
import { guestCard, isThere } from "./guest.js";
import { guestForm } from "./guestform.js";
import { layoutPart } from "./guestlayout.js";
import { load } from "./settings.js";
import { why } from "./why.js";
import { loadWordsOf, t } from "./words.js";

/** Levels and states are asked for this often. */
const LOOK_MS = 500;
/** A box has so many guests. */
const MOST = 8;
/** Changes follow each other not faster than this: the box takes five a second. */
const PACE_MS = 250;

export async function view(page, life) {
  await Promise.all([load(true), loadWordsOf("guests"), dressed("guests.css")]);
  const { scope } = page.session;
  const may = { act: scope !== "read", set: scope === "admin" };
  let found = null;
  /** Counts the requests for the list: an older answer tells nothing new. */
  let [asked, taken] = [0, 0];
  /** Why the list was refused last. */
  let refused = "";
  /** What a person has just changed, by the name of the guest. */
  const drafts = {};
  let isSending = false;
  const cards = new Map();
  const problem = h("p", { class: "problem", role: "alert" });
  /** Those who are there, and the others. */
  const lists = [h("ul", { class: "guests" }), h("ul", { class: "guests" })];
  const none = h("p", { class: "lead", hidden: true }, t("guests.none"));
  const area = h("div", { class: "stack", hidden: true });
  const add = h("button", { type: "button", class: "button", onclick: () => edit(null) }, t("guests.add"));
  const full = h("p", { class: "help", hidden: true }, t("problem.too_many_guests"));
  const addRow = h("div", { class: "row" }, add, full);
  const layout = layoutPart(may, (name) => act("/api/layout", { layout: name }));

  /** Gives a command, and shows why it is refused. Returns whether it worked. */
  async function act(path, body) {
    say(problem, "");
    const isDone = await post(path, body).then(() => true, (refusal) => (say(problem, why(refusal)), false));
    await look();
    return isDone;
  }

  /** Changes fields of a guest. Several changes at once are sent one after another. */
  async function change(name, fields) {
    drafts[name] = { ...drafts[name], ...fields };
    say(problem, "");
    paint();
    if (isSending) return;
    isSending = true;
    while (Object.keys(drafts).length) {
      const [[of, sent]] = Object.entries(drafts);
      try {
        await patch(`/api/guests/${of}`, sent);
        await look();
      } catch (refusal) {
        say(problem, why(refusal));
      }
      // What was changed meanwhile is sent next.
      const later = Object.entries(drafts[of]).filter(([key, value]) => sent[key] !== value);
      if (later.length) drafts[of] = Object.fromEntries(later);
      else delete drafts[of];
      paint();
      await new Promise((done) => setTimeout(done, PACE_MS));
    }
    isSending = false;
  }

  function cardOf(guest) {
    const { name } = guest;
    if (!cards.has(name)) {
      const paths = {
        admit: `/api/guests/${name}/admit`, hide: `/api/guests/${name}/hide`,
        remove: `/api/guests/${name}/remove`, allow: `/api/guests/${name}/allow`,
      };
      cards.set(name, guestCard(guest, { may, life, edit, problem, look,
        act: (deed) => act(paths[deed]), change: (fields) => change(name, fields) }));
    }
    return cards.get(name);
  }

  function paint() {
    if (life.aborted || !found) return;
    const { guests } = found;
    for (const [name, card] of cards) {
      if (guests.some((one) => one.name === name)) continue;
      card.end();
      card.node.remove();
      cards.delete(name);
    }
    const places = [0, 0];
    // While a menu is open, no card moves: one that moves closes its menu.
    const isChoosing = lists.some((one) => one.querySelector(".menu[open]"));
    for (const guest of guests) {
      const card = cardOf(guest);
      const which = isThere(guest) ? 0 : 1;
      const next = lists[which].children[places[which]++];
      const isHeld = card.node.contains(document.activeElement);
      if (next !== card.node && !(isChoosing && card.node.parentNode)) lists[which].insertBefore(card.node, next ?? null);
      card.update({ ...guest, ...drafts[guest.name] }, found);
      // A card that moves would lose the focus.
      if (isHeld && !card.node.contains(document.activeElement)) card.focus();
    }
    none.hidden = guests.length > 0;
    addRow.hidden = !may.set || !area.hidden;
    add.classList.toggle("solid", !guests.length);
    add.disabled = guests.length >= MOST;
    full.hidden = !add.disabled;
    layout.node.hidden = !guests.length;
    layout.update(found);
    node.toggleAttribute("inert", box.link === "lost");
  }

  async function look() {
    const number = ++asked;
    const fresh = await get("/api/guests").catch((refusal) => {
      if (refusal.status) say(problem, refused = why(refusal));
    });
    if (!fresh || life.aborted || number < taken) return;
    taken = number;
    if (refused && problem.textContent === refused) say(problem, "");
    refused = "";
    found = fresh;
    paint();
  }

  /** Asks again and again, as long as somebody can see it. */
  async function watch() {
    while (!life.aborted) {
      await new Promise((done) => setTimeout(done, LOOK_MS));
      if (!document.hidden && box.link !== "lost") await look();
    }
  }

  function close(name) {
    area.hidden = true;
    fill(area);
    paint();
    (cards.get(name)?.node.querySelector("summary") ?? add).focus();
  }

  /** Shows the form for a guest, or for a new one. */
  function edit(guest) {
    fill(area, guestForm(guest, found.guests, async (name, invites) => {
      toast(t(guest ? "form.saved" : "guests.added"));
      await look();
      close(name);
      // The address and the key that the guest needs.
      if (invites) edit(found.guests.find((one) => one.name === name));
    }, () => close(guest?.name)));
    area.hidden = false;
    paint();
    area.querySelector("h2").scrollIntoView({ block: "nearest" });
    area.querySelector("input").focus({ preventScroll: true });
  }

  const node = h("div", { class: "guest-desk" }, h("h1", { class: "unseen" }, t("nav.guests")),
    h("section", { class: "stack", "aria-label": t("guests.there") }, problem, none, lists[0], h("p", { class: "help" }, t("guests.unheard"))),
    layout.node,
    h("section", { class: "stack", "aria-label": t("guests.others") }, lists[1], addRow, area,
      may.set && h("div", { class: "row" }, h("a", { class: "link", href: "#setup/all" }, t("guests.all")))));

  box.on("event", (event) => {
    if (event.code === "settings_changed" && box.isNew(event)) load(true).then(paint, () => {});
  }, life);
  box.on("link", paint, life);
  life.addEventListener("abort", () => cards.forEach((card) => card.end()));
  await look();
  watch();
  return node;
}
