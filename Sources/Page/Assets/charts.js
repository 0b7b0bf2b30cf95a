// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The charts: the last two hours of the box, and on with each second.

import { get } from "./api.js";
import { box } from "./box.js";
import { Chart } from "./chart.js";
import { h } from "./dom.js";
import { t } from "./words.js";

const SPANS = [300, 1_800, 7_200];
const KEPT = 7_200;

/** Each chart: its name, unit, and columns of the history. The first one is drawn as the main line. */
const CHARTS = [
  ["rate", "kbit/s", ["sent_kbps", "encoded_kbps", "target_kbps"]],
  ["behind", "ms", ["behind_ms", "round_trip_ms"]],
  ["frames", "", ["fps", "dropped"]],
  ["encode", "ms", ["encode_ms"]],
  ["processor", "%", ["cpu_percent", "own_cpu_percent"]],
  ["temperature", "°C", ["temperature_c"]],
];

export function charts(life) {
  let span = 1_800;
  let columns = {};
  let end = 0;
  let before = null;
  const all = CHARTS.map(([name, unit, names]) => new Chart(t(`chart.${name}`), unit,
    names.map((one) => ({ column: one, text: t(`column.${one}`) }))));
  const switches = h("div", { class: "switch", role: "group", "aria-label": t("chart.span") });
  const paint = () => all.forEach((chart) => chart.draw(columns, end, span));

  function choose(chosen) {
    span = chosen;
    switches.replaceChildren(...SPANS.map((one) =>
      h("button", { "aria-pressed": String(one === span), onclick: () => (choose(one),
        switches.querySelector("[aria-pressed=true]").focus()) }, t(`chart.span_${one}`))));
    paint();
  }

  async function load() {
    try {
      const history = await get("/api/history");
      columns = history.columns;
      end = Date.parse(history.end) / 1000;
      paint();
    } catch {
      // The live figures come all the same.
    }
  }

  box.on("figures", (figures) => {
    const time = Date.parse(figures.time) / 1000;
    if (time - end > 60) load();
    else if (time > end) {
      const values = newest(figures);
      const lost = droppedSoFar(figures);
      values.dropped = before === null ? 0 : Math.max(0, lost - before);
      before = lost;
      for (const [name, list] of Object.entries(columns)) {
        // After a gap in the stream of figures the time axis stays true.
        for (let missed = end + 1; missed < time; missed++) list.push(null);
        list.push(values[name] ?? null);
        if (list.length > KEPT) list.splice(0, list.length - KEPT);
      }
      end = time;
    }
    if (!document.hidden) paint();
  }, life);
  const observer = new ResizeObserver(paint);
  all.forEach((chart) => observer.observe(chart.node));
  life.addEventListener("abort", () => observer.disconnect());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint, { signal: life });
  choose(span);
  load();
  return h("div", { class: "stack" }, switches, h("div", { class: "charts-grid" }, all.map((chart) => chart.node)));
}

/** Frames and packets dropped since the start of the program. */
const droppedSoFar = ({ video, destinations }) =>
  (destinations ?? []).reduce((sum, one) => sum + (one.dropped ?? 0), video?.dropped_late ?? 0);

/** The history's columns as the figures of a second have them. */
function newest({ machine, video, destinations }) {
  const server = destinations?.find((one) => one.name === "main") ?? destinations?.[0];
  return {
    cpu_percent: machine.cpu_percent, own_cpu_percent: machine.own_cpu_percent, temperature_c: machine.temperature_c,
    memory_mb: machine.memory_mb, fps: video?.fps, encoded_kbps: video?.kbps, target_kbps: video?.target_kbps,
    encode_ms: video?.encode_ms, sent_kbps: server?.sent_kbps, behind_ms: server?.queue_ms,
      round_trip_ms: server?.round_trip_ms,
  };
}
