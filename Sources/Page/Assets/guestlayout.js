// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// How camera and guests share the picture: drawings to choose from, and what viewers see now.

import { announce, h, repaint, say } from "./dom.js";
import { nameOf } from "./lobby.js";
import { setting } from "./settings.js";
import { listed, t, tryWord } from "./words.js";

/** The corners of a small guest, by the name of their layout: the right and the lower ones are 1. */
const CORNERS = { pip_top_left: [0, 0], pip_top_right: [1, 0], pip_bottom_left: [0, 1], pip: [1, 1] };
const PRESETS = ["single", "side_by_side", "pip", "grid", "guest"];
const ARROWS = { ArrowLeft: [0, 0], ArrowRight: [0, 1], ArrowUp: [1, 0], ArrowDown: [1, 1] };
/** A finger that moves less than this has tapped. */
const TAP_PX = 4;
/** What was chosen is shown before the box tells of it, for so long. */
const CHOSEN_MS = 2_000;

const whole = (source) => ({ source, x: 0, y: 0, width: 1, height: 1 });
const cell = (source, x, y, size) => ({ source, x, y, width: size, height: size });

/** Where the pictures of a layout are, about: `host`, and `#` for a guest. */
function panesOf(name) {
  const [x, y] = CORNERS[name] ?? [];
  if (x !== undefined) return [whole("host"), cell("#", x ? 0.66 : 0.04, y ? 0.64 : 0.06, 0.3)];
  if (name === "single") return [whole("host")];
  if (name === "guest") return [whole("#")];
  if (name === "side_by_side") return [cell("host", 0.01, 0.255, 0.485), cell("#", 0.505, 0.255, 0.485)];
  if (name === "grid") {
    return [["host", 0, 0], ["#", 1, 0], ["#", 0, 1], ["#", 1, 1]].map(([one, x, y]) => cell(one, 0.01 + 0.495 * x, 0.01 + 0.495 * y, 0.485));
  }
  // Of the settings: "host 0 0 0.5 1 z=2".
  const lines = String(setting(`layout.${name}.panes`)?.value ?? "").split("\n");
  return lines.filter((line) => line.trim()).map((line) => {
    const [source, ...places] = line.trim().split(/\s+/);
    const [x, y, width, height] = places.map(Number);
    return { source, x, y, width, height, z: Number(/ z=(\d+)/.exec(line)?.[1] ?? 1) };
  });
}

/** A drawing of a layout: `labelled` gives a pane's text. */
function drawing(panes, make = () => h("i", null)) {
  return h("span", { class: "scheme" }, panes.map((pane) => {
    const node = make(pane);
    node.classList.add(pane.source === "host" ? "of-host" : "of-guest");
    for (const [side, key] of [["left", "x"], ["top", "y"], ["width", "width"], ["height", "height"]]) node.style[side] = `${pane[key] * 100}%`;
    node.style.zIndex = pane.z ?? (pane.width < 0.5 ? 1 : 0);
    return node;
  }));
}

const titleOf = (name) => (CORNERS[name] ? t("guests.pip") : tryWord(`choice.guests.layout.${name}`, name));

