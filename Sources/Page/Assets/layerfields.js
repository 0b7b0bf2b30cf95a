// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The controls for the fields of a layer, as the box declares them: `one` is a setting of the list that the box gives.

import { get } from "./api.js";
import { field, h, linkButton, say } from "./dom.js";
import { now } from "./layers.js";
import { joint, number, t, tryWord } from "./words.js";

/** The fonts that every box has. */
const FONTS = ["Sans", "Serif", "Monospace"];
/** Who types nothing for so long has written what they meant. */
const TYPED_MS = 700;

/** Shows a value, unless somebody is writing there, or what was written there is refused and has to be mended. */
function show(input, value) {
  if (input !== document.activeElement && !input.hasAttribute("aria-invalid")) input.value = value;
}

/** A slider with its value. It shows what it does while it is moved, and counts when it is let go. */
export function slider(label, { low, high, step, unit, none }, read, write) {
  const shown = h("span");
  const input = h("input", { type: "range", min: low, max: high, step });
  const node = field(label, input, { note: shown });
  const tell = () => {
    const value = Number(input.value);
    const text = none && value === 0 ? none
      : unit === "height" ? t("picture.of_height", { part: number(value * 100, 1) }) : unit === "percent" ? `${number(value * 100, high <= 0.5 ? 1 : 0)} %` : `${number(value, step < 1 ? 1 : 0)}${unit}`;
    say(shown, text);
    input.setAttribute("aria-valuetext", text);
  };
  input.addEventListener("input", () => {
    tell();
    write(Number(input.value), false);
  });
  input.addEventListener("change", () => write(Number(input.value), true));
  return { node, update: (value) => {
    if (input.matches(":active")) return;
    input.value = read(value);
    tell();
  } };
}

/** The slider of a number with a range. */
function range(key, label, { type, minimum, maximum, unit }, layer, change) {
  const keep = (value, isDone) => isDone && change(layer, { [key]: value });
  // People think of what is seen through it.
  if (key === "opacity") {
    return slider(label, { low: 0, high: 1, step: 0.01, unit: "percent" }, (value) => 1 - value.opacity,
      (value, isDone) => keep(Math.round(100 - value * 100) / 100, isDone));
  }
  if (key.endsWith("_ms")) {
    return slider(label, { low: minimum / 1000, high: maximum / 1000, step: 0.1, unit: " s" }, (value) => value[key] / 1000,
      (value, isDone) => keep(Math.round(value * 1000), isDone));
  }
  const isPart = type === "number" && maximum <= 2;
  return slider(label, { low: Math.max(minimum, isPart ? 0 : minimum), high: Math.min(maximum, isPart ? 1 : maximum),
    step: type === "integer" ? Math.max(1, Math.round((maximum - minimum) / 100)) : isPart ? 0.01 : (maximum - minimum) / 100,
    none: /^(width|height)$/.test(key) ? t("picture.by_itself") : key === "scroll" && t("picture.stands"),
    unit: isPart ? "percent" : unit && unit.length < 4 ? ` ${unit}` : "" }, (value) => value[key] ?? 0, keep);
}

/** When a layer comes or goes: a time each day, or on one day. */
function moment(key, label, layer, change) {
  const time = h("input", { type: "time", onchange: soon });
  const day = h("input", { type: "date", max: "9999-12-31", "aria-label": joint([label, t("picture.day")]), onchange: soon });
  const node = field(label, time, key === "until" ? { help: t("layer.times") } : {});
  const both = h("div", { class: "moment" });
  time.replaceWith(both);
  both.append(time, day);
  let timer = null;
  // Each digit is a change, and half of a time is another one.
  function soon() {
    clearTimeout(timer);
    timer = setTimeout(keep, TYPED_MS);
  }
  both.addEventListener("focusout", () => timer && keep());
  function keep() {
    clearTimeout(timer);
    timer = null;
    const isTaken = Boolean(now(layer)[key]);
    // A day alone waits for its time.
    if (!time.value && !isTaken) return;
    if (!time.value) day.value = "";
    change(layer, { [key]: [day.value, time.value.slice(0, 5)].filter(Boolean).join(" ") });
  }
  return { node, update: (value) => {
    if (timer || node.contains(document.activeElement) || day.value && !time.value) return;
    const [at, on = ""] = value[key].split(" ").reverse();
    show(time, at);
    if (!time.hasAttribute("aria-invalid")) day.value = on;
  } };
}

/** The fonts of the box, and those that were uploaded. `load` asks for these. */
function fonts(label, layer, change) {
  const select = h("select", { onchange: () => change(layer, { font: select.value }) });
  const add = (value, text = value) => {
    if (value && ![...select.options].some((one) => one.value === value)) select.append(h("option", { value }, text));
  };
  for (const one of FONTS) {
    const font = t(`layer.font_${one.toLowerCase()}`);
    add(`${one} Bold`, t("layer.font_bold", { font }));
    add(one, font);
  }
  return { node: field(label, select), update: ({ font }) => {
    add(font);
    select.value = font;
  }, load: () => get("/api/media").then(({ files }) => files.forEach(({ family }) => add(family)), () => {}) };
}

/** The colour of a part of a layer, which may be none. */
function colour(key, label, { allowed, help }, layer, change) {
  const input = h("input", { type: "color", onchange: () => {
    const before = now(layer)[key] ?? "";
    // The input knows only "#rrggbb". The two digits after that, how opaque the colour is, stay as they were; a first box
    // is 70 % opaque.
    change(layer, { [key]: input.value + (before ? before.slice(7) : key === "box" ? "b3" : "") });
  } });
  const none = /empty/.test(allowed) &&
    linkButton(t("picture.none"), () => change(layer, { [key]: "" }), label);
  const note = h("span");
  const node = field(label, input, { ...help, note });
  if (none) input.after(none);
  return { node, update: (value) => {
    input.value = (value[key] || "#000000").slice(0, 7);
    say(note, value[key] ? "" : t("picture.none"));
    if (none) none.hidden = !value[key];
  } };
}

/** The control of a field: its node, and `update`, which shows the layer's value. */
export function declared(key, one, layer, change) {
  const own = tryWord(`layer.${key}`, null);
  const label = own ?? key.replaceAll("_", " ");
  const { type, choices = [], minimum, maximum, allowed = "" } = one;
  const help = own ? {} : { help: one.help, helpLanguage: "en" };
  if (type === "boolean") {
    const input = h("input", { type: "checkbox", class: "switch-box", role: "switch",
      onchange: () => change(layer, { [key]: input.checked }) });
    return { node: h("label", { class: "switch-line" }, input, h("span", null, label)),
      update: (value) => (input.checked = Boolean(value[key])) };
  }
  if (choices.length) {
    const select = h("select", { onchange: () => change(layer, { [key]: select.value }) },
      choices.map((choice) => h("option", { value: choice }, tryWord(`layer.${key}_${choice}`, choice))));
    return { node: field(label, select, help), update: (value) => (select.value = value[key]) };
  }
  if (/^(integer|number)$/.test(type) && typeof minimum === "number" && typeof maximum === "number") {
    return range(key, label, one, layer, change);
  }
  if (allowed.includes("#rrggbb")) return colour(key, label, { allowed, help }, layer, change);
  if (key === "from" || key === "until") return moment(key, label, layer, change);
  if (key === "font") return fonts(label, layer, change);
  const input = h("input", { type: "text", spellcheck: false, autocomplete: "off",
    onchange: () => change(layer, { [key]: input.value.trim() }) });
  return { node: field(label, input, help), update: (value) => show(input, value[key] ?? "") };
}
