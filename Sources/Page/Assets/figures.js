// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The figures of the last second as tables.

import { box } from "./box.js";
import { fill, h, say } from "./dom.js";
import { clock, number, t, tryWord } from "./words.js";

/** Decimals of the figures that have some. */
const DIGITS = {
  cpu_percent: 0, own_cpu_percent: 0, memory_mb: 0, temperature_c: 1, fps: 1, encode_ms: 1, encode_ms_max: 1,
  delay_ms_max: 1, drift_ppm: 1, queue_ms: 0, capture_to_sent_ms: 0, capture_to_acknowledged_ms: 0, round_trip_ms: 0,
  outage_seconds: 1,
};
/** The unit at the end of a field's name. */
const UNITS = [["_percent", "%"], ["_mb", "MB"], ["_c", "°C"], ["_kbps", "kbit/s"], ["kbps", "kbit/s"], ["_ms",
  "ms"], ["_ms_max", "ms"], ["_ppm", "ppm"], ["_seconds", "s"]];

/** A table for each part of the figures; new fields appear by themselves. */
export function figuresTable(life) {
  const node = h("div", { class: "tables" });
  const cells = new Map();

  function cell(group, name) {
    const id = `${group} ${name}`;
    if (!cells.has(id)) {
      let table = node.querySelector(`[data-group="${CSS.escape(group)}"]`);
      if (!table) {
        const title = t(`figures.${group.split(" ")[0]}`) + group.slice(group.split(" ")[0].length);
        table = h("dl", { class: "table", data: { group } });
        node.append(h("section", { class: "table-box", "aria-label": title }, h("h3", null, title), table));
      }
      const value = h("dd", null);
      table.append(h("div", null, h("dt", null, tryWord(`figure.${name}`, name.replaceAll("_", " "))), value));
      cells.set(id, value);
    }
    return cells.get(id);
  }

  function text(name, value) {
    if (typeof value !== "number") return String(value);
    if (name === "uptime_seconds") return clock(value);
    const unit = UNITS.find(([end]) => name.endsWith(end))?.[1] ?? "";
    if (name.endsWith("_bytes")) return `${number(value / 1e6, 2)} MB`;
    return `${number(value, DIGITS[name] ?? 0)}${unit ? ` ${unit}` : ""}`;
  }

  function update(figures) {
    const seen = new Set();
    for (const [group, values] of Object.entries(figures)) {
      if (group === "time") continue;
      for (const one of Array.isArray(values) ? values : [values]) {
        const name = one.name ? `${group} ${one.name}` : group;
        for (const [field, value] of Object.entries(one)) {
          if (field === "name" || value === null || typeof value === "object") continue;
          const where = cell(name, field);
          seen.add(where);
          say(where, text(field, value));
        }
      }
    }
    for (const where of cells.values()) if (!seen.has(where)) say(where, "–");
  }

  if (box.figures) update(box.figures);
  else fill(node, h("p", { class: "help" }, t("engineer.waiting")));
  let isFirst = !box.figures;
  box.on("figures", (figures) => {
    if (isFirst) fill(node);
    isFirst = false;
    if (!document.hidden) update(figures);
  }, life);
  return node;
}
