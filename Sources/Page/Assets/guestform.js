// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The form for a guest: who they are, where they come from, and how viewers see them.

import { patch, post } from "./api.js";
import { field, h, say } from "./dom.js";
import { slider } from "./layerfields.js";
import { freePort, invitation, newKey, USUAL_PLACE } from "./guestinvite.js";
import { nameOf } from "./lobby.js";
import { change, setting } from "./settings.js";
import { blame } from "./why.js";
import { t } from "./words.js";

/** Names that mean something else to the box. */
const RESERVED = ["main", "music", "host", "camera", "programme"];
const SWITCHES = ["picture", "sound", "mirror"];
const FITS = ["fill", "fit", "stretch"];
const MOST_DELAY_MS = 1_000;
const EDGES = ["left", "top", "right", "bottom"];
/** What can be cut off at an edge, in percent. */
const MOST_CROP = 45;

/** A name for the box that is made of what people call a guest, and that no other guest has. */
function freeName(label, guests) {
  const taken = [...RESERVED, ...guests.map(({ name }) => name)];
  const start = label.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").replace(/[^A-Za-z0-9_-]+/g, "-").replace(/^-+|-+$/g, "")
    .toLowerCase().slice(0, 28) || "guest";
  let [name, number] = [start, 2];
  while (taken.includes(name)) name = `${start}-${number++}`;
  return name;
}

/** The form for a guest, or for a new one among `guests`. `done` is called with the name once it is kept. */
export function guestForm(guest, guests, done, cancel) {
  let isSender = guest?.way === "send";
  const text = (value, more) => h("input", { type: "text", value: value ?? "", autocomplete: "off", spellcheck: false, ...more });
  const label = text(guest && nameOf(guest), { maxLength: 64 });
  const url = text(guest?.url, { type: "url", autocapitalize: "off", placeholder: "rtmp:// srt:// rtsp:// https://" });
  const labelField = field(t("guests.label"), label, guest ? { help: t("guests.label_help") } : {});
  const fields = { label: labelField, name: labelField, url: field(t("guests.url"), url, { help: t("guests.url_help") }) };
  const now = { way: "fetch", admit: "hand", fit: "fill", picture: true, sound: true, mirror: false, crop: "", delay_ms: 0, ...guest };

  /** A choice of few, as keys beside each other. */
  function choice(name, values, follow) {
    const title = h("b", { id: `guest-${name}` }, t(`guests.${name}_title`));
    const keys = values.map((value) => h("button", { type: "button", onclick: () => {
      now[name] = value;
      paint();
      follow?.();
    } }, t(`guests.${name}_${value}`)));
    const paint = () => keys.forEach((key, i) => key.setAttribute("aria-pressed", String(values[i] === now[name])));
    paint();
    return h("div", { class: "field" }, title, h("div", { class: "switch", role: "group", "aria-labelledby": title.id }, keys));
  }

  const switches = SWITCHES.map((name) => {
    const input = h("input", { type: "checkbox", class: "switch-box", role: "switch", checked: now[name],
      onchange: () => (now[name] = input.checked) });
    return h("label", { class: "switch-line" }, input, h("span", null, t(`guests.${name}`)));
  });
  const delay = slider(t("guests.delay"), { low: 0, high: MOST_DELAY_MS, step: 10, unit: " ms" }, (value) => value,
    (value) => (now.delay_ms = value));
  delay.update(now.delay_ms);
  const cuts = now.crop ? now.crop.split(" ").map(Number) : EDGES.map(() => 0);
  const edges = EDGES.map((name, i) => {
    const edge = slider(t(`guests.crop_${name}`), { low: 0, high: MOST_CROP, step: 1, unit: " %" }, (value) => value, (value) => {
      cuts[i] = value;
      now.crop = cuts.some(Boolean) ? cuts.join(" ") : "";
    });
    edge.update(cuts[i]);
    return edge.node;
  });
  const crop = h("details", { class: "quiet", open: Boolean(now.crop) }, h("summary", null, t("guests.crop")), h("div", { class: "stack" }, edges));
  const problem = h("p", { class: "problem", role: "alert" });
  const srt = h("input", { type: "checkbox", class: "switch-box", role: "switch", checked: Boolean(guest?.srt_port) });
  const sends = h("div", { class: "stack" }, !guest && h("p", { class: "help" }, t("guests.send_help")),
    h("label", { class: "switch-line" }, srt, h("span", null, t("guests.srt"))));
  const way = choice("way", ["fetch", "send"], () => {
    isSender = now.way === "send";
    show();
  });
  /** The parts of the way that the guest comes. */
  function show() {
    sends.hidden = !isSender;
    fields.url.hidden = isSender;
  }
  show();
  const save = h("button", { class: "button solid" }, t(guest ? "form.save_short" : "guests.add_short"));

  /** What is missing is told at its place, before the box is asked. */
  function lacks() {
    const missing = [[!guest && !label.value.trim(), labelField, label, "guests.needs_name"],
      [!isSender && !url.value.trim(), fields.url, url, "guests.needs_url"]];
    for (const [is, one, , why] of missing) one.problem(is ? t(why) : "");
    const first = missing.find(([is]) => is);
    first?.[2].focus();
    return Boolean(first);
  }

  async function keep(event) {
    event.preventDefault();
    say(problem, "");
    if (lacks()) return;
    const address = url.value.trim();
    const shown = label.value.trim();
    const name = guest?.name ?? freeName(shown, guests);
    const changed = ["admit", "fit", ...SWITCHES, "crop", "delay_ms"].filter((key) => now[key] !== guest?.[key]);
    const body = Object.fromEntries(changed.map((key) => [key, now[key]]));
    // Without a label viewers read the name.
    if (shown !== (guest?.label || name)) body.label = shown === name ? "" : shown;
    // An address that is shown masked stays as it is.
    if (!isSender && address !== guest?.url) body.url = address;
    if (isSender && !guest) body.key = newKey();
    if (isSender && srt.checked !== Boolean(guest?.srt_port)) body.srt_port = srt.checked ? freePort(guests) : 0;
    save.disabled = true;
    try {
      if (isSender && !setting("guests.listen")?.value) await change({ "guests.listen": USUAL_PLACE });
      if (guest) await patch(`/api/guests/${name}`, body);
      else await post("/api/guests", { name, ...body });
      await done(name, isSender && (!guest || "srt_port" in body));
    } catch (refusal) {
      say(problem, blame(refusal, fields));
    }
    save.disabled = false;
  }

  const title = guest ? t("guests.settings_of", { name: nameOf(guest) }) : t("guests.add");
  return h("form", { class: "stack guest-form", onsubmit: keep, noValidate: true }, h("h2", null, title),
    labelField, !guest && way, fields.url, sends, guest && isSender && invitation(guest.name), choice("admit", ["hand", "auto"]),
    guest && [...switches, choice("fit", FITS), crop, delay.node], problem,
    h("div", { class: "row" }, save, h("button", { type: "button", class: "link", onclick: cancel }, t("common.cancel"))));
}
