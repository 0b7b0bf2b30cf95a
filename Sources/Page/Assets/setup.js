// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The set-up: where the broadcast goes, camera and microphone, stills, the uplink, all settings, and access.

import { accessPart, resetPart } from "./access.js";
import { backupPart } from "./backup.js";
import { box } from "./box.js";
import { fill, h, say, toast } from "./dom.js";
import { formPart } from "./form.js";
import { look } from "./look.js";
import { machineNow, machinePart, watchPart } from "./machine.js";
import { mediaPart } from "./media.js";
import { monitor } from "./monitor.js";
import { networkPart } from "./network.js";
import { keyForm, loadPlatforms, mark, nameOf, platformOf, serverName, tiles } from "./platforms.js";
import { qualityNow, qualityPart } from "./quality.js";
import { keyPlace, load, setting } from "./settings.js";
import { sourceName, sources } from "./sources.js";
import { relaysPart } from "./relays.js";
import { complaint } from "./reasons.js";
import { reading, timeOf, title } from "./state.js";
import { stillsPart } from "./stills.js";
import { updatePart } from "./update.js";
import { uplinkPart } from "./uplink.js";
import { missingText } from "./why.js";
import { listed, loadWordsOf, sentences, t, tryWord } from "./words.js";

/** `place`: the name of the part that somebody has asked for; that of the platform then shows its form. */
export async function view(page, life, place) {
  await loadWordsOf("setup");
  const [network, update, relays] = await Promise.all([networkPart(page, life), updatePart(life), relaysPart(life),
    load(true), loadPlatforms()]);
  const parts = [];

  /** A part that opens and closes. `brief`: what it is at present, in a few words. */
  function part(name, content, brief = () => tryWord(`brief.${name}`, "")) {
    const id = `part-${name}`;
    const now = h("span", { class: "brief" }, brief());
    const toggle = h("button", { type: "button", class: "part-toggle", "aria-controls": `${id}-b`,
      onclick: () => open(node.classList.contains("closed")) }, h("span", null, t(`setup.${name}`)), now);
    const text = tryWord(`setup.${name}_text`, "");
    const node = h("section", { class: `part of-${name}`, id, "aria-labelledby": `${id}-h` },
      h("h2", { id: `${id}-h` }, toggle),
      h("div", { class: "part-body", id: `${id}-b` }, text && h("p", { class: "help" }, text), content));
    function open(isOpen) {
      node.classList.toggle("closed", !isOpen);
      toggle.setAttribute("aria-expanded", String(isOpen));
      now.textContent = brief();
    }
    open(false);
    parts.push({ name, node, toggle, open, refresh: () => say(now, brief()) });
    return node;
  }

  const group = (name) => h("p", { class: "group-name" }, t(`setup.group_${name}`));

  let devices = null;
  const camera = sourcesPart(page, life, (found) => {
    devices = found;
    parts.find(({ name }) => name === "sources").refresh();
  });
  // Other parts, and other people, change what a closed part tells.
  box.on("event", async (event) => {
    if (!/^settings_(changed|undone)$/.test(event.code) || !box.isNew(event)) return;
    await load(true).catch(() => {});
    if (life.aborted) return;
    for (const one of parts) one.refresh();
    quality.paint();
    uplink.paint();
  }, life);
  const quality = qualityPart(life);
  const uplink = uplinkPart(life, quality.load);
  const content = [
    group("broadcast"),
    part("platform", platformPart(page, life, place === "platform"), () => setting("publish.url")?.value
      ? serverName(setting("publish.url").value) : t("setup.missing")),
    part("quality", [quality.node, uplink.node], qualityNow),
    part("relays", relays),
    part("watch", watchPart()),
    group("media"),
    part("sources", camera.node, () => sourcesNow(devices)),
    part("stills", stillsPart()),
    part("media", mediaPart(life)),
    group("box"),
    network && part("network", network),
    part("access", accessPart(page, life)),
    part("machine", machinePart(), () => machineNow() || t("brief.machine")),
    update && part("update", update),
    part("backup", backupPart(() => page.show("setup"))),
    part("all", formPart(life)),
    part("look", look(page)),
    part("reset", resetPart()),
  ];
  const here = parts.find(({ name }) => name === place);
  here?.open(true);
  if (here) here.node.dataset.here = "";
  const list = h("nav", { class: "contents", "aria-label": t("setup.contents") }, parts.map(({ name, node, toggle,
    open }) => h("button", { class: "link", onclick: () => {
      open(true);
      node.scrollIntoView();
      toggle.focus({ preventScroll: true });
    } }, t(`setup.${name}`))));
  return h("div", { class: "setup" }, h("h1", { class: "unseen" }, t("nav.setup")), list, h("div",
    { class: "parts" }, content));
}

