// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// All figures, charts of two hours, events, the log, and commands for those who look for a fault.

import { box } from "./box.js";
import { charts } from "./charts.js";
import { fill, h, say } from "./dom.js";
import { commandKey } from "./extras.js";
import { figuresTable } from "./figures.js";
import { labelOf as layerName } from "./layers.js";
import { logPart } from "./log.js";
import { age, endedText } from "./missed.js";
import { loadPlatforms } from "./platforms.js";
import { load, setting } from "./settings.js";
import { delivery, reading } from "./state.js";
import { asking, causeText, hostOf, labelOf, plain } from "./why.js";
import { joint, language, listed, loadWordsOf, number, sentences, t, timeOfDay, tryWord } from "./words.js";

/** Of the words of a text. */
const MOST_LETTERS = 40;
/** Events that are shown at first. */
const FIRST_EVENTS = 20;
/** A step, and the next one, which it tells as well. */
const TOLD_BEFORE = /^(reconnect_asked reconnect_started|reconnect_started connecting|live delivered)$/;
/** A step that the next one tells as well. */
const TOLD_AFTER = /^(connecting connected|connected publishing|publishing (reconnect_succeeded|delivered)|delivered live)$/;

export async function view(page, life) {
  await loadWordsOf("engineer");
  const answer = h("p", { class: "problem", role: "status" });
  // On a narrow screen the closed parts are the index of the page.
  const isWide = matchMedia("(min-width: 960px)").matches;
  const part = (name, content) => h("details", { class: `rack ${name}`, open: isWide || name === "events" },
    h("summary", null, h("h2", null, t(`engineer.${name}`))), content);

  const sentence = h("p", { class: "state-line" });
  const troubles = h("ul", { class: "troubles" });
  const tell = () => {
    if (!box.status) return;
    const way = delivery(box.status, box.figures);
    say(sentence, sentences([t(reading(box.status).sentence), way && t(way.key, way.values)]));
  };
  const update = () => {
    if (!box.status) return;
    tell();
    sentence.dataset.colour = reading(box.status).colour;
    fill(troubles, box.status.troubles.map((one) =>
      h("li", null, said(causeText(one), one.sentence, "p"), h("small", null,
        [one.subject, one.cause, t("trouble.since", { time: timeOfDay(one.since) })].join(" · ")))));
  };
  update();
  box.on("status", update, life);
  box.on("figures", tell, life);

  const command = (name) => h("div", { class: "told" }, commandKey(name, answer), h("small", null, t(`engineer.${name}_text`)));
  const commands = h("div", { class: "stack" },
    h("div", { class: "row" }, h("a", { class: "button", href: "/api/diagnostics",
      download: `${page.session.name}-diagnostics.json` }, t("engineer.diagnostics"))),
    h("details", { class: "quiet", ontoggle: ({ target }) => say(target.firstChild, t(target.open ? "extra.less" : "extra.more")) },
      h("summary", null, t("extra.more")), h("div", { class: "row" }, ["restart", "reload"].map(command))));

  return h("div", { class: "engineer" },
    h("h1", { class: "unseen" }, t("nav.engineer")),
    h("div", { class: "rack-head" }, h("p", { class: "help" }, t("engineer.for")), sentence, troubles, commands, answer),
    part("events", events(life)),
    part("charts", charts(life)),
    part("figures", figuresTable(life)),
    part("log", logPart(life)),
    h("div", { class: "row" }, h("a", { class: "button", href: "/api/openapi.yaml", download: "onair-openapi.yaml" },
      t("engineer.api"))),
    h("p", { class: "help mono" }, `OnAir ${page.session.version ?? box.status?.version ?? ""}`));
}

/** A sentence in the page's words, or else as the box says it. */
const said = (own, sentence, tag) => h(tag, { lang: own ? undefined : "en" }, own ?? plain(sentence));

/** What parts of a list's entries are called, where another text has the word. */
const PARTS = { z: "layer.order", x: "picture.place", y: "picture.place", anchor: "picture.place", text: "picture.words", file: "media.image",
  size: "picture.letters", width: "picture.width", enabled: "list.enabled" };

/** An entry of a list as the other views call it now: Filter “Softer faces”. One that is gone has its own name. */
function entryName(list, name) {
  const [kind, file, text] = ["kind", "file", "text"].map((field) => setting(`${list}.${name}.${field}`)?.value);
  const shown = kind ? layerName({ list, name, value: { kind, file, text } }) : name;
  return t(`list.${list}`, { name: shown.length > MOST_LETTERS ? `${shown.slice(0, MOST_LETTERS)}…` : shown });
}

/** An event about changed settings as people call them: “logo” on the picture: Place, Width. */
export function changed(sentence) {
  const [, head, changes] = /^(.*?: )(.*)\.$/.exec(sentence) ?? [];
  if (!changes) return sentence;
  const texts = changes.split("; ").map((one) => {
    const [, verb, keys] = /^(?:(added|removed) )?(.*)$/.exec(one);
    return verb ? t(`list.${verb}`, { what: listed(keys.split(", ").map((key) => entryName(...key.split(".")))) }) : settingsOf(keys);
  });
  return tryWord("event.settings_changed", head) + texts.join(language() === "zh" ? "；" : "; ") + (language() === "zh" ? "。" : ".");
}

