// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The newest lines of the log, the newest first, as events are.

import { get } from "./api.js";
import { field, fill, h } from "./dom.js";
import { t, timeOfDay } from "./words.js";

const LEVELS = ["trace", "debug", "info", "notice", "warning", "error", "critical"];
const AGAIN_MS = 3_000;

export function logPart(life) {
  let lines = [];
  const list = h("ol", { class: "log-list", tabindex: "0", "aria-label": t("engineer.log"), lang: "en" });
  const level = h("select", { onchange: paint }, LEVELS.slice(0, 6).map((name) => h("option", { value: name },
    t(`level.${name}`))));
  level.value = "info";
  const search = h("input", { type: "search", oninput: paint });

  function paint() {
    const least = LEVELS.indexOf(level.value);
    const text = search.value.toLowerCase();
    const shown = lines.toReversed().filter((one) => LEVELS.indexOf(one.level) >= least && one.line.toLowerCase().includes(text));
    fill(list, shown.length
      ? shown.map((one) => h("li", { class: one.level }, h("time", null, timeOfDay(one.time)), h("b", null,
        t(`level.${one.level}`)), h("span", null, one.line)))
      : h("li", { class: "help" }, t("log.none")));
  }

  async function load() {
    if (life.aborted) return;
    if (!document.hidden) {
      try {
        const fresh = await get("/api/log?lines=300");
        const isSame = JSON.stringify(fresh) === JSON.stringify(lines);
        // A selection of text would be lost.
        if (!isSame && (getSelection().isCollapsed || !list.contains(getSelection().anchorNode))) {
          lines = fresh;
          paint();
        }
      } catch {
        // The banner tells when the box is gone.
      }
    }
    setTimeout(load, AGAIN_MS);
  }

  load();
  return h("div", { class: "stack" },
    h("div", { class: "pair" }, field(t("log.level"), level), field(t("log.filter"), search)), list);
}
