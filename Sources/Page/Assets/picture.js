// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// What is on the picture: each logo, name and clock is a layer, which is dragged on the picture and switched in a list.

import { Refusal } from "./api.js";
import { box } from "./box.js";
import { announce, ask, field, fill, h, linkButton, say } from "./dom.js";
import { upload } from "./images.js";
import { dressed } from "./dress.js";
import { STYLES, freePlace, layerForm, partOf, placeAt } from "./layerform.js";
import { isJustSaved, keepLayers, labelOf, now, troubleOf, uncovers } from "./layers.js";
import { monitor } from "./monitor.js";
import { load, setting } from "./settings.js";
import { isPlaced, stage } from "./stage.js";
import { reasonOf } from "./reasons.js";
import { reading, shownTo, timeOf, title, view as viewersGet } from "./state.js";
import { missingText, why } from "./why.js";
import { sentences, t, tryWord } from "./words.js";

/** Filters without a place, and what they are called. */
const FILTERS = { skin: "faces", colour: "colours", sharpen: "sharper" };

export async function view(page, life) {
  await Promise.all([load(true), dressed()]);
  const screen = monitor({ life, name: page.session.name });
  const frame = screen.node.querySelector(".screen");
  const video = screen.node.querySelector("video");
  // The whole picture is for the layers: what else stands on it goes beneath it.
  frame.after(screen.node.querySelector(".cover"), screen.node.querySelector(".tools"));
  /** Why viewers do not get the picture as it is here. */
  const reason = h("p", { class: "off-picture", role: "status" });
  const hint = h("p", { class: "help" });
  const byKeys = h("p", { class: "help by-keys" }, t("picture.keys"));
  const problem = h("p", { class: "problem", role: "alert" });
  const list = h("ul", { class: "layers" });
  const area = h("div", { class: "stack adding", hidden: true });
  const chosen = h("input", { type: "file", accept: "image/*", class: "unseen", tabindex: "-1", "aria-hidden": "true",
    onchange: picked });
  const none = h("p", { class: "help", hidden: true }, t("picture.nothing"));
  const adds = h("div", { class: "adds" });
  const begins = h("p", { class: "help" }, t("picture.begins_off"));
  const rows = new Map();
  let selected = null;
  let opened = null;
  /** The layer that was dragged or sized last, with the fields that it had before; null for none. */
  let dragged = null;
  const undo = h("button", { type: "button", class: "button", onclick: () => {
    const { layer, before } = dragged;
    dragged = null;
    scene.focus(layer);
    change(layer, before);
  } }, t("picture.put_back"));
  /** Which layer gets the image that is chosen; null for a new one. */
  let replaced = null;
  /** What the file is for: "image" or "sticker". */
  let picking = "image";

  const layers = keepLayers(life, ["overlay", "filter"], paint, (text, layer, refusal) => {
    // What the fields say is not said twice.
    const isTold = rows.get(layer)?.form.blame(refusal?.problems ?? []);
    say(problem, isTold ? "" : text);
    if (problem.textContent) problem.scrollIntoView({ block: "nearest" });
  });
  const select = (layer) => {
    selected = layer;
    paint();
  };
  const scene = stage({ select, change: drag, open: (layer) => open(layer, true), isAbsent });
  frame.append(scene.node);
  life.addEventListener("abort", scene.settle);

  const isLost = () => box.link === "lost";
  const isPlaying = () => screen.node.dataset.picture === "playing";

  const isOnAir = () => !isLost() && box.status && box.status.intent.broadcast !== "off";
  /** Whether a still is sent, which does not have this layer. */
  const lacksIt = (layer) => isOnAir() && box.status.video.endsWith("_still") && !now(layer).on_stills;

  /** Whether a layer is not on the picture that viewers have now. */
  function isAbsent(layer) {
    const { enabled, state } = now(layer);
    return !enabled || isPlaying() && (lacksIt(layer) || state === "waiting");
  }

  /** Width by height of the picture that is sent. */
  function shape() {
    if (isPlaying() && video.videoWidth) return video.videoWidth / video.videoHeight;
    const [width, height] = (setting("video.size")?.value ?? "1280x720").split("x").map(Number);
    return width / height || 16 / 9;
  }

  function open(layer, takesFocus) {
    opened = opened === layer && !takesFocus ? null : layer;
    selected = layer;
    paint();
    if (!takesFocus) return;
    const { toggle } = rows.get(layer);
    toggle.focus();
    toggle.scrollIntoView({ block: "nearest" });
  }

  /** Changes a layer; returns whether it does. What a mask hides must not be shown by a slip of the hand. */
  async function change(layer, fields) {
    const text = t(fields.enabled === false ? "picture.unmask_text" : "picture.unmask_part");
    const isSure = !uncovers(layer, fields)
      || await ask(t("picture.unmask_title"), text, t("picture.unmask"), t("common.cancel"));
    // A place before this change does not fit any more.
    if (isSure) dragged = null, layers.change(layer, fields);
    else paint();
    return isSure;
  }

  /** The same for what a hand or the keys do on the picture, which may be put back. */
  async function drag(layer, fields) {
    const before = Object.fromEntries(Object.keys(fields).map((key) => [key, now(layer)[key]]));
    const isDone = await change(layer, fields);
    if (isDone) dragged = { layer, before };
    paint();
    return isDone;
  }

  /** Puts an overlay in front of the next one, or behind the one before it. */
  function order(layer, step) {
    const all = layers.all.filter(({ list: name }) => name === layer.list);
    const at = all.indexOf(layer) + step;
    if (at < 0 || at >= all.length) return;
    all.splice(at - step, 1);
    all.splice(at, 0, layer);
    all.forEach((one, i) => now(one).z !== i + 1 && layers.change(one, { z: i + 1 }));
  }

  async function remove(layer) {
    const name = labelOf(layer);
    const text = t(layer.value.kind === "mask" ? "picture.unmask_text" : "picture.remove_text");
    const isSure = await ask(t("picture.remove_title", { name }), text, t("picture.remove"), t("common.cancel"));
    if (!isSure || !await layers.remove(layer)) return;
    announce(t("picture.removed", { name }));
    adds.querySelector("button")?.focus({ preventScroll: true });
  }

  function row(layer) {
    const id = `layer-${layer.list}-${layer.name}`;
    const form = layerForm(layer, { change, preview: scene.preview, pick, order, remove, shape });
    const name = h("b", null);
    const small = h("small", null);
    const saved = h("small", { class: "saved" });
    const toggle = h("button", { type: "button", class: "layer-name", "aria-controls": id, onclick: () => open(layer) },
      name, small, saved);
    const shown = h("input", { type: "checkbox", class: "switch-box", role: "switch",
      // Words that were written and not saved come with it: viewers must not see the old ones.
      onchange: () => change(layer, { ...shown.checked && form.unsaved(), enabled: shown.checked }) });
    const wrong = h("p", { class: "problem" });
    const body = h("div", { id, hidden: true }, form.node);
    const node = h("li", null, h("div", { class: "layer-head" }, toggle, shown), wrong, body);
    return { node, toggle, name, small, saved, shown, wrong, body, form };
  }

  /** What a layer is, and whether viewers see it. A filter changes what they see. */
  function told(layer) {
    const value = now(layer);
    const { kind, enabled, state } = value;
    const isFilter = layer.list === "filter";
    const parts = isFilter ? [t(kind === "mask" ? "picture.part" : "picture.whole")]
      : [tryWord(`add.${layer.name.replace(/-\d+$/, "")}`, tryWord(`media.${kind}`, kind)), t(`place.${partOf(value)}`)];
    parts.push(!enabled ? t(isFilter ? "picture.filter_off" : "picture.off")
      : state === "waiting" ? t("picture.waiting") : value.opacity === 0 ? t("picture.unseen")
      : isFilter ? t("picture.filter_on") : shownTo(box.status, value.on_stills));
    return parts.join(" · ");
  }

  function paint() {
    if (life.aborted) return;
    if (!layers.all.includes(opened)) opened = null;
    if (!layers.all.includes(selected)) selected = null;
    for (const [layer, { node }] of rows) {
      if (layers.all.includes(layer)) continue;
      node.remove();
      rows.delete(layer);
    }
    const held = document.activeElement;
    layers.all.forEach((layer, i) => {
      if (!rows.has(layer)) rows.set(layer, row(layer));
      const { node, toggle, name, small, saved, shown, wrong, body, form } = rows.get(layer);
      if (list.children[i] !== node) list.insertBefore(node, list.children[i] ?? null);
      const value = now(layer);
      const sentence = !isLost() && (troubleOf(layer)?.sentence ?? (value.state === "unusable" && value.sentence));
      say(name, labelOf(layer));
      say(small, told(layer));
      say(saved, isJustSaved(layer) ? t("form.saved") : "");
      shown.checked = value.enabled;
      shown.disabled = isLost();
      shown.setAttribute("aria-label", labelOf(layer));
      fill(wrong, sentence ? [t("picture.unusable"), " ", h("span", { lang: "en" }, sentence)] : []);
      node.classList.toggle("selected", layer === selected);
      body.hidden = layer !== opened;
      toggle.setAttribute("aria-expanded", String(layer === opened));
      body.toggleAttribute("inert", isLost());
      form.update(value);
    });
    // A card that moves in the list loses the focus.
    if (list.contains(held)) held.focus({ preventScroll: true });
    none.hidden = layers.all.length > 0 || !layers.known.overlay;
    paintAdds();
    undo.hidden = !layers.all.includes(dragged?.layer);
    frame.style.setProperty("--shape", shape());
    frame.toggleAttribute("inert", isLost());
    node.classList.toggle("unknown", isLost());
    scene.paint(layers.all, selected, isPlaying());
    const isEmpty = !layers.all.length;
    byKeys.hidden = isLost() || isEmpty;
    const hasMask = !isLost() && layers.all.some(({ value }) => value.kind === "mask");
    say(hint, (isLost() || isEmpty || isPlaying() ? "" : `${t("picture.plain")} `)
      + t(isLost() ? "picture.lost" : isEmpty ? "picture.begin" : "picture.hint") + (hasMask ? ` ${t("picture.choose_mask")}` : ""));
  }

  /** The ways to a further layer. Those that the box does not know are not offered. */
  function paintAdds() {
    const kinds = [...(layers.known.overlay ? ["image", "speaker", "text", "clock", "countdown", "ticker", "sticker"] : []),
      ...(layers.known.filter ? ["mask", ...["skin", "colour", "sharpen"].filter((kind) => !layers.all.some((one) =>
        one.value.kind === kind))] : [])];
    if (adds.dataset.kinds !== kinds.join()) {
      adds.dataset.kinds = kinds.join();
      fill(adds, kinds.map((kind) =>
        h("button", { type: "button", class: "button", onclick: () => begin(kind) }, t(`add.${kind}`))));
    }
    for (const button of adds.children) button.disabled = isLost();
  }

  /** Adds a layer, and takes hold of it. */
  async function add(listName, start, body) {
    const form = area.firstChild;
    // Nothing comes on the air by a file that was chosen or a text that was written. What hides something does so at once.
    const isOff = listName === "overlay" && isOnAir();
    if (!await layers.add(listName, start, { ...isOff && { enabled: false }, ...body }) || life.aborted) return false;
    // Somebody may be about to add the next one.
    if (area.firstChild === form) close();
    const layer = layers.all.findLast((one) => one.list === listName);
    if (!layer || !area.hidden) return true;
    opened = selected = layer;
    paint();
    // Its card says so, too. A message over the picture would cover it.
    announce(t(layer.value.enabled ? "picture.added" : "picture.added_off", { name: labelOf(layer) }));
    if (isPlaced(layer)) scene.focus(layer);
    else rows.get(layer).toggle.focus();
    rows.get(layer).node.scrollIntoView();
    return true;
  }

  const free = (usual) => freePlace(usual, layers.all.filter(({ list }) => list === "overlay").map(now));
  const addText = (start, text, anchor, more) => add("overlay", start,
    { kind: "text", text, ...placeAt(free(anchor), shape(), true), width: 0, size: 0.055, ...STYLES.dark, ...more });

  function begin(kind) {
    if (kind === "image" || kind === "sticker") return pick(null, kind);
    if (kind === "clock") return addText("clock", "{time:%H:%M}", "top-left", { size: 0.05, ...STYLES.plain });
    if (kind === "mask") return add("filter", "mask", { kind, x: 0.35, y: 0.35, width: 0.3, height: 0.3 });
    if (FILTERS[kind]) return add("filter", FILTERS[kind], { kind });
    const line = () => h("input", { type: "text", maxLength: 100, autocomplete: "off", dir: "auto" });
    const inputs = kind === "speaker" ? [line(), line()] : kind === "countdown" ? [h("input", { type: "time" })]
      : [h("textarea", { rows: 2, maxLength: 2_000, dir: "auto" })];
    const labels = { speaker: ["picture.first_line", "picture.second_line"], countdown: ["picture.until"], text: ["picture.words"], ticker: ["picture.words"] }[kind];
    const fields = inputs.map((input, i) => field(t(labels[i]), input));
    const form = h("form", { class: "stack", noValidate: true, onsubmit: async (event) => {
      event.preventDefault();
      fields[0].problem(inputs[0].value.trim() ? "" : t("picture.empty"));
      if (!inputs[0].value.trim()) return inputs[0].focus();
      const text = inputs.map((input) => input.value.trim()).filter(Boolean).join("\n");
      // A name is switched on when its person speaks.
      if (kind === "speaker") await addText("speaker", text, "bottom-left", { enabled: false, second_size: 0.65 });
      else if (kind === "countdown") {
        await addText("countdown", `{countdown:${text.slice(0, 5)}}`, "center", { size: 0.14, ...STYLES.plain });
      }
      else if (kind === "ticker") await add("overlay", "ticker", { kind: "text", text: text.replaceAll("\n", " "), preset: "ticker" });
      else await addText("text", text, "bottom");
    } }, h("h3", null, t(`add.${kind}`)), fields,
    h("div", { class: "row" }, h("button", { class: "button solid" }, t("picture.add")), linkButton(t("common.cancel"), () => {
      close();
      adds.querySelector("button")?.focus();
    })));
    fill(area, form);
    area.hidden = false;
    inputs[0].focus();
    form.lastChild.scrollIntoView({ block: "nearest" });
  }

  function close() {
    area.hidden = true;
    fill(area);
  }

  function pick(layer, kind = layer.value.kind) {
    replaced = layer;
    picking = kind;
    chosen.accept = kind === "sticker" ? "image/png,image/apng,.zip" : "image/*";
    chosen.click();
  }

  /** An image was chosen: for a layer, or for a new one. */
  async function picked() {
    const [image] = chosen.files;
    chosen.value = "";
    if (!image) return;
    say(problem, "");
    say(hint, t("picture.sending"));
    try {
      const file = await upload(image, picking === "sticker");
      if (replaced && layers.all.includes(replaced)) change(replaced, { file });
      else await add("overlay", picking === "sticker" ? "sticker" : "logo", { kind: picking, file, ...placeAt(free("top-right"), shape()), width: 0.18 });
    } catch (error) {
      say(problem, error instanceof Refusal ? why(error) : error.message);
    }
    paint();
  }

  function update() {
    if (!box.status) return;
    const state = reading(box.status);
    screen.update({ ...state, text: title(box.status), clock: timeOf(box.status, box.elapsed()),
      missing: state.onAir ? "" : missingText(box.status) });
    const isTold = isOnAir() && /^(red|yellow)$/.test(state.colour);
    reason.dataset.colour = state.colour;
    // The state says already that nobody gets anything.
    const seen = box.status.presence.audience !== "nobody" && viewersGet(box.status);
    say(reason, isTold ? sentences([t(state.sentence), seen, reasonOf(box.status)]) : "");
  }

  const node = h("div", { class: "picture" }, h("h1", { class: "unseen" }, t("nav.picture")),
    h("div", { class: "picture-screen" }, screen.node, problem, reason, hint, byKeys, undo),
    h("section", { class: "stack layer-desk", "aria-label": t("picture.layers") }, h("h2", null, t("picture.layers")), none, list,
      chosen, area, h("h2", null, t("picture.add")), begins, adds, h("p", { class: "help" }, t("picture.which"))));
  // A phone's bars and its picture lie over the page: the field that is written in comes between them.
  list.addEventListener("focusin", ({ target }) => target.matches("textarea, [type=text], [type=time], [type=date]")
    && target.closest(".field").scrollIntoView({ block: "nearest" }));
  update();
  box.on("status", update, life);
  let wasPlaying = false;
  box.on("tick", () => {
    if (box.status) screen.tick(timeOf(box.status, box.elapsed()));
    if (isPlaying() !== wasPlaying || isPlaying() && Math.abs(shape() - frame.style.getPropertyValue("--shape")) > 0.01) paint();
    wasPlaying = isPlaying();
    scene.tick();
  }, life);
  await layers.look();
  if (!layers.known.overlay && box.link !== "lost") say(problem, t("picture.unknown"));
  return node;
}
