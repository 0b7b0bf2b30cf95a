// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The layers over the picture: dragged, sized at their corner, and moved by keys.

import { announce, fill, h } from "./dom.js";
import { imageOf } from "./images.js";
import { kept, labelOf, seen, spoken } from "./layers.js";
import { joint, listed, number, sentences, t } from "./words.js";

/** Which point of a layer is at its place, from its left and from its top. */
export const ANCHORS = {
  "top-left": [0, 0], top: [0.5, 0], "top-right": [1, 0], left: [0, 0.5], center: [0.5, 0.5], right: [1, 0.5],
  "bottom-left": [0, 1], bottom: [0.5, 1], "bottom-right": [1, 1],
};
/** How far an arrow key moves a layer, and how near to the middle it is put there: fractions of the picture. */
const STEP = 0.01;
const NEAR = 0.012;
/** Arrow keys that follow each other within this are one change. */
const KEYS_MS = 500;
/** How far the handle that sizes a layer may reach out of its corner: see .grip. */
const GRIP_PX = 32;
/** A finger that moves less than this has tapped. */
const TAP_PX = 4;
/** The picture needs about as long to show a change. */
const SHOWN_MS = 2_000;
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

const rounded = (value) => Math.round(value * 1000) / 1000;
const within = (value, low, high) => Math.min(Math.max(value, low), high);
const percent = (value) => number(value * 100, 0);
/** Regions have no anchor: their place is that of their corner. */
const anchorOf = ({ anchor }) => ANCHORS[anchor] ?? ANCHORS["top-left"];

/** The fonts of the box as a browser knows them. */
const FAMILIES = { sans: "\"DejaVu Sans\", Verdana, sans-serif", serif: "\"DejaVu Serif\", Georgia, serif",
  monospace: "\"DejaVu Sans Mono\", Menlo, monospace" };

/** Draws a text as the box does, about. */
export function dress(node, { font = "", colour, box: behind, outline, align }) {
  const family = font.replace(/\b(bold|italic|oblique|light|medium)\b/gi, "").trim();
  node.style.fontFamily = FAMILIES[family.toLowerCase()] ?? `"${family.replaceAll("\"", "")}", ${FAMILIES.sans}`;
  node.style.fontWeight = /bold/i.test(font) ? 700 : 400;
  node.style.fontStyle = /italic|oblique/i.test(font) ? "italic" : "normal";
  node.style.color = colour ?? "#ffffff";
  node.style.background = behind || "none";
  node.style.padding = behind ? "0.333em" : "1px";
  node.style.webkitTextStroke = outline ? `0.11em ${outline}` : "0";
  node.style.textAlign = align ?? "left";
}

/** Whether a layer has a place on the picture. */
export const isPlaced = ({ list, value }) => (list === "filter" ? value.kind === "mask" : value.x !== undefined);

/**
 * The stage, which covers the picture. `select` is called with a layer that somebody takes hold of, `change` with a layer and
 * the fields that are others then; it returns whether they are kept. `isAbsent` tells whether viewers do not see a layer.
 */
