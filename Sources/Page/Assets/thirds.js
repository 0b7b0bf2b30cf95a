// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Names and texts on the picture, each with a switch: what comes and goes during a broadcast.

import { box } from "./box.js";
import { h, repaint, say } from "./dom.js";
import { keepLayers, labelOf, now, spoken, troubleOf } from "./layers.js";
import { shownTo } from "./state.js";
import { t } from "./words.js";

/** The list. It is hidden while there is nothing in it. */
export function thirds(life) {
  const list = h("ul", { class: "thirds" });
  const problem = h("p", { class: "problem", role: "alert" });
  const node = h("section", { hidden: true, "aria-label": t("picture.thirds") }, h("h2", null, t("picture.thirds")), list,
    problem);
  const layers = keepLayers(life, ["overlay"], paint, (text) => say(problem, text));

  const isStill = () => box.status?.video.endsWith("_still");

  function paint() {
    const texts = layers.all.filter((one) => now(one).kind === "text");
    const isLost = box.link === "lost";
    node.hidden = !texts.length;
    node.classList.toggle("unknown", isLost);
    repaint(list, [isLost, isStill() && box.status.presence.audience, texts.map((one) => [one.name, one.value, one.draft, one.isSending, troubleOf(one)?.sentence])],
      texts.map((one) => line(one, isLost)));
  }

  function line(layer, isLost) {
    const { enabled, text, on_stills: onStills } = now(layer);
    const [first, ...rest] = [labelOf(layer), ...spoken(text).trim().split("\n").slice(1)];
    const wrong = isLost ? "" : troubleOf(layer) ? t("picture.unusable") : enabled && isStill() && !onStills ? shownTo(box.status) : "";
    const toggle = h("button", { type: "button", class: "third", role: "switch", "aria-checked": String(enabled),
      "aria-label": wrong ? `${first}. ${wrong}` : first, "aria-busy": layer.isSending && "true", disabled: isLost,
      onclick: () => layers.change(layer, { enabled: !enabled }) },
      h("span", { class: "grow" }, h("b", null, first), rest.length > 0 && h("small", null, rest.join(" · ")),
        wrong && h("small", { class: troubleOf(layer) && "problem" }, wrong)),
      h("i", { class: "knob", "aria-hidden": "true" }));
    return h("li", null, toggle);
  }

  layers.look();
  return node;
}
