// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The first set-up: platform, key, picture and sound, on the air.

import { get } from "./api.js";
import { box } from "./box.js";
import { fill, h, icon, say } from "./dom.js";
import { monitor } from "./monitor.js";
import { isAlone, networkPart } from "./network.js";
import { keyForm, loadPlatforms, nameOf, platformOf, tiles } from "./platforms.js";
import { load, setting } from "./settings.js";
import { sources } from "./sources.js";
import { reading } from "./state.js";
import { t } from "./words.js";

export async function view(page, life) {
  const [network] = await Promise.all([get("/api/network").catch(() => null), load(), loadPlatforms()]);
  const node = h("div", { class: "guide" });
  let end = new AbortController();
  const first = network && isAlone(network) ? ["network"] : [];

  const steps = (now) =>
    h("ol", { class: "steps", "aria-label": t("guide.steps") }, [...first, "platform", "key", "picture"].map(
      (name, i) => h("li", { "aria-current": i === now && "step", class: i < now ? "done" : "" }, h("span", null,
        t(`guide.${name}`)))));

  const later = () => h("button", { class: "link", onclick: () => page.go("broadcast") }, t("guide.later"));
  const back = (to) => h("button", { class: "link", onclick: to }, t("guide.back"));

  function step(now, title, text, ...content) {
    end.abort();
    end = new AbortController();
    fill(node, steps(now + first.length), h("h1", { tabindex: "-1" }, title), text && h("p", { class: "lead" }, text),
      ...content);
    window.scrollTo(0, 0);
    (node.querySelector("[autofocus]") ?? node.querySelector("h1")).focus({ preventScroll: true });
  }

  async function join() {
    step(-1, t("guide.network_title"), t("guide.network_text"), await networkPart(page, life),
      h("div", { class: "row" }, h("button", { class: "button solid", onclick: platform }, t("guide.next")), later()));
  }

  function platform() {
    step(0, t("guide.platform_title"), t("guide.platform_text"), tiles(key), h("div", { class: "row" }, later()));
  }

  function key(chosen) {
    step(1, t("guide.key_title", { platform: nameOf(chosen) }), null,
      keyForm(chosen, picture, t("guide.next")), h("div", { class: "row" }, back(platform), later()));
  }

  function picture(rate) {
    const stop = new AbortController();
    life.addEventListener("abort", () => stop.abort());
    const chosen = platformOf(setting("publish.url")?.value);
    const screen = monitor({ life: stop.signal, opensItself: true, name: page.session.name });
    const problem = h("p", { class: "problem", role: "alert" });
    const button = h("button", { class: "key go live", autofocus: true, onclick: go }, icon("broadcast"),
      t("live.start"));
    async function go() {
      button.disabled = true;
      try {
        await box.command("start");
        page.go("broadcast");
      } catch (refusal) {
        say(problem, refusal.message || t("banner.lost_short"));
        button.disabled = false;
      }
    }
    step(2, t("guide.picture_title"), t("guide.picture_text"), h("div", { class: "aim" }, screen.node,
      h("div", { class: "stack" }, sources(stop.signal), problem, button,
        h("p", { class: "help" }, t("guide.live_text", { platform: nameOf(chosen) })),
        rate && h("p", { class: "help" }, rate))),
    h("div", { class: "row" }, back(() => key(chosen)), later()));
    end.signal.addEventListener("abort", () => stop.abort());
    const update = () => box.status &&
      screen.update({ ...reading(box.status), text: t("word.off"), onAir: false });
    update();
    box.on("status", update, stop.signal);
  }

  if (first.length) await join();
  else platform();
  return node;
}
