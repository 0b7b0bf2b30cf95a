// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The first set-up: platform, key, picture and sound, on the air.

import { get } from "./api.js";
import { box } from "./box.js";
import { fill, h, icon, say } from "./dom.js";
import { look } from "./look.js";
import { proposeZone } from "./machine.js";
import { monitor } from "./monitor.js";
import { isAlone, networkPart } from "./network.js";
import { keyForm, loadPlatforms, nameOf, platformOf, serverName, tiles } from "./platforms.js";
import { load, setting, sourceOf } from "./settings.js";
import { sources } from "./sources.js";
import { reading, what } from "./state.js";
import { steps } from "./steps.js";
import { causeText, joined, why } from "./why.js";
import { sentences, t } from "./words.js";

/** Where a person is, so that another language leads to the same place. */
let place = null;

export async function view(page, life) {
  const [network] = await Promise.all([get("/api/network").catch(() => null), load(), loadPlatforms()]);
  await proposeZone();
  const node = h("div", { class: "guide" });
  let end = new AbortController();
  let isGivenBack = false;
  const hasNetwork = Boolean(network && isAlone(network));

  const leave = () => {
    place = null;
    page.go("broadcast");
  };
  const later = () => h("button", { class: "link", onclick: leave }, t("guide.later"));
  /** The browser's own way back does the same. */
  const back = (to) => h("button", { class: "link", onclick: () => (history.state?.before ? history.back() : to()) }, t("guide.back"));

  function step(now, again, title, text, ...content) {
    end.abort();
    end = new AbortController();
    // Each step is a page to the browser's Back.
    const isOther = place && place.join() !== again.join();
    if (isOther && !isGivenBack) history.pushState({ guide: again, before: true }, "");
    else history.replaceState({ ...history.state, guide: again }, "");
    place = again;
    // At the key, the platform has just been chosen.
    const skipped = now === "key" || setting("publish.url")?.value ? [] : ["platform", "key"];
    fill(node, steps(now, hasNetwork, skipped), h("h1", { tabindex: "-1" }, title),
      text && h("p", { class: "lead" }, text), ...content, look(page));
    window.scrollTo(0, 0);
    (node.querySelector("[autofocus]") ?? node.querySelector("h1")).focus({ preventScroll: true });
  }

  async function join() {
    const part = await networkPart(page, life);
    step("network", ["network"], t("guide.network_title"), t("guide.network_text"), part,
      h("div", { class: "row" }, h("button", { class: "button solid", onclick: platform }, t("guide.next")), later()));
  }

  function platform() {
    step("platform", ["platform"], t("guide.platform_title"), t("guide.platform_text"), tiles(key, undefined, () => picture()),
      h("div", { class: "row" }, later()));
  }

  function key(chosen) {
    const title = chosen.name ? t("guide.key_title", { platform: chosen.name }) : t("guide.own_title");
    step("key", ["key", chosen.id], title, null,
      keyForm(chosen, picture, t("guide.next")), h("div", { class: "row" }, back(platform), later()));
  }

  function picture(rate) {
    const stop = new AbortController();
    life.addEventListener("abort", () => stop.abort());
    const url = setting("publish.url")?.value;
    const chosen = platformOf(url);
    const screen = monitor({ life: stop.signal, opensItself: true, name: page.session.name });
    const problem = h("p", { class: "problem", role: "alert" });
    const means = h("p", { class: "help" });
    const button = url
      ? h("button", { class: "key go live", onclick: go }, icon("broadcast"), t("live.start"))
      : h("button", { class: "key go", autofocus: true, onclick: platform }, t("guide.choose"));
    /** What to look at and to listen to. A test tone does not hear anybody. */
    const lead = () => {
      const heard = sourceOf("audio");
      return sentences([t("guide.picture_text"), heard === "microphone" ? t("guide.speak")
        : /^(tone|file)$/.test(heard) && t("guide.sounds", { what: t(`heard.${heard}`) })]);
    };
    async function go() {
      button.disabled = true;
      try {
        await box.command("start");
        leave();
      } catch (refusal) {
        say(problem, why(refusal));
        button.disabled = false;
      }
    }
    step("check", ["picture", rate], t("guide.picture_title"), lead(), h("div", { class: "aim" },
      screen.node,
      h("div", { class: "stack" }, sources(stop.signal),
        h("div", { class: "stay" }, problem, button),
        means,
        rate && h("p", { class: "help" }, rate))),
    h("div", { class: "row" }, url && back(() => key(chosen)), later()));
    end.signal.addEventListener("abort", () => stop.abort());
    const update = () => {
      if (!box.status) return;
      // One advice at a time: without a picture the sound can wait.
      const lack = (half) => box.status.troubles.find(({ subject }) => subject === half);
      const troubles = joined(box.status.troubles);
      const one = troubles.find(({ subject }) => subject === "video") ?? lack("audio");
      say(node.querySelector("h1"), t(!lack("video") ? "guide.picture_title" : lack("audio") ? "guide.no_inputs" : "guide.no_picture"));
      say(node.querySelector(".lead"), one ? causeText(one) ?? one.sentence : lead());
      say(means, !url ? t("guide.no_platform") : lack("video") ? t(lack("audio") ? "guide.nothing_text" : "guide.still_text")
        : t("guide.live_text", { platform: serverName(url),
          what: what(sourceOf("video"), lack("audio") ? "silence" : sourceOf("audio")) }));
      screen.update({ ...reading(box.status), text: t("word.off"), onAir: false,
        missing: lack("video") ? t("monitor.none") : "" });
    };
    update();
    box.on("status", update, stop.signal);
    // Another source is chosen here.
    box.on("event", async (event) => {
      if (event.code !== "settings_changed" || !box.isNew(event)) return;
      await load(true).catch(() => {});
      if (!stop.signal.aborted) update();
    }, stop.signal);
  }

  const all = await loadPlatforms();
  async function goTo([name, value] = []) {
    const known = name === "key" && all.find((one) => one.id === value);
    if (known) key(known);
    else if (name === "picture") picture(value);
    else if (hasNetwork && name !== "platform") await join();
    else platform();
  }
  await goTo(place ?? []);
  window.addEventListener("popstate", async ({ state }) => {
    if (!state?.guide) return;
    isGivenBack = true;
    await goTo(state.guide);
    isGivenBack = false;
  }, { signal: life });
  return node;
}
