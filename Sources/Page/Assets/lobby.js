// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The guests on the view of the broadcast: who waits comes on air with one tap.

import { get, post } from "./api.js";
import { box } from "./box.js";
import { h, repaint, say } from "./dom.js";
import { dressed } from "./dress.js";
import { why } from "./why.js";
import { joint, listed, loadWordsOf, t } from "./words.js";

/** What the page calls a guest. */
export const nameOf = ({ label, name }) => label || name;

/** The part. It is hidden while nobody waits and nobody is on air. */
export async function part(page, life) {
  await Promise.all([loadWordsOf("guests"), dressed("guests.css")]);
  let found = null;
  let before = "";
  const problem = h("p", { class: "problem", role: "alert" });
  const onAir = h("p", null);
  const list = h("ul", null);
  const node = h("section", { class: "lobby", "aria-label": t("nav.guests"), hidden: true }, list, problem,
    h("div", { class: "row" }, onAir, h("a", { class: "link", href: "#guests" }, t("nav.guests"))));

  async function admit({ name }) {
    say(problem, "");
    await post(`/api/guests/${name}/admit`).catch((refusal) => say(problem, why(refusal)));
    await look();
  }

  function line(guest, isFull) {
    const name = nameOf(guest);
    const text = t("guests.admit");
    return h("li", { class: "row" }, h("p", { class: "grow" }, t("guests.waits", { name }), isFull && h("small", null, t("guests.full", { most: found.most }))),
      page.session.scope !== "read" && h("button", { type: "button", class: "button solid", disabled: isFull, "aria-label": joint([text, name]),
        onclick: () => admit(guest) }, text));
  }

  function paint() {
    if (!found) return;
    const of = (states) => found.guests.filter(({ state }) => states.includes(state));
    const [waiting, there] = [of(["waiting"]), of(["on_air", "lost"])];
    const isFull = found.on_air >= found.most;
    node.hidden = box.link === "lost" || !waiting.length && !there.length;
    repaint(list, [waiting.map(nameOf), isFull], waiting.map((one) => line(one, isFull)));
    say(onAir, there.length ? joint([t("guests.state_on_air"), listed(there.map(nameOf))]) : "");
  }

  async function look() {
    const fresh = await get("/api/guests").catch(() => null);
    if (!fresh || life.aborted) return;
    found = fresh;
    paint();
  }

  box.on("status", ({ guests }) => {
    const now = JSON.stringify(guests);
    if (now !== before) look();
    before = now;
  }, life);
  box.on("link", paint, life);
  await look();
  return [node];
}
