// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Runs before the first paint, so that a chosen language or look never shows late, and the box answers early.
(() => {
  const root = document.documentElement;
  let look, language;
  try {
    look = localStorage.getItem("onair.look");
    language = localStorage.getItem("onair.language");
  } catch {
    // Without storage the browser's own choices count.
  }
  // "auto" follows the system, also when that changes. The style sheet knows "dark" and "light" only.
  const system = matchMedia("(prefers-color-scheme: dark)");
  globalThis.showLook = (chosen) => {
    root.dataset.chosen = chosen;
    root.dataset.look = chosen === "auto" ? (system.matches ? "dark" : "light") : chosen;
  };
  showLook(look ?? "auto");
  system.addEventListener("change", () => showLook(root.dataset.chosen));
  language ||= navigator.languages.find((l) => /^(en|zh)/i.test(l))?.slice(0, 2).toLowerCase() ?? "en";
  // What the first view needs is asked for while the page still loads.
  const ask = (path) => fetch(path).catch(() => null);
  globalThis.early = {
    words: ask(`${language}.json`), session: ask("/api/session"),
    status: ask("/api/status"), settings: ask("/api/settings"),
  };
  root.lang = language === "zh" ? "zh-Hans" : "en";
})();
