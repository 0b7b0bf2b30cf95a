// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// What a layer shows, where, and how it looks. Each choice counts at once; words count when they are handed in.

import { get } from "./api.js";
import { field, fill, h, linkButton, say } from "./dom.js";
import { now } from "./layers.js";
import { setting } from "./settings.js";
import { ANCHORS, dress } from "./stage.js";
import { number, t, tryWord } from "./words.js";

/** Looks of a text. Each sets all three colours. */
export const STYLES = {
  dark: { colour: "#ffffff", box: "#000000b3", outline: "" },
  light: { colour: "#191713", box: "#ffffffe6", outline: "" },
  blue: { colour: "#ffffff", box: "#1c50d0e6", outline: "" },
  plain: { colour: "#ffffff", box: "", outline: "#000000" },
};
/** Sets of the face filter, from little to much. */
const FACES = { little: { preset: 0, white: 35, buffing: 40, ruddy: 10 }, some: { preset: 0, white: 70, buffing: 40, ruddy: 40 },
  much: { preset: 0, white: 100, buffing: 70, ruddy: 10 } };
/** The region of a mask, which is dragged and sized on the picture. */
const REGION = ["x", "y", "width", "height"];
/** Fields that only filters of one kind have. All entries of the list have all of them. */
const KINDS = { mask: [...REGION, "style", "cover"], sharpen: ["sharpness"],
  colour: ["brightness", "contrast", "saturation", "temperature", "tint"], skin: ["white", "buffing", "ruddy"] };
/** Fields with a control of their own, or none. */
const OWN = ["name", "kind", "file", "text", "anchor", "enabled", "on", "preset", "removed", "state", "sentence"];
/** Fields that only texts have. */
const TEXT_ONLY = ["size", "second_size", "scroll", "font", "colour", "outline", "box", "align"];
/** How far a preset stays away from the edge, as a fraction of the shorter side. */
const MARGIN = 0.04;

/**
 * Where a layer is that stands at this edge, corner or in the middle. The lines of a text begin there, too. `shape`: width by
 * height of the picture.
 */
export function placeAt(anchor, shape, isText) {
  const [mx, my] = shape >= 1 ? [MARGIN / shape, MARGIN] : [MARGIN, MARGIN * shape];
  const at = (part, margin) => Math.round((part === 0.5 ? 0.5 : margin + part * (1 - 2 * margin)) * 1000) / 1000;
  const [left, top] = ANCHORS[anchor];
  return { anchor, x: at(left, mx), y: at(top, my), ...(isText && { align: ["left", "center", "right"][left * 2] }) };
}

/** The part of the picture where a layer is: the name of an anchor. */
export function partOf({ x, y }) {
  const third = (at) => (at < 0.34 ? 0 : at > 0.66 ? 1 : 0.5);
  return Object.keys(ANCHORS).find((one) => ANCHORS[one][0] === third(x) && ANCHORS[one][1] === third(y));
}

const alike = (value, fields) => Object.entries(fields).every(([key, one]) => (value[key] ?? "") === one);

/** Buttons of which at most one is pressed. `choices`: names with their fields. `paint` fills a button. */
function presets(legend, group, choices, layer, change, paint) {
  const buttons = Object.entries(choices).map(([name, fields]) => {
    const button = h("button", { type: "button", class: "preset", onclick: () => change(layer, fieldsOf(fields)) });
    paint(button, name);
    return { button, fields };
  });
  const fieldsOf = (fields) => (typeof fields === "function" ? fields() : fields);
  return {
    node: h("fieldset", { class: `presets of-${group}` }, h("legend", null, legend), buttons.map(({ button }) => button)),
    update: (value) => buttons.forEach(({ button, fields }) =>
      button.setAttribute("aria-pressed", String(alike(value, fieldsOf(fields))))),
  };
}

