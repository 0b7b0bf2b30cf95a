// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The charts: the last two hours of the box, with a value for each few seconds, and on with each second.

import { get } from "./api.js";
import { box } from "./box.js";
import { Chart } from "./chart.js";
import { h } from "./dom.js";
import { behind } from "./state.js";
import { t } from "./words.js";

const SPANS = [300, 1_800, 7_200];
const KEPT_SECONDS = 7_200;
/** After so long without figures the history is asked for, which has them. */
const GAP_SECONDS = 12;

/**
 * Each chart: its name, unit, the top of its scale at least, and columns of the history. The first one is drawn as the
 * main line.
 */
const CHARTS = [
  ["rate", "kbit/s", 1_000, ["sent_kbps", "encoded_kbps", "target_kbps"]],
  ["behind", "ms", 1_000, ["behind_ms", "round_trip_ms"]],
  ["frames", "", 25, ["fps", "dropped_late", "dropped_network"]],
  ["encode", "ms", 40, ["encode_ms"]],
  ["processor", "%", 100, ["cpu_percent", "own_cpu_percent"]],
  ["temperature", "°C", 100, ["temperature_c"]],
];
/** Columns that count: the history has the sum of an interval, and the chart shows what there was in a second. */
const COUNTED = ["dropped_late", "dropped_network"];
const COLUMNS = CHARTS.flatMap(([, , , names]) => names);

export function charts(life) {
  let span = 1_800;
  let times = [];
  let columns = Object.fromEntries(COLUMNS.map((name) => [name, []]));
  const counters = {};
  let isLoading = false;
  const all = CHARTS.map(([name, unit, least, names]) => new Chart(t(`chart.${name}`), unit,
    names.map((one) => ({ column: one, text: t(`column.${one}`) })), least));
  const switches = h("div", { class: "switch", role: "group", "aria-label": t("chart.span") });
  const paint = () => all.forEach((chart) => chart.draw(times, columns, span));

  function choose(chosen) {
    span = chosen;
    switches.replaceChildren(...SPANS.map((one) =>
      h("button", { "aria-pressed": String(one === span), onclick: () => (choose(one),
        switches.querySelector("[aria-pressed=true]").focus()) }, t(`chart.span_${one}`))));
    paint();
  }

  async function load() {
    if (isLoading) return;
    isLoading = true;
    try {
      const history = await get("/api/history");
      const { interval } = history;
      const end = Date.parse(history.end) / 1000;
      columns = Object.fromEntries(COLUMNS.map((name) => [name, history.columns[name]]));
      for (const name of COUNTED) columns[name] = columns[name].map((sum) => (sum === null ? null : sum / interval));
      times = columns.fps.map((_, i, { length }) => end - (length - 1 - i) * interval);
      paint();
    } catch {
      // The banner tells when the box is gone.
    }
    isLoading = false;
  }

  box.on("figures", (figures) => {
    const time = Date.parse(figures.time) / 1000;
    const end = times.at(-1) ?? -Infinity;
    const values = { ...newest(figures), ...droppedSince(counters, figures) };
    // A clock that was set back counts as a gap, too.
    if (Math.abs(time - end) > GAP_SECONDS) load();
    if (time > end) {
      times.push(time);
      for (const name of COLUMNS) columns[name].push(values[name] ?? null);
      const old = times.findIndex((one) => one >= time - KEPT_SECONDS);
      for (const list of [times, ...Object.values(columns)]) list.splice(0, old);
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

const mainOf = (destinations) => destinations.find((one) => one.name === "main");

/** What viewers missed since the figures before, whose `counters` it replaces. */
function droppedSince(counters, { video, audio, destinations }) {
  const since = (name, count) => {
    // A part that is closed has no counter, and goes on counting when it is open again.
    if (count === undefined) return 0;
    const before = counters[name] ?? count;
    counters[name] = count;
    return Math.max(0, count - before);
  };
  return {
    dropped_late: since("video", video?.dropped_late) + since("audio", audio?.dropped),
    dropped_network: since("main", mainOf(destinations)?.dropped),
  };
}

/** The history's columns as the figures of a second have them. */
function newest({ machine, video, audio, destinations }) {
  const server = mainOf(destinations);
  return {
    cpu_percent: machine.cpu_percent, own_cpu_percent: machine.own_cpu_percent, temperature_c: machine.temperature_c,
    fps: video?.fps, encoded_kbps: video?.kbps ?? audio?.kbps, target_kbps: video?.target_kbps,
    encode_ms: video?.encode_ms, sent_kbps: server?.sent_kbps, behind_ms: behind(server),
    round_trip_ms: server?.round_trip_ms,
  };
}
