// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The set-up: where the broadcast goes, camera and microphone, stills, the uplink, all settings, and access.

import { accessPart } from "./access.js";
import { box } from "./box.js";
import { fill, h } from "./dom.js";
import { formPart } from "./form.js";
import { look } from "./look.js";
import { monitor } from "./monitor.js";
import { networkPart } from "./network.js";
import { keyForm, loadPlatforms, nameOf, platformOf, tiles } from "./platforms.js";
import { hasKey, load, setting } from "./settings.js";
import { sources } from "./sources.js";
import { relaysPart } from "./relays.js";
import { reading, timeOf, title } from "./state.js";
import { stillsPart } from "./stills.js";
import { updatePart } from "./update.js";
import { uplinkPart } from "./uplink.js";
import { t, tryWord } from "./words.js";

export async function view(page, life) {
  const [network, update, relays] = await Promise.all([networkPart(page, life), updatePart(life), relaysPart(life),
    load(true), loadPlatforms()]);
  const parts = [];
  const part = (name, ...content) => {
    const id = `part-${name}`;
    parts.push({ name, id });
    return h("section", { class: "part", id, "aria-labelledby": `${id}-h` },
      h("div", { class: "part-head" }, h("h2", { id: `${id}-h`, tabindex: "-1" }, t(`setup.${name}`)), h("p",
        { class: "help" }, tryWord(`setup.${name}_text`, ""))),
      h("div", { class: "part-body" }, content));
  };
  const content = [
    part("platform", platformPart()),
    part("sources", sourcesPart(page, life)),
    network && part("network", network),
    part("relays", relays),
    part("uplink", uplinkPart(life)),
    part("stills", stillsPart()),
    part("all", formPart(life)),
    part("access", accessPart(page)),
    update && part("update", update),
    part("look", look(page)),
  ];
  const list = h("nav", { class: "contents", "aria-label": t("setup.contents") }, parts.map(({ name, id }) =>
    h("button", { class: "link", onclick: () => {
      const title = document.getElementById(`${id}-h`);
      title.scrollIntoView();
      title.focus({ preventScroll: true });
    } }, t(`setup.${name}`))));
  return h("div", { class: "setup" }, h("h1", { class: "unseen" }, t("nav.setup")), list, h("div",
    { class: "parts" }, content));
}

/** Platform, address and key. */
function platformPart() {
  const node = h("div", { class: "stack" });
  const show = (message) => {
    const url = setting("publish.url")?.value;
    if (!url) return choose();
    const platform = platformOf(url);
    fill(node,
      h("dl", { class: "facts" },
        h("div", null, h("dt", null, t("setup.platform")), h("dd", null, nameOf(platform))),
        h("div", null, h("dt", null, t("key.address")), h("dd", { class: "mono" }, url)),
        h("div", null, h("dt", null, t("key.key")), h("dd", null, t(hasKey() ? "key.is_set" : "key.is_not_set")))),
      message && h("p", { class: "done-text", role: "status" }, message),
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
  const edit = (platform) => {
    fill(node, h("h3", null, nameOf(platform)), keyForm(platform, (rate) => show([t("form.saved"), rate]
      .filter(Boolean).join(" ")), t("form.save_short")), h("div", { class: "row" }, back()));
    node.querySelector("[autofocus]")?.focus({ preventScroll: true });
  };
  if (setting("publish.url")?.value) show();
  else fill(node, tiles(edit, null));
  return node;
}

/** Camera and microphone with the picture beside them. */
function sourcesPart(page, life) {
  const screen = monitor({ life, name: page.session.name });
  const update = () => {
    if (!box.status) return;
    const state = reading(box.status);
    const isOn = box.status.intent.broadcast !== "off";
    screen.update({ ...state, text: title(box.status), onAir: isOn, clock: timeOf(box.status, box.elapsed()) });
  };
  update();
  box.on("status", update, life);
  return h("div", { class: "aim" }, screen.node, sources(life));
}
