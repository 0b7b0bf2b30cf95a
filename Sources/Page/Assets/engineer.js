// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// All figures, charts of two hours, events, the log, and commands for those who look for a fault.

import { box } from "./box.js";
import { charts } from "./charts.js";
import { ask, fill, h, say } from "./dom.js";
import { figuresTable } from "./figures.js";
import { logPart } from "./log.js";
import { delivery, reading } from "./state.js";
import { t, timeOfDay } from "./words.js";

export async function view(page, life) {
  const answer = h("p", { class: "help", role: "status" });
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
      h("li", null, h("p", { lang: "en" }, one.sentence), h("small", null,
        `${one.subject}: ${one.cause}, ${t("trouble.since", { time: timeOfDay(one.since) })}`))));
  };
  update();
  box.on("status", update, life);
  box.on("figures", tell, life);

  const command = (name, title) => h("button", { class: "button", onclick: async () => {
    if (title && !(await ask(t(`engineer.${name}`), title, t(`engineer.${name}`), t("live.end_no")))) return;
    try {
      await box.command(name);
      say(answer, t("engineer.done"));
    } catch (refusal) {
      say(answer, refusal.message || t("banner.lost_short"));
    }
  } }, t(`engineer.${name}`));
  const commands = h("div", { class: "row" },
    command("reconnect"), command("restart", t("engineer.restart_text")), command("reload"),
    h("a", { class: "button", href: "/api/diagnostics",
      download: `${page.session.name}-diagnostics.json` }, t("engineer.diagnostics")),
    h("a", { class: "button", href: "/api/openapi.yaml", target: "_blank" }, t("engineer.api")), answer);

  return h("div", { class: "engineer" },
    h("h1", { class: "unseen" }, t("nav.engineer")),
    h("div", { class: "rack-head" }, sentence, commands, troubles),
    part("charts", charts(life)),
    part("figures", figuresTable(life)),
    part("events", events(life)),
    part("log", logPart(life)),
    h("p", { class: "help mono" }, `OnAir ${page.session.version ?? box.status?.version ?? ""}`));
}

/** What has happened, the newest first. */
function events(life) {
  const list = h("ol", { class: "event-list", tabindex: "0", "aria-label": t("engineer.events") });
  const line = (event) => h("li", null, h("time", { dateTime: event.time }, timeOfDay(event.time)), h("span",
    { lang: "en" }, event.sentence));
  const paint = () => fill(list, box.events.length ? box.events.toReversed().map(line) : h("li", { class: "help" },
    t("engineer.no_events")));
  paint();
  box.on("event", paint, life);
  return list;
}
