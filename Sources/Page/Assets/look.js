// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The switches for language, and for light and dark.

import { h } from "./dom.js";
import { helpPage, keep, language, t } from "./words.js";

/** A row with both switches, and the way to the help. */
export function look(page) {
  const root = document.documentElement;
  const choice = (name, text, isOn, choose, lang) =>
    h("button", { type: "button", "aria-pressed": String(isOn), lang, onclick: () => choose(name) }, text);
  const looks = h("div", { class: "switch", role: "group", "aria-label": t("look.name") });
  const paint = () => looks.replaceChildren(
    ...["auto", "light", "dark"].map((name) => choice(name, t(`look.${name}`), root.dataset.chosen === name,
      (chosen) => {
      globalThis.showLook(chosen);
      keep("onair.look", chosen === "auto" ? null : chosen);
      paint();
      looks.querySelector("[aria-pressed=true]").focus();
    })));
  paint();
  return h("div", { class: "look" },
    h("div", { class: "switch", role: "group", "aria-label": t("look.language") },
      choice("en", "English", language() === "en", page.changeLanguage, "en"),
      choice("zh", "中文", language() === "zh", page.changeLanguage, "zh-Hans")),
    looks,
    h("a", { class: "link", href: helpPage() }, t("nav.help")));
}
