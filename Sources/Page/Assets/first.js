// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Runs before the first paint, so that a chosen language or look never shows late.
(() => {
  const root = document.documentElement;
  let look, language;
  try {
    look = localStorage.getItem("onair.look");
    language = localStorage.getItem("onair.language");
  } catch {
    // Without storage the browser's own choices count.
  }
  if (look) root.dataset.look = look;
  language ||= navigator.languages.find((l) => /^(en|zh)/i.test(l))?.slice(0, 2).toLowerCase() ?? "en";
  root.lang = language === "zh" ? "zh-Hans" : "en";
})();