export function stage({ select, change, open, isAbsent }) {
  const node = h("div", { class: "stage" });
  const handles = new Map();
  let isLive = false;

  function make(layer) {
    const words = h("span", { class: "words" });
    const image = h("img", { alt: "", draggable: false });
    const grip = h("i", { class: "grip" });
    const element = h("div", { class: "layer", tabindex: "0", role: "application", "aria-roledescription": t("picture.layer") },
      words, image, grip);
    const handle = { layer, element, words, image, grip, keys: null };
    element.addEventListener("pointerdown", (event) => take(handle, event));
    element.addEventListener("keydown", (event) => press(handle, event));
    element.addEventListener("focus", () => select(layer));
    element.addEventListener("blur", () => settle(handle));
    return handle;
  }

  /** Shows a layer with these values. */
  function show(handle, value) {
    const { layer, element, words, image } = handle;
    const { kind, x, y, width = 0, height = 0, size = 0.06, text = "", file = "" } = value;
    const [left, top] = anchorOf(value);
    const { style } = element;
    const isText = kind === "text";
    style.left = `${x * 100}%`;
    style.top = `${y * 100}%`;
    style.translate = `${-left * 100}% ${-top * 100}%`;
    style.fontSize = `${size * 100}cqh`;
    style.width = (!isText || value.scroll) && width > 0 ? `${width * 100}cqw` : "max-content";
    style.maxWidth = isText ? `${Math.min(width || 1, 1) * 100}cqw` : "none";
    style.height = !isText && height > 0 ? `${height * 100}cqh` : "auto";
    style.setProperty("--opacity", value.opacity ?? 1);
    style.zIndex = value.z ?? 1;
    words.hidden = !isText;
    image.hidden = kind !== "image" && kind !== "sticker";
    if (isText) {
      dress(words, value);
      write(words, value);
    } else if (element.dataset.file !== file) {
      element.dataset.file = file;
      imageOf(file).then((url) => {
        if (element.dataset.file !== file) return;
        if (url) image.src = url;
        else image.removeAttribute("src");
        element.classList.toggle("empty", !url);
      });
    }
    const isHidden = isAbsent(layer);
    element.classList.toggle("off", isHidden);
    element.dataset.off = isHidden ? t("picture.absent") : "";
    if (!element.classList.contains("held")) grip(handle, value);
    element.setAttribute("aria-label", t("picture.handle", { name: listed([labelOf(layer), element.dataset.off]),
      place: place(handle, value) }));
  }

  /** Puts the handle at the corner away from the anchor, or at another one where it would reach out of the picture there. */
  function grip({ layer, element }, value) {
    const [all, own] = [node.getBoundingClientRect(), element.getBoundingClientRect()];
    const side = (part, before, after) => {
      const usual = part < 1 ? 1 : 0;
      const [there, opposite] = usual ? [after, before] : [before, after];
      return layer.list !== "filter" && there < GRIP_PX && opposite >= GRIP_PX ? 1 - usual : usual;
    };
    const [left, top] = anchorOf(value);
    const [right, bottom] = [side(left, own.left - all.left, all.right - own.right),
      side(top, own.top - all.top, all.bottom - own.bottom)];
    element.dataset.grip = `${bottom ? "bottom" : "top"}-${right ? "right" : "left"}`;
  }

  /** Writes the lines of a text. Those after the first may be smaller, and one that moves has one line. */
  function write(words, { text = "", second_size: second = 1, scroll = 0 }) {
    const shown = spoken(text);
    const look = `${second} ${scroll} ${shown}`;
    if (words.dataset.look === look) return;
    words.dataset.look = look;
    words.classList.toggle("moving", scroll !== 0);
    fill(words, scroll ? shown.replaceAll("\n", " ") : shown.split("\n").map((line, i) => {
      const node = h("span", null, line || "\u00a0");
      if (i) node.style.fontSize = `${second}em`;
      return node;
    }));
  }

  /** How far its left and upper edges are from those of the picture. */
  function place(handle, value) {
    const { width, height } = extent(handle);
    const [left, top] = anchorOf(value);
    return t("picture.at", { x: percent(Math.max(0, value.x - left * width)), y: percent(Math.max(0, value.y - top * height)) });
  }

  /** How much of the picture a layer covers. */
  function extent({ element }) {
    const [all, own] = [node.getBoundingClientRect(), element.getBoundingClientRect()];
    return { all, width: own.width / all.width || 0, height: own.height / all.height || 0 };
  }

  /** The place of a layer that was moved: within the picture, and in its middle if it is near to that. */
  function moved(handle, value, x, y, snaps) {
    const { width, height } = extent(handle);
    const [left, top] = anchorOf(value);
    const fit = (at, part, size) => {
      let start = within(at - part * size, Math.min(0, 1 - size), Math.max(0, 1 - size));
      if (snaps && Math.abs(start + size / 2 - 0.5) < NEAR) start = 0.5 - size / 2;
      return rounded(start + part * size);
    };
    return { x: fit(x, left, width), y: fit(y, top, height) };
  }

  /** The fields of a layer that is so many times as large as `value`. */
  function sized(value, factor) {
    const { kind, size, width = 0, height = 0 } = value;
    if (kind === "text") {
      const next = rounded(within(size * factor, 0.01, 0.5));
      return { size: next, ...(width > 0 && { width: rounded(within(width * next / size, 0.05, 1)) }) };
    }
    const most = Math.min(factor, 1 / Math.max(width, height, 0.02));
    return { ...(width > 0 && { width: rounded(Math.max(0.02, width * most)) }),
      ...(height > 0 && { height: rounded(Math.max(0.02, height * most)) }) };
  }

  /** The fields of a region whose corner is at a place. */
  const cornered = ({ x, y }, right, bottom) => ({ width: rounded(within(right - x, 0.02, 1 - x)),
    height: rounded(within(bottom - y, 0.02, 1 - y)) });

  function take(handle, event) {
    if (event.button || !event.isPrimary) return;
    const { layer, element } = handle;
    // A mask must be chosen by a tap before it moves: a finger that slips would show what it hides.
    if (layer.list === "filter" && !element.classList.contains("selected")) {
      event.preventDefault();
      return element.addEventListener("pointerup", ({ clientX, clientY }) => {
        if (Math.hypot(clientX - event.clientX, clientY - event.clientY) >= TAP_PX) return;
        element.focus({ preventScroll: true });
        // It may have had the focus already.
        select(layer);
      }, { once: true });
    }
    // The page does not scroll, and no text is marked.
    event.preventDefault();
    element.focus({ preventScroll: true });
    element.setPointerCapture(event.pointerId);
    const isSizing = event.target === handle.grip;
    const from = seen(layer);
    const { all, width, height } = extent(handle);
    // Where the handle is at the corner of the anchor, the opposite corner stays where it is: how far that is from the anchor.
    const sides = [/right/, /bottom/].map((one) => Number(one.test(element.dataset.grip)));
    const [fixedX, fixedY] = [width, height].map((size, i) =>
      (isSizing && anchorOf(from)[i] === sides[i] ? (1 - 2 * sides[i]) * size : 0));
    const corner = [all.left + (from.x + fixedX) * all.width, all.top + (from.y + fixedY) * all.height];
    const away = ({ clientX, clientY }) => Math.hypot(clientX - corner[0], clientY - corner[1]);
    const over = new AbortController();
    let next = null;
    const on = (name, call) => element.addEventListener(name, call, { signal: over.signal });

    on("pointermove", (moving) => {
      const [dx, dy] = [moving.clientX - event.clientX, moving.clientY - event.clientY];
      if (!next && Math.hypot(dx, dy) < TAP_PX) return;
      element.classList.add("held");
      if (!isSizing) next = moved(handle, from, from.x + dx / all.width, from.y + dy / all.height, true);
      else if (layer.list === "filter") {
        next = cornered(from, (moving.clientX - all.left) / all.width, (moving.clientY - all.top) / all.height);
      } else {
        next = sized(from, away(moving) / Math.max(1, away(event)));
        const [size, before] = from.kind === "text" ? [next.size, from.size]
          : [next.width ?? next.height, from.width || from.height];
        const shrunk = 1 - size / before || 0;
        next = { ...next, x: rounded(from.x + fixedX * shrunk), y: rounded(from.y + fixedY * shrunk) };
      }
      show(handle, { ...from, ...next });
    });
    const end = (isDone) => {
      over.abort();
      element.classList.remove("held");
      if (next && isDone) finish(handle, next);
      else if (next) show(handle, seen(layer));
    };
    on("pointerup", () => end(true));
    on("pointercancel", () => end(false));
    on("lostpointercapture", () => end(false));
  }

  /** Keeps a change, and shows the layer itself until the picture does. */
  async function finish(handle, fields) {
    const { layer, element } = handle;
    // It stays where it was put while somebody is asked whether it shall.
    element.classList.add("held");
    const isKept = await change(layer, kept(layer, fields));
    element.classList.remove("held");
    show(handle, seen(layer));
    if (!isKept) return;
    reveal(handle);
    tell(handle, seen(layer));
  }

  function reveal(handle) {
    handle.element.classList.add("moved");
    clearTimeout(handle.shown);
    handle.shown = setTimeout(() => handle.element.classList.remove("moved"), SHOWN_MS);
  }

  function tell(handle, value) {
    const { layer } = handle;
    const size = value.kind === "text" ? value.size : value.width || value.height;
    const large = t(value.kind === "text" ? "picture.letters_at" : "picture.wide_at", { size: percent(size) });
    announce(joint([labelOf(layer), sentences([place(handle, value), large])]));
  }

  function press(handle, event) {
    const { layer } = handle;
    const arrow = ARROWS[event.key];
    if ((event.key === "Enter" || event.key === " ") && event.target === handle.element) {
      event.preventDefault();
      return open(layer);
    }
    if (!arrow || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const value = { ...seen(layer), ...handle.fields };
    const [dx, dy] = arrow;
    let fields;
    if (!event.shiftKey) fields = moved(handle, value, value.x + dx * STEP, value.y + dy * STEP);
    else if (layer.list === "filter") {
      fields = cornered(value, value.x + value.width + dx * STEP, value.y + value.height + dy * STEP);
    } else {
      const before = value.kind === "text" ? value.size : value.width || value.height;
      const step = value.kind === "text" ? STEP / 2 : STEP;
      // Downwards and to the right it grows.
      fields = sized(value, (before + (dx + dy) * step) / before);
    }
    handle.fields = { ...handle.fields, ...fields };
    show(handle, { ...value, ...fields });
    reveal(handle);
    clearTimeout(handle.keys);
    handle.keys = setTimeout(settle, KEYS_MS, handle);
  }

  /** Keeps what the keys have changed. */
  function settle(handle) {
    const { fields } = handle;
    clearTimeout(handle.keys);
    handle.fields = null;
    if (fields) finish(handle, fields);
  }

  return {
    node,
    /** Shows layers; `selected` is one of them. On the live picture the box itself draws those that are switched on. */
    paint(layers, selected, live) {
      isLive = live;
      node.classList.toggle("live", isLive);
      const placed = layers.filter(isPlaced);
      for (const [layer, { element }] of handles) {
        if (placed.includes(layer)) continue;
        element.remove();
        handles.delete(layer);
      }
      for (const layer of placed) {
        if (!handles.has(layer)) {
          handles.set(layer, make(layer));
          node.append(handles.get(layer).element);
        }
        const handle = handles.get(layer);
        const value = seen(layer);
        handle.element.classList.toggle("selected", layer === selected);
        handle.element.classList.toggle("mask", layer.list === "filter");
        // A hand or a key is about to move it.
        if (!handle.element.classList.contains("held") && !handle.fields) show(handle, value);
      }
    },
    /** Shows fields of a layer that are not kept yet. */
    preview(layer, fields) {
      const handle = handles.get(layer);
      if (!handle) return;
      show(handle, { ...seen(layer), ...fields });
      reveal(handle);
    },
    /** Lets clocks go on where the page draws them. */
    tick() {
      if (!isLive) for (const { layer, words } of handles.values()) if (!words.hidden) write(words, seen(layer));
    },
    /** Keeps what was changed last, before the view is left. */
    settle: () => handles.forEach(settle),
    /** Lets the keys move a layer. */
    focus: (layer) => handles.get(layer)?.element.focus({ preventScroll: true }),
  };
}
