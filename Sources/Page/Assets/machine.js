// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// This box: its name and time zone, where people watch, and its power.

import { post } from "./api.js";
import { box } from "./box.js";
import { ask, field, fill, h, say, toast } from "./dom.js";
import { change, setting } from "./settings.js";
import { blame, savedText, why } from "./why.js";
import { listed, t } from "./words.js";

/** The time zone of this browser. */
const zoneHere = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

const zones = () => Intl.supportedValuesOf?.("timeZone") ?? [];

/** "London" is meant as Europe/London. */
function zoneOf(text) {
  const end = `/${text.replaceAll(" ", "_")}`.toLowerCase();
  return zones().find((one) => one.toLowerCase().endsWith(end)) ?? text;
}

/** Gives a box that has no time zone yet that of this browser. */
export async function proposeZone() {
  if (setting("box.zone")?.value === "" && zoneHere()) await change({ "box.zone": zoneHere() }).catch(() => {});
}

/** What the box is called, and where it is. */
export const machineNow = () => listed([setting("box.name")?.value, setting("box.zone")?.value]);

const text = (key, props) => h("input", { type: "text", value: setting(key)?.value ?? "", autocomplete: "off",
  spellcheck: false, ...props });

/** A form of some settings: `fields` by the last part of their names. */
function form(fields, done) {
  const general = h("p", { class: "problem", role: "alert" });
  async function submit(event) {
    event.preventDefault();
    say(general, "");
    const changes = {};
    for (const [key, { input }] of Object.entries(fields)) {
      input.value = input.value.trim();
      if (key === "box.zone") input.value = zoneOf(input.value);
      changes[key] = input.value;
    }
    const byName = Object.fromEntries(Object.entries(fields).map(([key, { node }]) => [key.split(".").at(-1), node]));
    try {
      toast(savedText(await change(changes)));
      for (const one of Object.values(byName)) one.problem("");
      done?.();
    } catch (refusal) {
      say(general, blame(refusal, byName));
    }
  }
  return h("form", { class: "stack narrow", onsubmit: submit, noValidate: true },
    Object.values(fields).map(({ node }) => node), general,
    h("div", { class: "row" }, h("button", { class: "button" }, t("form.save_short"))));
}

/** Name, time zone and power. */
export function machinePart() {
  const name = text("box.name", { maxLength: 64 });
  const zone = text("box.zone");
  zone.setAttribute("list", "zones");
  const here = zoneHere();
  const zoneField = field(t("set.box.zone"), zone, { help: t("machine.zone_here", { zone: here }) });
  zoneField.append(h("datalist", { id: "zones" }, zones().map((value) => h("option", { value }))));
  const problem = h("p", { class: "problem", role: "alert" });

  const power = (action) => h("button", { class: "button", type: "button", onclick: async () => {
    say(problem, "");
    const isOn = box.status && box.status.intent.broadcast !== "off";
    const sentence = t(isOn ? "machine.live" : `machine.${action}_text`);
    if (!(await ask(t(`machine.${action}_title`), sentence, t(`machine.${action}`), t("common.cancel")))) return;
    try {
      if (action === "restart") await post("/api/box/restart", { even_live: isOn });
      else await post("/api/box/shutdown", { even_live: isOn });
      toast(t(`machine.${action}_done`));
    } catch (refusal) {
      say(problem, why(refusal));
    }
  } }, t(`machine.${action}`));

  return h("div", { class: "stack" },
    form({ "box.name": { input: name, node: field(t("set.box.name"), name, { help: t("machine.name_help") }) },
      "box.zone": { input: zone, node: zoneField } }),
    h("div", { class: "row" }, power("restart"), power("shutdown")), problem);
}

/** Where people watch: the address, a link and a QR code. */
export function watchPart() {
  const shown = h("div", { class: "watch" });
  const url = text("publish.play_url", { type: "url", inputMode: "url", placeholder: "https://",
    autocapitalize: "off" });
  const paint = () => {
    const address = setting("publish.play_url")?.value;
    fill(shown, address && [
      h("img", { src: `/api/watch.svg?at=${Date.now()}`, alt: t("watch.code"), width: 200, height: 200 }),
      h("a", { class: "link", href: address, target: "_blank", rel: "noopener noreferrer" }, t("watch.open"))]);
  };
  paint();
  return h("div", { class: "stack" }, shown, form({ "publish.play_url":
    { input: url, node: field(t("set.publish.play_url"), url, { help: t("watch.help") }) } }, paint));
}
