// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// What a layer shows, where, and how it looks. Each choice counts at once; words count when they are handed in.

import { get } from "./api.js";
import { field, fill, h, linkButton, say } from "./dom.js";
import { declared, slider } from "./layerfields.js";
import { now } from "./layers.js";
import { setting } from "./settings.js";
import { ANCHORS, dress } from "./stage.js";
import { problemText } from "./why.js";
import { t } from "./words.js";

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
const OWN = ["name", "kind", "file", "text", "anchor", "enabled", "on", "preset", "removed", "state", "sentence", "order", "z"];
/** Fields that are folded away together; all others are under "More". */
const FOLDS = { letters: ["font", "colour", "outline", "box", "align", "width", "second_size", "scroll"],
  times: ["from", "until", "fade_ms"] };
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

/** Where something new is put: at its usual place, or where nothing else is yet. `values`: of what is there. */
export function freePlace(usual, values) {
  const taken = values.map(partOf);
  return [usual, "top-left", "top-right", "bottom-left", "bottom-right", "top", "bottom"].find((one) => !taken.includes(one)) ?? usual;
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

/** The words of a text. On air nobody should see half of them: they count when they are handed in. */
function words(layer, change) {
  const area = h("textarea", { rows: 2, maxLength: 2_000, spellcheck: true, dir: "auto" });
  const save = h("button", { class: "button solid" });
  const show = () => (save.disabled = area.value === now(layer).text || !area.value.trim());
  area.addEventListener("input", show);
  const form = h("form", { class: "stack", onsubmit: (event) => {
    event.preventDefault();
    change(layer, { text: area.value.replace(/\s+$/, "") });
  } }, field(t("picture.words"), area), h("div", { class: "row" }, save));
  let was = null;
  return { node: form, unsaved: () => (save.disabled ? {} : { text: area.value.replace(/\s+$/, "") }), update: ({ text, enabled }) => {
    say(save, t(enabled ? "picture.take_words" : "picture.save_words"));
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
 * The form of a layer: its node; `unsaved`, the fields with words that were written and not saved; `update`, which shows the
 * layer's values; and `blame`, which shows mistakes at their fields and returns whether all of them have one. `preview` shows
 * fields on the picture alone, `order` puts the layer in front of the next one (1) or behind it (-1), `shape` tells the picture's
 * width by its height.
 */
export function layerForm(layer, { change, preview, pick, order, remove, shape }) {
  const { kind, list, text = "", anchor, scroll, width, height } = { ...layer.value, list: layer.list };
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
  if (list === "overlay" && (isText || width > 0)) {
    parts.push(slider(t(isText ? "picture.letters" : "picture.width"),
      isText ? { low: 0.02, high: 0.3, step: 0.005, unit: "height" } : { low: 0.02, high: 1, step: 0.01, unit: "percent" },
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
  // A text that stands still begins to move as another kind, and an image has the height that its width gives it.
  const left = ["x", "y", ...isText ? ["height", "size", ...scroll ? [] : ["scroll"]]
    : [...TEXT_ONLY, ...width > 0 ? ["width", ...height > 0 ? [] : ["height"]] : []]];
  // A kind that is new to the page has what no other kind has.
  const others = Object.values(KINDS).flat();
  const isShown = (key) => (list === "overlay" ? !left.includes(key)
    : KINDS[kind] ? KINDS[kind].includes(key) && !REGION.includes(key) : !others.includes(key));
  const keep = kind === "skin" ? (of, values) => change(of, { ...values, preset: 0 }) : change;
  const usual = {};
  const fields = Object.keys(layer.value).filter((key) => !OWN.includes(key) && isShown(key))
    .map((key) => [key, setting(`${list}.${layer.name}.${key}`)]).filter(([, one]) => one).map(([key, one]) => {
      if (typeof one.default === "number") usual[key] = one.default;
      return { key, ...declared(key, one, layer, keep) };
    });
  if (list === "overlay") {
    const key = (name, step) => h("button", { type: "button", class: "button", onclick: () => order(layer, step) }, t(`picture.${name}`));
    fields.push({ key: "z", node: h("div", { class: "row" }, key("front", 1), key("back", -1)), update() {} });
  }
  const foldOf = (key) => Object.keys(FOLDS).find((one) => list === "overlay" && FOLDS[one].includes(key)) ?? "more";
  const folded = (name) => fields.filter(({ key }) => foldOf(key) === name);
  const normal = list === "filter" && Object.keys(usual).length > 0
    && linkButton(t("picture.normal"), () => keep(layer, usual));
  const body = (some) => h("div", { class: "stack" }, some.map((one) => one.node), normal && h("div", { class: "row" }, normal));
  // One at a time is open: a phone shows no more.
  const fold = (name, title) => folded(name).length > 0 && h("details", { class: "quiet", name: `${list}-${layer.name}`,
    ontoggle: ({ target }) => {
      folded(name).forEach((one) => one.load?.());
      if (name === "more") say(target.firstChild, t(`extra.${target.open ? "less" : "more"}`));
    } }, h("summary", null, title), body(folded(name)));
  const more = parts.length === 0 ? body(fields)
    : h("div", { class: "folds" }, fold("letters", t("picture.look")), fold("times", t("picture.times")), fold("more", t("extra.more")));
  const drop = linkButton(t("picture.remove"), () => remove(layer));
  const node = h("div", { class: "stack layer-form" }, parts.map((one) => one.node), more, h("div", { class: "row" }, drop));
  return {
    node,
    unsaved: () => parts.find((one) => one.unsaved)?.unsaved() ?? {},
    update(value) {
      for (const one of [...parts, ...fields]) one.update(value);
      for (const { key, node: own } of fields) {
        if (key === "second_size") own.hidden = !value.text.includes("\n");
        if (key === "opacity") own.problem(value.opacity ? "" : t("picture.unseen"));
      }
      if (normal) normal.hidden = alike(value, usual);
    },
    blame(problems) {
      for (const one of fields) one.node.problem?.("");
      return problems.length > 0 && problems.every((problem) => {
        const one = fields.find(({ key }) => problem.key?.endsWith(`.${key}`))?.node;
        if (!one?.problem) return false;
        one.problem(problemText(problem));
        one.scrollIntoView({ block: "nearest" });
        return true;
      });
    },
  };
}
