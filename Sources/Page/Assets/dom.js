// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Elements are made by calls only: no text from the box is ever parsed as HTML.

import { joint } from "./words.js";

const TOAST_MS = 4_000;
/** A longer text stays longer. */
const LETTER_MS = 70;
const SVG = "http://www.w3.org/2000/svg";

/**
 * Makes an element. Names in `props` that begin with "on" are listeners, "class" and "aria-…" are attributes, others
 * are properties if the element has them. Children are nodes, texts, lists of both, or nothing.
 */
export function h(tag, props, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "data") Object.assign(node.dataset, value);
    else if (name in node && !/^(list|form|role)$/.test(name) && !name.includes("-")) node[name] = value;
    else node.setAttribute(name === "class" ? "class" : name, value === true ? "" : value);
  }
  node.append(...children.flat(3).filter((child) => child !== undefined && child !== null && child !== false));
  return node;
}

/** Replaces the children of `node`. */
export function fill(node, ...children) {
  node.replaceChildren(...children.flat(3).filter((child) => child !== undefined && child !== null && child !== false));
  return node;
}

const painted = new WeakMap();

/** Fills a list anew when what it shows has changed. The button or menu that has the focus keeps it. */
export function repaint(node, shown, ...lines) {
  const text = JSON.stringify(shown);
  if (text === painted.get(node)) return;
  painted.set(node, text);
  const name = (one) => one.getAttribute("aria-label") ?? one.textContent;
  const held = node.contains(document.activeElement) && name(document.activeElement);
  fill(node, ...lines);
  if (held) [...node.querySelectorAll("button, summary")].find((one) => name(one) === held)?.focus();
}

/** A button that looks like a link. `name`: of what it is about, for screen readers. */
export const linkButton = (text, onclick, name) =>
  h("button", { class: "link", type: "button", onclick, "aria-label": name && joint([text, name]) }, text);

/** Sets a text only if it changes, so that a screen reader does not read it again. */
export function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

let hushing = null;
let fading = null;

/** Lets a screen reader say what has changed out of sight. It does not stay: it may soon be so no more. */
export function announce(text) {
  const node = document.getElementById("said");
  say(node, text);
  clearTimeout(hushing);
  hushing = setTimeout(() => say(node, ""), TOAST_MS);
}

/** Says below the header for some seconds what was done. Screen readers say it, too. */
export function toast(text) {
  const node = document.getElementById("toast");
  say(node, text);
  node.classList.add("shown");
  clearTimeout(fading);
  fading = setTimeout(() => {
    node.classList.remove("shown");
    say(node, "");
  }, Math.max(TOAST_MS, LETTER_MS * text.length));
}

const PATHS = {
  broadcast: "M4 5h16v11H4zM8 20h8",
  picture: "M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15 9h2",
  recordings: "M4 5h16v14H4zM10 9l5 3-5 3z",
  guests: "M9 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6M3 20c0-8 12-8 12 0M17 5v6M14 8h6",
  schedule: "M4 6h16v14H4zM4 11h16M8 3v4M16 3v4",
  play: "M8 5l11 7-11 7z",
  save: "M12 4v11M7 11l5 5 5-5M5 20h14",
  more: "M4 7h16M4 12h16M4 17h16",
  setup: "M4 7h10M18 7h2M4 17h2M10 17h10M16 4v6M8 14v6",
  engineer: "M3 13h4l3-8 4 14 3-6h4",
  camera: "M4 8h3l2-3h6l2 3h3v11H4zM12 16.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6",
  sound: "M5 10v4h3l4 4V6L8 10zM16 9a4 4 0 0 1 0 6M18.5 6.5a8 8 0 0 1 0 11",
  silent: "M5 10v4h3l4 4V6L8 10zM16 10l5 5M21 10l-5 5",
  microphone: "M9 5a3 3 0 0 1 6 0v6a3 3 0 0 1-6 0zM6 11a6 6 0 0 0 12 0M12 17v4",
  muted: "M9 5a3 3 0 0 1 6 0v6a3 3 0 0 1-6 0zM6 11a6 6 0 0 0 12 0M12 17v4M4 4l16 16",
  lock: "M6 11h12v9H6zM8 11V8a4 4 0 0 1 8 0v3",
  stop: "M6 6h12v12H6z",
  full: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
  eye: "M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12zM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6",
};

/** A small drawing beside a text, which screen readers skip. */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}

let count = 0;

/** A label, a control, and what belongs to it: help and a problem, joined for screen readers. */
export function field(label, control, { help, helpLanguage, note } = {}) {
  const id = `f${++count}`;
  control.id = id;
  const problem = h("p", { class: "problem", id: `${id}p`, hidden: true });
  const described = [help && `${id}h`, `${id}p`].filter(Boolean).join(" ");
  control.setAttribute("aria-describedby", described);
  const box = h(
    "div", { class: "field" },
    h("label", { htmlFor: id }, label, note && h("span", { class: "note" }, note)),
    control,
    help && h("p", { class: "help", id: `${id}h`, lang: helpLanguage }, help),
    problem);
  box.problem = (text) => {
    // A rule that stands there already is not repeated.
    const shown = box.querySelector(".help");
    const isRule = Boolean(text) && text === shown?.textContent;
    shown?.classList.toggle("problem", isRule);
    say(problem, text ?? "");
    problem.hidden = !text || isRule;
    if (text) {
      control.setAttribute("aria-invalid", "true");
      // The line pushes the form's button down, on a phone under the bar.
      control.form?.querySelector("button:not([type])")?.scrollIntoView({ block: "nearest" });
    } else control.removeAttribute("aria-invalid");
  };
  return box;
}

/** Gives a field for a secret an eye, which shows what is in it. `names`: the texts of the eye, closed and open. */
export function withEye(fieldNode, input, [show, hide]) {
  const eye = h("button", { type: "button", class: "eye", onclick: () => reveal(input.type === "password") },
    icon("eye"));
  const reveal = (on) => {
    input.type = on ? "text" : "password";
    eye.setAttribute("aria-pressed", String(on));
    eye.setAttribute("aria-label", show);
    eye.title = on ? hide : show;
  };
  reveal(false);
  const wrapped = h("div", { class: "with-eye" });
  input.replaceWith(wrapped);
  wrapped.append(input, eye);
  return fieldNode;
}

/** Asks a question in a dialog. Resolves to true if the answer is yes. */
export function ask(title, text, yes, no) {
  return new Promise((resolve) => {
    const dialog = h(
      "dialog", { class: "dialog", "aria-label": title },
      h("h2", null, title), h("p", null, text),
      h("div", { class: "row end" },
        h("button", { class: "button", autofocus: true, onclick: () => dialog.close("") }, no),
        h("button", { class: "button solid", onclick: () => dialog.close("yes") }, yes)));
    dialog.addEventListener("close", () => {
      resolve(dialog.returnValue === "yes");
      dialog.remove();
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
