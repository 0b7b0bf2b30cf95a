// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// What views share that are not needed at first: styles that come with them, menus, and sentences of the box.

import { h, say } from "./dom.js";
import { joint } from "./words.js";

/** Loads a style with the first view that needs it. */
export function dressed(href = "picture.css") {
  if (document.querySelector(`link[href="${href}"]`)) return null;
  const link = h("link", { rel: "stylesheet", href });
  return new Promise((done, fail) => {
    link.onload = done;
    link.onerror = () => (link.remove(), fail(new Error("no style")));
    document.head.append(link);
  });
}

/** Says a sentence of the page, or one of the box, which is English. */
export function sayOf(node, text, isOwn) {
  say(node, text ?? "");
  if (isOwn) node.removeAttribute("lang");
  else node.lang = "en";
}

/** A menu of what can be done with something called `name`: each act is a text and a function. */
export function menu(label, name, acts) {
  const node = h("details", { class: "menu" }, h("summary", { "aria-label": label }, "⋯"),
    h("div", { class: "menu-list" }, acts.map(([text, onclick]) => h("button", { type: "button", "aria-label": joint([text, name]),
      onclick: () => {
        node.open = false;
        node.firstChild.focus();
        onclick();
      } }, text))));
  node.addEventListener("focusout", (event) => {
    if (!node.contains(event.relatedTarget)) node.open = false;
  });
  return node;
}
