// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The figures of the last second as tables: what each means, and where it should stay.

import { box } from "./box.js";
import { fill, h, say } from "./dom.js";
import { setting } from "./settings.js";
import { clock, number, sentences, t, tryWord } from "./words.js";

/** Decimals of the figures that have some. */
const DIGITS = {
  cpu_percent: 0, own_cpu_percent: 0, memory_mb: 0, temperature_c: 1, fps: 1, encode_ms: 1, encode_ms_max: 1,
  delay_ms_max: 1, drift_ppm: 1, queue_ms: 0, capture_to_sent_ms: 0, capture_to_acknowledged_ms: 0, round_trip_ms: 0,
  outage_seconds: 1, speed_level: 1,
};
/** The unit at the end of a field's name. */
const UNITS = [["_percent", "%"], ["_mb", "MB"], ["_c", "°C"], ["_kbps", "kbit/s"], ["kbps", "kbit/s"], ["_ms",
  "ms"], ["_ms_max", "ms"], ["_ppm", "ppm"], ["_seconds", "s"]];
/** Times in the stream, for programs that compare them: a person would take them for delays. */
const FOR_PROGRAMS = /^queue_(video|audio)_pts_ms$/;
/** The limit of what is counted since the start: what is over is no fault of now. */
const STEADY = "steady";
/** What has grown is marked for so long. */
const GROWN_MS = 60_000;
const PARTS = ["machine", "video", "audio", "destinations", "start"];
/** The fields of each part that are read first, in this order. Others follow. */
const ORDER = {
  machine: ["cpu_percent", "own_cpu_percent", "temperature_c", "throttled", "under_voltage", "clock_percent",
    "memory_free_mb", "memory_mb", "uptime_seconds"],
  video: ["width", "height", "fps", "kbps", "target_kbps", "dropped_late", "unreadable", "encode_ms", "encode_ms_max",
    "delay_ms_max", "queue", "speed_level", "captured", "encoded", "repeated", "dropped_surplus"],
  audio: ["kbps", "dropped", "late_frames", "drift_ppm", "video_lead_ms", "packets"],
  destinations: ["sent_kbps", "sent_video_kbps", "sent_audio_kbps", "capture_to_acknowledged_ms", "capture_to_sent_ms",
    "round_trip_ms", "queue_ms", "queue_packets", "queue_bytes", "dropped", "reconnects", "outage_seconds",
    "connections", "sent_frames", "sent_bytes"],
};

/** The most that a figure should be: a number, false for "should not be", STEADY for "should not grow", or null for no limit. */
function limitOf(part, name) {
  const frameMs = 1_000 / (setting("video.fps")?.value || 30);
  const limits = {
    machine: { cpu_percent: 90, temperature_c: 80, throttled: false, under_voltage: false },
    video: { dropped_late: STEADY, unreadable: STEADY, encode_ms: frameMs, encode_ms_max: 2 * frameMs, queue: 3 },
    audio: { dropped: STEADY, late_frames: STEADY },
    destinations: { dropped: STEADY, round_trip_ms: 500,
      queue_ms: 1_000 * (setting("network.max_behind_seconds")?.value ?? 2),
      capture_to_acknowledged_ms: 3_000, capture_to_sent_ms: 2_000 },
  };
  return limits[part]?.[name] ?? null;
}

function text(name, value) {
  if (typeof value === "boolean") return t(value ? "figures.yes" : "figures.no");
  if (typeof value !== "number") return String(value);
  if (name === "uptime_seconds") return clock(value);
  const unit = UNITS.find(([end]) => name.endsWith(end))?.[1] ?? "";
  if (name.endsWith("_bytes")) return value < 1e5 ? `${number(value / 1e3, 1)} kB` : `${number(value / 1e6, 2)} MB`;
  return `${number(value, DIGITS[name] ?? 0)}${unit ? `\u00a0${unit}` : ""}`;
}

const limitText = (name, limit) => (limit === false ? t("figures.should_not") : limit === STEADY ? t("figures.steady")
  : t("figures.most", { most: text(name, Math.round(limit)).replace(/[.,]0\b/, "") }));

/** Whether a figure is not as it should be. */
function isOver(cell, value) {
  if (cell.limit !== STEADY) return cell.limit !== null && Number(value) > Number(cell.limit);
  if (value > (cell.before ?? value)) cell.grownAt = performance.now();
  cell.before = value;
  return performance.now() - cell.grownAt < GROWN_MS;
}

/** A table for each part of the figures; new fields appear by themselves. */
export function figuresTable(life) {
  const node = h("div", { class: "tables" });
  const cells = new Map();

  function tableOf(group, part) {
    let table = node.querySelector(`[data-group="${CSS.escape(group)}"]`);
    if (!table) {
      const title = group === "destinations main" ? t(box.status?.relays.length ? "engineer.main" : "engineer.server") : t(`figures.${part}`) + group.slice(part.length);
      table = h("dl", { class: "table", data: { group } });
      node.append(h("section", { class: "table-box", "aria-label": title }, h("h3", null, title), table));
    }
    return table;
  }

  function cell(group, part, name) {
    const id = `${group} ${name}`;
    if (cells.has(id)) return cells.get(id);
    const limit = limitOf(part, name);
    const meaning = [tryWord(`meaning.${name}`, ""), limit !== null && limitText(name, limit)].filter(Boolean);
    const value = h("dd", null);
    const row = h("div", { data: { name } }, h("dt", null, tryWord(`figure.${name}`, name.replaceAll("_", " ")),
      meaning.length > 0 && h("small", null, sentences(meaning))), value);
    const order = ORDER[part] ?? [];
    const rank = (one) => (order.includes(one) ? order.indexOf(one) : order.length);
    const table = tableOf(group, part);
    table.insertBefore(row, [...table.children].find((one) => rank(one.dataset.name) > rank(name)) ?? null);
    cells.set(id, { value, row, limit });
    return cells.get(id);
  }

  function update(figures) {
    const seen = new Set();
    const parts = Object.keys(figures).filter((part) => part !== "time");
    for (const part of [...PARTS.filter((one) => parts.includes(one)), ...parts.filter((one) => !PARTS.includes(one))]) {
      const values = figures[part];
      for (const one of Array.isArray(values) ? values : [values]) {
        const group = one.name ? `${part} ${one.name}` : part;
        for (const [name, value] of Object.entries(one)) {
          if (name === "name" || FOR_PROGRAMS.test(name) || value === null || typeof value === "object") continue;
          const found = cell(group, part, name);
          seen.add(found);
          say(found.value, text(name, value));
          found.row.classList.toggle("over", isOver(found, value));
        }
      }
    }
    for (const one of cells.values()) {
      if (seen.has(one)) continue;
      say(one.value, "–");
      one.row.classList.remove("over");
    }
  }

  if (box.figures) update(box.figures);
  else fill(node, h("p", { class: "help" }, t("engineer.waiting")));
  let isFirst = !box.figures;
  box.on("figures", (figures) => {
    if (isFirst) fill(node);
    isFirst = false;
    if (!document.hidden) update(figures);
  }, life);
  return h("div", { class: "stack" }, h("p", { class: "help" }, t("figures.counts")), node);
}