function settingsOf(keys) {
  const groups = new Map();
  for (const change of keys.split(", ")) {
    // A switch comes with its new state: "overlay.logo.enabled off".
    const [key, state] = change.split(" ");
    const [section, name, part] = key.split(".");
    const of = part ? entryName(section, name) : "";
    const parts = groups.get(of) ?? groups.set(of, new Set()).get(of);
    const word = part ? tryWord(PARTS[part] ?? `layer.${part}`, null) ?? tryWord(`set.publish.${part}`, part) : `“${labelOf(key)}”`;
    parts.add(!state ? word : joint([part !== "enabled" && word, t(`list.${state}`)]));
  }
  return [...groups].map(([of, parts]) => joint([of, listed([...parts])])).join(language() === "zh" ? "；" : "; ");
}

/** The server that an event is about, where there are several. */
function whose({ destination }) {
  if (!destination) return null;
  return destination !== "main" ? destination : box.status?.relays.length ? t("engineer.main") : null;
}

/** Events whose figures are told before the cause; others are told by their cause. */
const FIGURES = /^(outage_long|reconnect_failing|frame_budget_missed|picture_reduced|network_poor)$/;

/** Events that the log has as errors, some of them at times as warnings; and those that it has as warnings. */
const ERRORS = /^(schedule_failed|settings_unfit|disk_full|encoder_failed|state_not_saved)$/;
const WARNINGS = /^(device_(lost|forbidden|busy)|audio_alarm|music_failed|record_(failed|gap|room_low|after_failed)|stick_(unusable|slow)|schedule_(missed|test_failed)|forgotten(_soon)?|calendar_failed|file_outdated|(still|overlay)_unusable|filter_off|frame_budget_missed|picture_reduced|network_(poor|down|change_undone)|wifi_failed|settings_undone|button_stuck|page_unavailable|playout_unavailable|update_failed|relay_failed|guest_failed|too_hot|power_weak|outage_long|reconnect_failing|connect_failed|send_timed_out|refused|replaced|ended_by_server|url_expir(ing|ed))$/;
const levelOf = (code) => (ERRORS.test(code) ? "error" : WARNINGS.test(code) ? "warning" : null);

/** An event in Chinese; null if the page has no words for it. */
export function eventText(event) {
  const { code, destination, subject } = event;
  if (code === "settings_changed") return changed(event.sentence);
  if (code === "ended") return endedText(event);
  const isRelay = destination && destination !== "main";
  // The end of an alarm has the cause of the alarm; causes of guests and layouts have no words of their own.
  const cause = /^(audio_alarm_over|guest_\w+|layout_changed)$/.test(code) ? null : causeText(isRelay ? { ...event, subject: `relay ${destination}` } : event);
  const own = code === "network_poor" && event.video_kbps ? `${code}_kbps` : code === "device_back" && event.seconds ? `${code}_${subject}`
    : code === "media_changed" && / was deleted /.test(event.sentence) ? "media_deleted" : code;
  const figures = Object.fromEntries(["attempts", "dropped", "video_kbps", "target_kbps"].map((name) => [name, number(event[name])]));
  const times = Object.fromEntries(["seconds", "outage_seconds"].map((name) => [name, age(event[name])]));
  const words = tryWord(`event.${own}`, null) && t(`event.${own}`, { ...figures, ...times, size: crossed(event.size),
    fps: number(event.fps, event.fps % 1 ? 1 : 0), server: hostOf(subject) });
  if (!words || !FIGURES.test(code)) return cause ?? words;
  // Most causes say that the box goes on trying.
  const goesOn = /^(outage_long|reconnect_failing)$/.test(code) && !/尝试/.test(cause ?? "");
  return words + (goesOn ? tryWord("event.goes_on", "") : "") + (cause ?? "");
}

/** A text with its picture sizes as the other views write them. */
const crossed = (text) => text?.replace(/\b(\d{3,4})x(\d{3,4})\b/g, "$1×$2");

/** An event in the reader's language: the text, and whether that is the box's own English. */
function told(event) {
  const isOwn = language() === "zh" || /^(live|ended)$/.test(event.code) || /\bonair [a-z]/.test(event.sentence);
  const own = isOwn ? eventText(event) : null;
  return own ? { text: own }
    : { text: crossed(plain(event.code === "settings_changed" ? changed(event.sentence) : asking(event))), lang: "en" };
}

/** What has happened, the newest first. */
function events(life) {
  let most = FIRST_EVENTS;
  const list = h("ol", { class: "event-list", "aria-label": t("engineer.events") });
  const more = h("button", { class: "button", onclick: () => {
    most = Infinity;
    paint();
  } }, t("extra.more"));
  const line = (event) => {
    const { text, lang } = told(event);
    const name = whose(event);
    const level = levelOf(event.code);
    return h("li", { class: level }, h("time", { dateTime: event.time }, timeOfDay(event.time)),
      h("span", null, level && [h("b", { class: "sort" }, t(`level.${level}`)), " "], name && !text.startsWith(name) && h("b", { class: "whose" }, name), h("span", { lang }, text)));
  };
  function paint() {
    const all = box.events.toReversed().filter(({ code, sentence }, i, { [i - 1]: newer, [i + 1]: older }) =>
      !TOLD_BEFORE.test(`${older?.code} ${code}`) && !TOLD_AFTER.test(`${code} ${newer?.code}`)
      // A slider that is dragged changes its setting several times.
      && (code !== "settings_changed" || newer?.code !== code || newer.sentence !== sentence));
    more.hidden = all.length <= most;
    fill(list, all.length ? all.slice(0, most).map(line) : h("li", { class: "help" }, t("engineer.no_events")));
  }
  paint();
  // Until then it is not known which server is of no platform.
  loadPlatforms().then(paint, () => {});
  box.on("event", async (event) => {
    paint();
    if (event.code !== "settings_changed" || !box.isNew(event)) return;
    // What is new has its name there.
    await load(true).catch(() => {});
    paint();
  }, life);
  return h("div", { class: "stack" }, list, h("div", { class: "row" }, more));
}