/** The part. `choose` is called with the name of a layout, or null to give the choice back; it returns whether that worked. */
export function layoutPart(may, choose) {
  let told = null;
  /** What a person has just chosen, and when. */
  let chosen = { name: null, at: -CHOSEN_MS };
  let corner = "pip";
  let isDragging = false;
  const stage = h("div", { class: "guest-stage" });
  const who = h("p", { class: "condition", role: "status" });
  const origin = h("p", { class: "help" });
  const back = h("button", { type: "button", class: "button", onclick: () => pick(null) }, t("guests.automatic"));
  const tiles = h("div", { class: "layouts", role: "group", "aria-label": t("guests.layout") });
  const corners = h("div", { class: "switch corners", role: "group", "aria-label": t("guests.corner") });
  const cornerRow = h("div", { class: "field" }, h("b", null, t("guests.corner")), corners);
  const node = h("section", { class: "stack guest-layout", "aria-label": t("guests.layout") }, h("h2", null, t("guests.layout")), stage, who,
    h("div", { class: "row" }, origin, back), tiles, cornerRow);

  const isRecent = () => performance.now() - chosen.at < CHOSEN_MS;
  const present = () => (isRecent() && chosen.name ? chosen.name : told.layout.present);

  async function pick(name) {
    chosen = { name, at: performance.now() };
    paint();
    if (!await choose(name)) chosen.at = -CHOSEN_MS;
    else if (name) announce(t("guests.chosen", { name: tryWord(`choice.guests.layout.${name}`, name) }));
    paint();
  }

  /** The name of whom a pane shows. */
  function sourceName(source) {
    const name = source.replace(/^guest:/, "");
    const guest = told.guests.find((one) => one.name === name);
    return source === "host" ? t("guests.host") : guest ? nameOf(guest) : name;
  }

  /** A small guest, which can be dragged to a corner, or moved there with the arrow keys. */
  function handle(pane) {
    const name = sourceName(pane.source);
    const [right, lower] = CORNERS[present()];
    const move = (x, y) => {
      const next = Object.keys(CORNERS).find((one) => CORNERS[one][0] === x && CORNERS[one][1] === y);
      if (next !== present()) pick(next);
    };
    const node = h("button", { type: "button", class: "handle", "aria-label": t("guests.handle", { name, place: t(`choice.guests.layout.${present()}`) }),
      onkeydown: (event) => {
        const [axis, to] = ARROWS[event.key] ?? [];
        if (axis === undefined) return;
        event.preventDefault();
        move(axis ? right : to, axis ? to : lower);
      },
      onpointerdown: (down) => {
        if (down.button) return;
        isDragging = true;
        node.setPointerCapture(down.pointerId);
        node.classList.add("held");
        let far = false;
        node.onpointermove = ({ clientX, clientY }) => {
          const [x, y] = [clientX - down.clientX, clientY - down.clientY];
          far ||= Math.hypot(x, y) > TAP_PX;
          if (far) node.style.translate = `${x}px ${y}px`;
        };
        node.onpointerup = node.onpointercancel = ({ type }) => {
          const [own, all] = [node.getBoundingClientRect(), stage.getBoundingClientRect()];
          node.onpointermove = node.onpointerup = node.onpointercancel = null;
          node.classList.remove("held");
          node.style.translate = "";
          isDragging = false;
          const isAfter = (side, length) => Number(own[side] + own[length] / 2 > all[side] + all[length] / 2);
          if (far && type === "pointerup") move(isAfter("left", "width"), isAfter("top", "height"));
          paint();
        };
      } }, name);
    return node;
  }

  /** What viewers see now. What was just chosen is drawn as it will be, about. */
  function paintStage() {
    if (isDragging) return;
    const { panes, present: old } = told.layout;
    const guests = onAir();
    const name = present();
    let next = 0;
    /** A pane of a drawing with the guest who comes next in it; nothing if there is none. */
    const filled = (pane) => (!pane.source.startsWith("#") ? pane : guests[next] ? { ...pane, source: `guest:${guests[next++].name}` } : []);
    const shown = name !== old ? panesOf(name).flatMap(filled) : panes.length ? panes : [whole("host")];
    const isSmall = CORNERS[name] && may.act;
    const names = shown.map(({ source }) => sourceName(source));
    const [width, height] = (setting("video.size")?.value ?? "").split("x").map(Number);
    stage.style.setProperty("--shape", width / height || 16 / 9);
    const held = [...stage.querySelectorAll(".handle")].indexOf(document.activeElement);
    const make = (pane) => (isSmall && pane.source !== "host" ? handle(pane) : h("i", null, sourceName(pane.source)));
    repaint(stage, [shown, names, isSmall, name], drawing(shown, make));
    // Its name tells its place, so it has another one there.
    if (held >= 0 && !stage.contains(document.activeElement)) stage.querySelectorAll(".handle")[held]?.focus();
    say(who, t("guests.viewers_see", { names: listed(names) }));
  }

  /** A layout to choose. */
  function tile(name) {
    const shown = name === "pip" ? corner : name;
    // "guest:NAME" is one of them alone.
    const isPresent = present().replace(/:.*/, "") === shown;
    return h("button", { type: "button", class: "layout", "aria-pressed": String(isPresent), disabled: !isPossible(), onclick: () => pick(shown) },
      drawing(panesOf(shown)), h("span", null, titleOf(name)));
  }

  /** Those who have a place in the picture. */
  const onAir = () => told.guests.filter(({ state }) => /^(on_air|lost)$/.test(state));
  const isPossible = () => may.act && onAir().length > 0;

  function paint() {
    if (!told) return;
    const { layout, mix } = told;
    const name = present();
    if (CORNERS[name]) corner = name;
    paintStage();
    const isByHand = isRecent() ? Boolean(chosen.name) : layout.origin === "hand";
    const first = setting("guests.layout")?.value;
    say(origin, !onAir().length ? t("guests.nobody", { name: tryWord(`choice.guests.layout.${first}`, first) })
      : isByHand ? t("guests.by_hand") : layout.origin === "task" ? t("guests.by_task", { id: mix?.id })
        : name === "bypass" ? t("guests.bypass") : t("guests.by_itself"));
    back.hidden = !isByHand || !may.act || !onAir().length;
    const free = layout.choices.filter((one) => !PRESETS.includes(one) && !CORNERS[one]);
    const all = [...PRESETS.filter((one) => layout.choices.includes(one)), ...free];
    repaint(tiles, [all, name, corner, isPossible(), free.map(panesOf)], all.map(tile));
    cornerRow.hidden = !CORNERS[name] || !isPossible();
    repaint(corners, [name], Object.keys(CORNERS).map((one) => h("button", { type: "button", "aria-label": t(`choice.guests.layout.${one}`),
      "aria-pressed": String(one === name), onclick: () => pick(one) }, drawing(panesOf(one).slice(1)))));
  }

  return { node, update(next) {
    told = next;
    paint();
  } };
}
