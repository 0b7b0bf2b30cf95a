// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// All figures, charts of two hours, events, the log, and commands for those who look for a fault.

import { box } from "./box.js";
import { charts } from "./charts.js";
import { fill, h, say } from "./dom.js";
import { commandKey } from "./extras.js";
import { figuresTable } from "./figures.js";
import { logPart } from "./log.js";
import { delivery, reading } from "./state.js";
import { causeText, hostOf, labelOf, plain } from "./why.js";
import { language, listed, t, timeOfDay, tryWord } from "./words.js";

export async function view(page, life) {
  const answer = h("p", { class: "problem", role: "status" });
  const part = (name, ...content) => h("section", { class: `rack ${name}`, "aria-labelledby": `r-${name}` },
    h("h2", { id: `r-${name}` }, t(`engineer.${name}`)), content);

  const sentence = h("p", { class: "state-line" });
  const troubles = h("ul", { class: "troubles" });
  const tell = () => {
    if (!box.status) return;
    const way = delivery(box.status, box.figures);
    say(sentence, [t(reading(box.status).sentence), way ? t(way.key, way.values) : ""].join(" "));
  };
  const update = () => {
    if (!box.status) return;
    tell();
    sentence.dataset.colour = reading(box.status).colour;
    fill(troubles, box.status.troubles.map((one) =>
      h("li", null, said(causeText(one), one.sentence, "p"), h("small", null,
        `${one.subject}: ${one.cause}, ${t("trouble.since", { time: timeOfDay(one.since) })}`))));
  };
  update();
  box.on("status", update, life);
  box.on("figures", tell, life);

  const command = (name) => h("div", { class: "told" }, commandKey(name, answer), h("small", null, t(`engineer.${name}_text`)));
  const jumps = h("nav", { class: "row jumps", "aria-label": t("setup.contents") },
    ["charts", "figures", "events", "log"].map((name) => h("button", { class: "link", onclick: () =>
      node.querySelector(`.rack.${name}`).scrollIntoView() }, t(`engineer.${name}`))));
  const commands = h("div", { class: "stack" },
    h("div", { class: "row" }, h("a", { class: "button", href: "/api/diagnostics",
      download: `${page.session.name}-diagnostics.json` }, t("engineer.diagnostics"))),
    h("details", { class: "quiet" }, h("summary", null, t("extra.more")),
      h("div", { class: "row" }, ["restart", "reload"].map(command))));

  const node = h("div", { class: "engineer" },
    h("h1", { class: "unseen" }, t("nav.engineer")),
    h("div", { class: "rack-head" }, h("p", { class: "help" }, t("engineer.for")), sentence, troubles, commands, answer, jumps),
    part("charts", charts(life)),
    part("figures", figuresTable(life)),
    part("events", events(life)),
    part("log", logPart(life)),
    h("div", { class: "row" }, h("a", { class: "button", href: "/api/openapi.yaml", download: "onair-openapi.yaml" },
      t("engineer.api"))),
    h("p", { class: "help mono" }, `OnAir ${page.session.version ?? box.status?.version ?? ""}`));
  return node;
}

/** A sentence in the page's words, or else as the box says it. */
const said = (own, sentence, tag) => h(tag, { lang: own ? undefined : "en" }, own ?? plain(sentence));

/** What parts of a list's entries are called, where another text has the word. */
const PARTS = { x: "picture.place", y: "picture.place", anchor: "picture.place", text: "picture.words", file: "media.image",
  size: "picture.letters", width: "picture.width", enabled: "list.enabled" };

/** An event about changed settings as people call them: “logo” on the picture: Place, Width. */
export function changed(sentence) {
  const [, head, keys] = /^(.*?: )(.*)\.$/.exec(sentence) ?? [];
  if (!keys) return sentence;
  const groups = new Map();
  for (const key of keys.split(", ")) {
    const [section, name, part] = key.split(".");
    const of = part ? t(`list.${section}`, { name }) : "";
    const parts = groups.get(of) ?? groups.set(of, new Set()).get(of);
    parts.add(part ? tryWord(PARTS[part] ?? `layer.${part}`, null) ?? tryWord(`set.publish.${part}`, part) : `“${labelOf(key)}”`);
  }
  // Of a new entry everything is new.
  const texts = [...groups].map(([of, parts]) => (parts.has("kind") ? of : (of && `${of}: `) + listed([...parts])));
  return tryWord("event.settings_changed", head) + texts.join("; ") + (language() === "zh" ? "。" : ".");
}

/** The server that an event is about: the relay's name, or the first server. */
function whose({ destination }) {
  if (!destination) return null;
  return destination === "main" ? t("engineer.main") : destination;
}

/** What has happened, the newest first. */
function events(life) {
  const list = h("ol", { class: "event-list", tabindex: "0", "aria-label": t("engineer.events") });
  const line = (event) => {
    const name = whose(event);
    const words = tryWord(`event.${event.code}`, null);
    const sentence = event.code === "settings_changed" ? changed(event.sentence) : event.sentence;
    const text = event.code === "settings_changed" ? sentence
      : causeText(event, name) ?? (words && t(`event.${event.code}`, { server: hostOf(event.subject) }));
    return h("li", null, h("time", { dateTime: event.time }, timeOfDay(event.time)),
      h("span", null, name && h("b", { class: "whose" }, name), said(language() === "zh" ? text : null,
        sentence, "span")));
  };
  const paint = () => fill(list, box.events.length ? box.events.toReversed().map(line) : h("li", { class: "help" },
    t("engineer.no_events")));
  paint();
  box.on("event", paint, life);
  return list;
}
