// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// One chart: lines over time on a canvas, with a text for those who do not see it.

import { h, say } from "./dom.js";
import { number, t, timeOfDay } from "./words.js";

const HEIGHT = 150;
const LEFT = 44;
const BOTTOM = 20;
const STROKES = [[2, []], [2, [6, 3]], [2, [2, 3]]];

export class Chart {
  #lines;
  #unit;
  #canvas = h("canvas", { class: "chart", role: "img" });
  #legend = h("ul", { class: "legend" });
  #data = null;
  #at = null;
  #title;
  #least;

  /** `least`: the top of the scale at least, so that little does not look like much. */
  constructor(title, unit, lines, least) {
    this.#title = title;
    this.#least = least;
    this.#unit = unit;
    this.#lines = lines;
    this.#legend.append(...lines.map((line, i) => {
      line.value = h("b", null);
      return h("li", null, h("i", { class: `stroke s${i}` }), line.text, " ", line.value);
    }));
    this.node = h("figure", { class: "chart-box" },
      h("figcaption", null, h("h3", null, title, unit && h("small", null, ` ${unit}`)), this.#legend), this.#canvas);
    const point = (event) => {
      this.#at = event ? event.offsetX : null;
      this.#paint();
    };
    this.#canvas.addEventListener("pointermove", point);
    this.#canvas.addEventListener("pointerleave", () => point(null));
  }

  /** Draws the `span` seconds before the last of `times` (in seconds), each of which has a value in every column. */
  draw(times, columns, span) {
    this.#data = { times, columns, span };
    this.#paint();
  }

  #paint() {
    if (!this.#data) return;
    const { columns, span } = this.#data;
    const canvas = this.#canvas;
    const width = canvas.clientWidth;
    if (!width) return;
    const ratio = Math.min(devicePixelRatio || 1, 2);
    if (canvas.width !== Math.round(width * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = HEIGHT * ratio;
    }
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, HEIGHT);
    const style = getComputedStyle(document.documentElement);
    const [ink, second, third, soft, grid] = ["--ink", "--second", "--third", "--soft", "--line"].map((name) => style.getPropertyValue(name));
    const end = this.#data.times.at(-1);
    const first = this.#data.times.findIndex((time) => time >= end - span);
    const times = first < 0 ? [] : this.#data.times.slice(first);
    const series = this.#lines.map(({ column }) => times.map((_, i) => columns[column]?.[first + i] ?? null));
    const most = series.reduce((max, list) => list.reduce((m, v) => (v > m ? v : m), max), 0);
    const top = roundUp(Math.max(most, this.#least));
    const plot = HEIGHT - BOTTOM - 6;
    const x = (time) => width - ((end - time) / span) * (width - LEFT);
    const y = (value) => 6 + plot * (1 - value / top);

    context.font = "12px ui-monospace, monospace";
    context.textBaseline = "middle";
    for (const part of [0, 0.5, 1]) {
      context.fillStyle = grid;
      context.fillRect(LEFT, Math.round(y(top * part)), width - LEFT, 1);
      context.fillStyle = soft;
      context.textAlign = "right";
      context.fillText(number(top * part, top < 4 ? 1 : 0), LEFT - 6, Math.max(8, y(top * part)));
    }
    if (series.every((list) => list.every((value) => value === null))) {
      context.textAlign = "center";
      context.fillText(t("chart.none"), LEFT + (width - LEFT) / 2, y(top * 0.75));
    }
    context.textAlign = "left";
    context.textBaseline = "alphabetic";
    if (end) {
      context.fillText(timeOfDay((end - span) * 1000).slice(0, 5), LEFT, HEIGHT - 4);
      context.textAlign = "right";
      context.fillText(t("chart.now"), width, HEIGHT - 4);
    }
    series.forEach((list, i) => this.#line(context, times.map(x), list, i, y, [ink, second, third][i]));
    const isPointed = this.#at !== null && this.#at > LEFT && times.length > 0;
    const pointed = isPointed ? end - ((width - this.#at) / (width - LEFT)) * span : end;
    if (isPointed) {
      context.fillStyle = ink;
      context.fillRect(this.#at, 6, 1, plot);
      context.textAlign = "center";
      context.fillText(timeOfDay(pointed * 1000), Math.min(width - 34, Math.max(LEFT + 34, this.#at)),
        HEIGHT - 4);
    }
    this.#words(series, nearest(times, pointed));
  }

  /** A column of pixels shows the mean of its values as a line, and lowest and highest as a band: no peak is lost. */
  #line(context, places, list, i, y, colour) {
    const columns = [];
    list.forEach((value, index) => {
      const at = Math.round(places[index]);
      let column = columns.at(-1);
      if (column?.at !== at) columns.push((column = { at, low: Infinity, high: -Infinity, sum: 0, count: 0 }));
      if (value === null) return;
      column.low = Math.min(column.low, value);
      column.high = Math.max(column.high, value);
      column.sum += value;
      column.count++;
    });
    const [thick, dash] = STROKES[i];
    context.strokeStyle = context.fillStyle = colour;
    context.globalAlpha = 0.22;
    for (const { at, low, high, count } of columns) {
      if (count > 1) context.fillRect(at - 0.5, y(high), 1, y(low) - y(high));
    }
    context.globalAlpha = 1;
    context.lineWidth = thick;
    context.setLineDash(dash);
    context.lineJoin = "round";
    context.beginPath();
    let pen = false;
    for (const { at, sum, count } of columns) {
      if (!count) pen = false;
      else if (pen) context.lineTo(at, y(sum / count));
      else context.moveTo(at, y(sum / count));
      pen = count > 0;
    }
    context.stroke();
    context.setLineDash([]);
  }

  #words(series, index) {
    const texts = this.#lines.map((line, i) => {
      const list = series[i];
      const value = list[index];
      say(line.value, value === null || value === undefined ? "–" : number(value, value < 10 && value % 1 ? 1 : 0));
      const known = list.filter((one) => one !== null);
      if (!known.length) return `${line.text}: –.`;
      const [low, high] = known.reduce(([a, b], one) => [Math.min(a, one), Math.max(b, one)], [Infinity, -Infinity]);
      return t("chart.summary", { name: line.text, now: line.value.textContent, low: number(low),
        high: number(high), unit: this.#unit });
    });
    this.#canvas.setAttribute("aria-label", `${this.#title}. ${texts.join(" ")}`);
  }
}

/** Which of rising times is the nearest to one. */
function nearest(times, time) {
  const next = times.findIndex((one) => one >= time);
  if (next < 0) return times.length - 1;
  return next > 0 && time - times[next - 1] < times[next] - time ? next - 1 : next;
}

/** The next number with few digits that is not below `value`, for the top of a scale. */
function roundUp(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].find((step) => step * power >= value) * power;
}