/** Picture and sound in a few words. `devices`: null if not known yet. */
const sourcesNow = (devices) => listed(["video.source", "audio.source"].map((key) => {
  const kind = setting(key)?.value ?? "";
  if (kind !== "camera" && kind !== "microphone") return sourceName(key, kind, devices);
  if (!devices) return "";
  const found = devices[`${kind}s`];
  return (found.find((one) => !one.problem) ?? found[0])?.name ?? t(`setup.no_${kind}`);
}));

/** Platform, address and key. `isAsked`: somebody comes from the broadcast to mend them, and goes back there. */
function platformPart(page, life, isAsked) {
  const node = h("div", { class: "stack" });
  const keyNow = h("dd", null, t(keyPlace()));
  box.on("status", () => say(keyNow, t(keyPlace())), life);
  const show = () => {
    const url = setting("publish.url")?.value;
    if (!url) return choose();
    const platform = platformOf(url);
    say(keyNow, t(keyPlace()));
    fill(node,
      h("dl", { class: "facts" },
        h("div", null, h("dt", null, t("setup.platform")), h("dd", null, mark(platform.name?.[0] ?? "⌂"), nameOf(platform))),
        h("div", null, h("dt", null, t("key.address")), h("dd", { class: "mono" }, url)),
        h("div", null, h("dt", null, t("key.key")), keyNow)),
      h("div", { class: "row" },
        h("button", { class: "button", onclick: () => edit(platform) }, t("key.change")),
        h("button", { class: "button", onclick: choose }, t("platform.change"))));
  };
  const back = () => h("button", { class: "link", type: "button", onclick: () => show() }, t("guide.back"));
  const choose = () => {
    const url = setting("publish.url")?.value;
    fill(node, tiles(edit, url ? platformOf(url) : null), url && h("div", { class: "row" }, back()));
    node.querySelector("button")?.focus({ preventScroll: true });
  };
  // Why somebody has come here.
  const wrong = h("p", { class: "problem" });
  const tellWrong = () => say(wrong, complaint(box.status));
  box.on("status", tellWrong, life);
  const edit = (platform) => {
    tellWrong();
    fill(node, h("h3", null, nameOf(platform)), wrong, keyForm(platform, (rate) => {
      if (isAsked) page.go("broadcast");
      else show();
      toast(sentences([t("form.saved"), rate]));
    }, t("form.save_short")), h("div", { class: "row" }, back()));
    node.querySelector("[autofocus]")?.focus({ preventScroll: true });
  };
  if (setting("publish.url")?.value) isAsked ? edit(platformOf(setting("publish.url").value)) : show();
  else fill(node, tiles(edit, null));
  return node;
}

/** Camera and microphone with the picture beside them. */
function sourcesPart(page, life, toldDevices) {
  const screen = monitor({ life, name: page.session.name });
  const update = () => {
    if (!box.status) return;
    const state = reading(box.status);
    screen.update({ ...state, text: title(box.status), clock: timeOf(box.status, box.elapsed()),
      missing: state.onAir ? "" : missingText(box.status) });
  };
  update();
  box.on("status", update, life);
  box.on("tick", () => box.status && screen.tick(timeOf(box.status, box.elapsed())), life);
  return { node: h("div", { class: "aim" }, screen.node, sources(life, toldDevices)), screen };
}
