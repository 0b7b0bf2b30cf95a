// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// What a guest has to know to send to the box: address and key, as text and as a code for a phone.

import { get } from "./api.js";
import { fill, h, say } from "./dom.js";
import { why } from "./why.js";
import { t } from "./words.js";

const LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789";
const KEY_LETTERS = 20;
/** Where guests send, unless the settings say otherwise. */
export const USUAL_PLACE = "0.0.0.0:1935";
/** The first port for SRT. */
const FIRST_PORT = 9000;

/** A key that nobody guesses, of letters that are not mistaken for each other. */
export function newKey() {
  let key = "";
  while (key.length < KEY_LETTERS) {
    // Each letter is equally likely.
    for (const number of crypto.getRandomValues(new Uint8Array(KEY_LETTERS))) {
      if (key.length < KEY_LETTERS && number < LETTERS.length * 4) key += LETTERS[number % LETTERS.length];
    }
  }
  return key;
}

/** A port for SRT that no other guest has. */
export function freePort(guests) {
  const taken = guests.map((guest) => guest.srt_port);
  let port = FIRST_PORT;
  while (taken.includes(port)) port++;
  return port;
}

/** A line with a text to copy. */
function line(title, text) {
  const shown = h("code", null, text);
  const copy = h("button", { type: "button", class: "link", "aria-label": `${t("guests.copy")}: ${title}`, onclick: async () => {
    // Without HTTPS a page may not write to the clipboard: then the text is selected to be copied by hand.
    try {
      await navigator.clipboard.writeText(text);
      say(copy, t("guests.copied"));
    } catch {
      getSelection().selectAllChildren(shown);
    }
  } }, t("guests.copy"));
  return h("div", { class: "invite-line" }, h("b", null, title), shown, copy);
}

const code = (name, way) => h("figure", { class: "invite-code" },
  h("img", { src: `/api/guests/${name}/invitation.svg?way=${way}`, alt: t("guests.code_of", { way: way.toUpperCase() }), width: 180, height: 180 }),
  h("figcaption", null, way.toUpperCase()));

/** The invitation of a guest who sends. */
export function invitation(name) {
  const node = h("section", { class: "stack invite", "aria-label": t("guests.invitation") });
  get(`/api/guests/${name}/invitation`).then(
    ({ server, key, srt }) => fill(node, h("h3", null, t("guests.invitation")), h("p", { class: "help" }, t("guests.invitation_help")),
      line(t("guests.server"), server), line(t("key.key"), key), srt && line("SRT", srt),
      h("div", { class: "row" }, code(name, "rtmp"), srt && code(name, "srt"))),
    (refusal) => fill(node, h("p", { class: "problem", role: "status" }, why(refusal))));
  return node;
}