/** A slider with its value. It shows what it does while it is moved, and counts when it is let go. */
function slider(label, { low, high, step, unit, none }, read, write) {
  const shown = h("span", { class: "note" });
  const input = h("input", { type: "range", min: low, max: high, step });
  const node = field(label, input);
  node.querySelector("label").append(shown);
  const tell = () => {
    const value = Number(input.value);
    const text = none && value === 0 ? none
      : unit === "percent" ? `${number(value * 100, high <= 0.5 ? 1 : 0)} %` : `${number(value, step < 1 ? 2 : 0)}${unit}`;
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

/** The control of a field as the box declares it: `one` is a setting of the list that the box gives. */
function declared(key, one, layer, change) {
  const own = tryWord(`layer.${key}`, null);
  const label = own ?? key.replaceAll("_", " ");
  const { type, choices = [], minimum, maximum, allowed = "", unit } = one;
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
    const isPart = type === "number" && maximum <= 2;
    return slider(label, { low: Math.max(minimum, isPart ? 0 : minimum), high: Math.min(maximum, isPart ? 1 : maximum),
      step: type === "integer" ? Math.max(1, Math.round((maximum - minimum) / 100)) : isPart ? 0.01 : (maximum - minimum) / 100,
      none: /^(width|height)$/.test(key) ? t("picture.by_itself") : key === "scroll" && t("picture.stands"),
      unit: isPart ? "percent" : key.endsWith("_ms") ? " ms" : unit && unit.length < 4 ? ` ${unit}` : "" },
    (value) => value[key] ?? 0, (value, isDone) => isDone && change(layer, { [key]: value }));
  }
  if (allowed.includes("#rrggbb")) {
    const input = h("input", { type: "color", onchange: () => {
      const before = now(layer)[key] ?? "";
      // What lets the picture through goes on to do so.
      change(layer, { [key]: input.value + (before ? before.slice(7) : key === "box" ? "b3" : "") });
    } });
    const none = /empty/.test(allowed) &&
      linkButton(t("picture.none"), () => change(layer, { [key]: "" }), label);
    const node = field(label, input, help);
    const note = h("span", { class: "note" });
    node.querySelector("label").append(note);
    if (none) input.after(none);
    return { node, update: (value) => {
      input.value = (value[key] || "#000000").slice(0, 7);
      say(note, value[key] ? "" : t("picture.none"));
      if (none) none.hidden = !value[key];
    } };
  }
  const isTime = key === "from" || key === "until";
  const input = h("input", { type: "text", spellcheck: false, autocomplete: "off", placeholder: isTime ? "18:30" : "",
    onchange: () => change(layer, { [key]: input.value.trim() }) });
  return { node: field(label, input, isTime ? { help: t("layer.times") } : help), update: (value) => {
    if (input !== document.activeElement) input.value = value[key] ?? "";
  } };
}

/** The words of a text. On air nobody should see half of them: they count when they are handed in. */
function words(layer, change) {
  const area = h("textarea", { rows: 2, maxLength: 2_000, spellcheck: true, dir: "auto" });
  const save = h("button", { class: "button solid" }, t("picture.take_words"));
  const show = () => (save.disabled = area.value === now(layer).text || !area.value.trim());
  area.addEventListener("input", show);
  const form = h("form", { class: "stack", onsubmit: (event) => {
    event.preventDefault();
    change(layer, { text: area.value.replace(/\s+$/, "") });
  } }, field(t("picture.words"), area), h("div", { class: "row" }, save));
  let was = null;
  return { node: form, update: ({ text }) => {
    // What somebody is writing is not lost.
    if (was === null || area.value === was) area.value = text;
    was = text;
    area.rows = Math.max(2, area.value.split("\n").length);
    show();
  } };
}

/** The end of a countdown. */
function until(layer, change) {
  const input = h("input", { type: "time", required: true, onchange: () => input.value && change(layer,
    { text: now(layer).text.replace(/\{countdown:[^}]*\}/, `{countdown:${input.value.slice(0, 5)}}`) }) });
  return { node: field(t("picture.until"), input), update: ({ text }) => {
    if (input !== document.activeElement) input.value = /\{countdown:(\d\d:\d\d)/.exec(text)?.[1] ?? "";
  } };
}

/** Which image: one that is on the box, or another. */
function file(layer, change, pick) {
  const select = h("select", { onchange: () => change(layer, { file: select.value }) });
  const button = h("button", { type: "button", class: "button", onclick: () => pick(layer) }, t("picture.upload"));
  get("/api/media").then(({ files }) => {
    const all = files.filter(({ kind }) => kind === "image" || kind === layer.value.kind).map(({ name }) => `media/${name}`);
    fill(select, [...new Set([...all, now(layer).file])].map((one) => h("option", { value: one }, one.replace(/^media\//, ""))));
    select.value = now(layer).file;
  }, () => {});
  return { node: h("div", { class: "stack" }, field(t("media.image"), select), h("div", { class: "row" }, button)),
    update: (value) => {
      if (![...select.options].some((one) => one.value === value.file)) select.append(h("option", { value: value.file },
        value.file.replace(/^media\//, "")));
      select.value = value.file;
    } };
}

/**
 * The form of a layer: its node, and `update`, which shows the layer's values. `preview` shows fields on the picture alone,
 * `shape` tells the picture's width by its height.
 */
export function layerForm(layer, { change, preview, pick, remove, shape }) {
  const { kind, list, text = "", anchor } = { ...layer.value, list: layer.list };
  const isText = kind === "text";
  const parts = [];
  if (isText && /\{countdown:/.test(text)) parts.push(until(layer, change));
  if (isText && !/^\{\w+[^}]*\}$/.test(text.trim())) parts.push(words(layer, change));
  if (kind === "image" || kind === "sticker") parts.push(file(layer, change, pick));
  if (anchor !== undefined) {
    const places = Object.fromEntries(Object.keys(ANCHORS).map((one) => [one, () => placeAt(one, shape(), isText)]));
    parts.push(presets(t("picture.place"), "place", places, layer, change, (button, name) => {
      button.setAttribute("aria-label", t(`place.${name}`));
      button.title = t(`place.${name}`);
      button.append(h("i", { data: { at: name } }));
    }));
  }
  const size = isText ? "size" : "width";
  if (list === "overlay" && (isText || layer.value.width > 0)) {
    parts.push(slider(t(isText ? "picture.letters" : "picture.width"),
      isText ? { low: 0.02, high: 0.3, step: 0.005, unit: "percent" } : { low: 0.02, high: 1, step: 0.01, unit: "percent" },
      (value) => value[size], (value, isDone) => (isDone ? change : preview)(layer, { [size]: value })));
  }
  if (isText) parts.push(presets(t("picture.style"), "style", STYLES, layer, change, (button, name) => {
    const sample = h("span", null, t("picture.sample"));
    dress(sample, { font: "Sans Bold", ...STYLES[name] });
    button.setAttribute("aria-label", t(`style.${name}`));
    button.append(sample);
  }));
  if (kind === "skin") parts.push(presets(t("picture.strength"), "faces", FACES, layer, change, (button, name) =>
    button.append(t(`faces.${name}`))));
  const left = ["x", "y", ...isText ? ["height", "size"] : TEXT_ONLY, ...(layer.value.width > 0 ? ["width"] : [])];
  // A kind that is new to the page has what no other kind has.
  const others = Object.values(KINDS).flat();
  const isShown = (key) => (list === "overlay" ? !left.includes(key)
    : KINDS[kind] ? KINDS[kind].includes(key) && !REGION.includes(key) || key === "order" && kind !== "mask"
    : !others.includes(key));
  const fields = Object.keys(layer.value).filter((key) => !OWN.includes(key) && isShown(key))
    .map((key) => [key, setting(`${list}.${layer.name}.${key}`)]).filter(([, one]) => one)
    .map(([key, one]) => declared(key, one, layer, key in FACES.some
      ? (of, values) => change(of, { ...values, preset: 0 }) : change));
  const rest = h("div", { class: "stack" }, fields.map((one) => one.node));
  const more = fields.length > 0 && (parts.length === 0 ? rest
    : h("details", { class: "quiet" }, h("summary", null, t("extra.more")), rest));
  const drop = h("button", { type: "button", class: "link", onclick: () => remove(layer) }, t("picture.remove"));
  const node = h("div", { class: "stack layer-form" }, parts.map((one) => one.node), more, h("div", { class: "row" }, drop));
  return { node, update: (value) => [...parts, ...fields].forEach((one) => one.update(value)) };
}
