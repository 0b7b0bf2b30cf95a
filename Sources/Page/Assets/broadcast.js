// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The broadcast: the picture, the state in a sentence, and one big button.

import { download, get, OWN, stamp } from "./api.js";
import { box, isKept } from "./box.js";
import { ask, fill, h, icon, repaint, say, toast } from "./dom.js";
import { hasJustShown, isTaking, monitor, taking } from "./monitor.js";
import { endedParts, lastEnd } from "./missed.js";
import { FIRST_SERVER, reasons } from "./reasons.js";
import { hasKey, hasLamp, heardSource, hostIn, load, setting, sourceOf } from "./settings.js";
import { advice, isUpdating, lacksServer, left, reading, renewal, servers, timeOf, title, view as viewersGet, watching, what } from "./state.js";
import { known, missingText, why } from "./why.js";
import { keep, keptHere, large, listed, number, sentences, t } from "./words.js";

/** How often the box is asked off the air what is plugged in. */
const DEVICES_MS = 10_000;
/** The box has answered a command after so long, if it answers. */
const ANSWER_MS = 1_500;
/** What takes a few seconds is over after so long. */
const FEW_MS = 10_000;
/** For so long after an outage the page tells how long it was. */
const AFTER_MS = 30_000;
/** A status comes this much later than an event at most. */
const EVENT_MS = 3_000;

/** The state that somebody waits for the end of, and since when: another view in between is no new beginning. */
let wait = { state: null, since: 0 };

export async function view(page, life) {
  const screen = monitor({ life, name: page.session.name });
  const grade = h("span", { class: "grade" });
  const sentence = h("h1", { class: "state", tabindex: "-1" });
  const gets = h("p", { class: "next gets" });
  const next = h("p", { class: "next" });
  const watched = h("p", { class: "next watched" });
  // Until the list of platforms is there, the server's own name is shown.
  let named = null;
  const nameOf = (server) => named?.(`rtmp://${server}`).name ?? server;
  const wrong = reasons(page, nameOf);
  const [reason, others] = wrong.lists;
  const announced = [h("div", { role: "status" }, grade, sentence), reason, h("div", { role: "status" }, gets, next,
    watched)];
  /** What viewers missed of the last broadcast. */
  const ended = h("p", null);
  const missed = h("ul", { class: "missed" });
  const helps = h("p", null);
  const cure = h("button", { class: "button", onclick: () => page.go("setup", "quality") }, icon("setup"), t("setup.quality"));
  const summary = h("div", { class: "ended", hidden: true }, h("div", { role: "status" }, ended, missed, helps),
    h("div", { class: "row" }, cure, h("button", { class: "link", onclick: () => {
      keep("onair.ended", lastEnd(box.events)?.time ?? null);
      tellEnd();
      sentence.focus({ preventScroll: true });
    } }, t("live.dismiss"))));
  const lines = h("ul", { class: "servers", "aria-label": t("delivery.name") });
  const quiet = h("div", { class: "row" }, h("button", { class: "button", onclick: () => page.go("setup", "sources") },
    icon("setup"), t("setup.sources")));
  const watch = h("a", { class: "link", target: "_blank", rel: "noopener noreferrer", hidden: true }, t("watch.open"));
  const problem = h("p", { class: "problem", role: "alert" });

  // Without the focus: one Enter too many must not open a room.
  const big = h("button", { class: "key go" });
  const mute = h("button", { class: "key", onclick: () => command(box.status.intent.muted ? "unmute" : "mute") });
  const photo = h("a", { class: "key", href: "/api/snapshot.jpg", download: "onair.jpg" }, icon("camera"), h("span",
    null, t("extra.snapshot")));
  const end = h("button", { class: "key", onclick: finish }, icon("stop"), h("span", null, t("live.end")));
  const keys = h("div", { class: "keys" }, mute, photo, end);
  const moreName = h("summary", null);
  const more = h("details", { class: "more quiet" }, moreName);
  more.addEventListener("toggle", async () => {
    nameMore();
    if (more.children.length > 1) return;
    const { commandKey, elsewhere, halves, snapshots } = await import("./extras.js");
    more.append(halves(command, life), snapshots(problem));
    if (page.session.scope === "admin") more.append(h("div", { class: "extra again" },
      h("p", { class: "help" }, t("engineer.reconnect_text")), commandKey("reconnect", problem)), elsewhere(problem));
    if (box.status) update(box.status);
  });
  // On the screen wherever the view is scrolled to: in a private moment nobody looks for a key.
  const dock = h("div", { class: "dock" }, big, problem, keys);
  /** What comes and goes on the picture; the box is asked for it once the view is there. */
  const onTop = h("div", { class: "on-top" });
  import("./thirds.js").then(({ thirds }) => !life.aborted && onTop.append(thirds(life)), () => {});
  for (const one of announced.slice(0, 2)) one.classList.add("alarm");
  /** The recording, the schedule and the guests: each comes once the box tells of it. */
  const [kept, due, lobby] = [1, 2, 3].map(() => h("div", { hidden: true }));
  const desk = h("section", { class: "desk", "aria-label": t("nav.broadcast") },
    announced, summary, quiet, due, lobby, lines, watch, kept, others, onTop, dock, more);
  const later = { record: ["record", kept], schedule: ["next", due], guests: ["lobby", lobby] };
  function addLater(status) {
    for (const [name, [module, place]] of Object.entries(later)) {
      if (!status[name] || status[name].guests?.length === 0) continue;
      delete later[name];
      import(`./${module}.js`).then((one) => one.part(page, life)).then(([node, onDock]) => {
        place.replaceWith(node);
        if (onDock) dock.prepend(onDock);
      }, () => {});
    }
  }
  const node = h("div", { class: "broadcast" }, screen.node, desk);

  photo.addEventListener("click", async (event) => {
    event.preventDefault();
    // What becomes of a pause that waits is more important.
    if (!open.size) say(problem, box.link === "lost" ? t("banner.lost_short") : "");
    if (box.link === "lost") return;
    try {
      const image = await taking(async () => {
        const response = await fetch(photo.href, { headers: OWN, cache: "no-store" });
        if (!response.ok) throw new Error((await response.json()).sentence);
        return response.blob();
      });
      download(image, `${page.session.name}-${stamp()}.jpg`);
      toast(t("extra.snapshot_done"));
    } catch (error) {
      say(problem, error.message || t("error.other"));
    }
  });

  /** Commands without an answer. */
  const open = new Set();
  async function command(name) {
    say(problem, "");
    open.add(name);
    /** What becomes of the commands while the box does not answer. */
    const tell = () => say(problem, isKept(name)
      ? t("live.kept", { keys: listed([...open].filter(isKept).map((one) => t(`live.${one}`))) }) : t("live.not_late"));
    const timer = setTimeout(tell, ANSWER_MS);
    if (box.link === "lost") tell();
    desk.classList.add("working");
    big.disabled = true;
    let text = "";
    try {
      await box.command(name);
    } catch (refusal) {
      text = refusal.status === 0 && box.link !== "lost" ? t("live.again") : why(refusal);
    }
    clearTimeout(timer);
    open.delete(name);
    say(problem, text);
    desk.classList.toggle("working", open.size > 0);
    big.disabled = open.size > 0;
  }

  /** A sentence about a box that does not answer ends with that. */
  box.on("link", (link) => {
    if (link === "lost" || !problem.textContent || open.size) return;
    if ([t("banner.lost_short"), t("live.not_late")].includes(problem.textContent)) say(problem, t("live.again"));
  }, life);

  async function finish() {
    const text = t(box.status.presence.audience === "nobody" ? "view.nobody" : "live.end_text");
    if (await ask(t("live.end_title"), text, t("live.end_yes"), t("common.cancel"))) await command("stop");
    sentence.focus({ preventScroll: true });
  }

  /** What the big key does, and what viewers then see and hear. */
  function button(status) {
    const { broadcast, muted, audio_off: isUnheard } = status.intent;
    const isLive = broadcast === "live";
    const hasNoServer = lacksServer(status) && page.session.scope !== "operate";
    const hasUrl = Boolean(setting("publish.url")?.value);
    const [name, kind, drawing] =
      hasNoServer ? [hasUrl ? "key" : "choose", "live", "setup"] : broadcast === "off" ? ["start", "live", "broadcast"]
      : isLive ? ["pause", "private", null] : ["resume", "live", "broadcast"];
    const keeps = setting("pause.sound")?.value === "keep";
    // Without a camera there is no last picture, and without sound nothing to send alone.
    const paused = { last: !lacks("video") && "last_frame", none: !lacks("audio") && "sound_only" }[setting("pause.picture")?.value] || "pause_still";
    // A new broadcast begins unmuted, with both halves; off the air the box says so.
    const [sees, hears] = left(status.intent, lacks("video") ? "camera_still" : sourceOf("video"),
      isLive && !keeps || lacks("audio") ? "silence" : heardSource());
    const title = t(muted && name === "resume" ? "live.resume_muted" : `live.${name}`);
    const { audience } = status.presence;
    // Viewers get the same then.
    const isBare = isLive && lacks("video") && (muted || isUnheard || !keeps && hasNoSound());
    const small = hasNoServer ? t("live.choose_text")
      : isBare && audience !== "unknown" ? t("live.pause_bare")
      : audience === "nobody" ? (isLive ? t("live.pause_text", { what: what(paused, hears) }) : "")
      : audience === "unknown" ? ""
      : t("view.all", { what: what(isLive ? paused : sees, hears) });
    big.className = `key go ${kind}`;
    const text = `${name} ${title} ${small}`;
    if (big.dataset.shown === text) return;
    big.dataset.shown = text;
    fill(big, drawing && icon(drawing), h("span", null, large(title), small && h("small", null, small)));
    big.onclick = () => (!hasNoServer ? command(name) : hasUrl ? page.go("setup", "platform") : page.show("guide"));
  }

  import("./platforms.js").then(async (platforms) => {
    await platforms.loadPlatforms();
    named = platforms.platformOf;
    if (box.status && !life.aborted) update(box.status);
  });

  /** The number of the last event of a new connection that an outage has come after. */
  let told;

  /** Off the air the box opens no camera. Whether there is one, its list of devices tells: troubles as the status has them. */
  let lacking = [];
  let audience = null;
  const lacks = (half) => troublesOf(box.status).some(({ subject }) => subject === half);
  /** Whether there is nothing to mute. A microphone that is lost may come back at any moment. */
  const hasNoSound = () => /^(silence|none)$/.test(sourceOf("audio"))
    || troublesOf(box.status).some(({ subject, cause }) => subject === "audio" && cause === "missing");
  async function lookForDevices() {
    const wanted = [["video", "camera"], ["audio", "microphone"]].filter(([half, first]) =>
      setting(`${half}.source`)?.value === first);
    if (document.hidden || box.status?.presence.audience !== "none" || !wanted.length) return;
    const found = await get("/api/devices").catch(() => null);
    if (!found || life.aborted) return;
    lacking = wanted.filter(([, first]) => !found[`${first}s`].length).map(([subject]) => ({ subject, cause: "missing" }));
    update(box.status);
  }

  /** How the last broadcast was, until the next one begins or somebody has read it. */
  function tellEnd() {
    const last = box.status?.presence.audience === "none" && lastEnd(box.events);
    summary.hidden = !last || last.time === keptHere("onair.ended");
    node.classList.toggle("over", !summary.hidden);
    if (summary.hidden) return;
    const parts = endedParts(last);
    say(ended, sentences([parts.head.trim(), parts.missed.length > 0 && t("event.ended_list")]));
    repaint(missed, parts.missed, parts.missed.map((one) => h("li", null, one)));
    missed.hidden = !parts.missed.length;
    const isHelper = page.session.scope === "operate";
    say(helps, parts.cure ? t(`event.ended_${isHelper ? "tell" : parts.cure}`) : "");
    cure.hidden = parts.cure !== "quality" || isHelper;
  }

  /** What is wrong. That a server or a key is missing, the big key and the sentence under the state tell. */
  function troublesOf(status) {
    // The picture comes before the sound.
    const all = [...status.troubles].sort((a, b) => (a.subject === "audio") - (b.subject === "audio"));
    if (status.presence.audience !== "none") return all;
    const told = all.filter((one) => one.cause !== "no_destination" || setting("publish.url")?.value && hasKey());
    return [...told, ...lacking.filter(({ subject }) => !told.some((one) => one.subject === subject))];
  }

  /** What a person does next. */
  function nextOf(status) {
    const server = nameOf(hostIn(setting("publish.url")?.value));
    if (status.presence.audience === "none" && isUpdating(box.events)) return t("update.meanwhile");
    if (lacksServer(status)) return !server ? t("advice.choose") : hasKey() ? "" : t("advice.key", { server });
    return advice(status, performance.now() - wait.since > FEW_MS, known.isOwn(setting("publish.url")?.value)) || afterOutage(status) || (status.presence.audience === "none" && server ? t("advice.ready", { server }) : "");
  }

  /** How long the server was away, or that the stream goes elsewhere; "" when that is long ago, or something else is wrong. */
  function afterOutage({ presence, destinations, troubles }) {
    const one = renewal(box.events);
    if (!one) return "";
    const { state } = destinations.find(({ name }) => name === "main") ?? {};
    const isLost = !/^(publishing|delivering)$/.test(state) || troubles.some(({ subject }) => FIRST_SERVER.test(subject));
    // What is over tells nothing of the next trouble. Its event may come before the status.
    if (isLost && !box.isNew(one.event, EVENT_MS)) told = one.event.number;
    if (one.event.number === told || presence.audience !== "all" || !box.isNew(one.event, AFTER_MS)) return "";
    return t(one.key, { seconds: number(one.seconds) });
  }

  const tellWatched = () => say(watched, watching(box.status, ...["video", "audio"].map((half) =>
    lacks(half) ? "none" : sourceOf(half)), screen.isOpen() || isTaking() || hasJustShown() && "before"));

  function updateServers() {
    let all = servers(box.status, box.figures, nameOf);
    // The reason says already that there is no connection.
    if (all.length === 1 && all[0].key === "delivery.waiting" && !reason.hidden) all = [];
    lines.hidden = !all.length;
    while (lines.children.length > all.length) lines.lastChild.remove();
    all.forEach(({ sign, key, values }, i) => {
      const line = lines.children[i] ?? lines.appendChild(h("li"));
      line.className = `delivery ${sign}`;
      say(line, t(key, values));
    });
  }

  function update(status) {
    const state = reading(status);
    const { broadcast, muted } = status.intent;
    const isOn = broadcast !== "off";
    desk.dataset.grade = state.grade;
    desk.dataset.colour = state.grade === "trouble" ? "yellow" : state.colour;
    // What nobody gets has no grade.
    grade.hidden = /^(none|nobody|unknown)$/.test(status.presence.audience);
    say(grade, t(`grade.${state.grade}`));
    say(sentence, large(state.also.reduce((told, key) => t(key, { sentence: told }), t(state.sentence))));
    quiet.hidden = state.sentence !== "state.live_silent" || page.session.scope === "operate";
    if (state.state !== wait.state) wait = { state: state.state, since: performance.now() };
    const troubles = troublesOf(status);
    wrong.update(state.state, troubles);
    node.classList.toggle("troubled", !reason.hidden || state.state === "no_answer");
    say(gets, viewersGet(status, hasLamp()));
    say(next, nextOf(status));
    tellWatched();
    tellEnd();
    updateServers();
    button(status);
    // A broadcast that has ended tells nothing of the devices any more.
    if (audience !== status.presence.audience && status.presence.audience === "none") lookForDevices();
    audience = status.presence.audience;
    mute.hidden = !isOn || !muted && hasNoSound();
    // Its name tells what it does next, so it is no key that stays pressed.
    mute.classList.toggle("muted", muted);
    fill(mute, icon(muted ? "muted" : "microphone"), h("span", null, t(muted ? "live.unmute" : "live.mute")));
    end.hidden = !isOn;
    watch.setAttribute("href", setting("publish.play_url")?.value || "#");
    watch.hidden = !isOn || !setting("publish.play_url")?.value;
    screen.update({
      ...state, hasNone: lacks("video"), text: title(status), clock: timeOf(status, box.elapsed()), missing: state.onAir ? "" : missingText(status),
    });
    desk.querySelectorAll(".once").forEach((one) => (one.hidden = isOn));
    desk.querySelectorAll(".again").forEach((one) => (one.hidden = !isOn));
    nameMore();
    addLater(status);
  }

  function nameMore() {
    // On the air there are the keys of the halves, too.
    const isOne = page.session.scope !== "admin" && box.status?.intent.broadcast === "off";
    say(moreName, t(isOne ? "series.name" : more.open ? "extra.less" : "extra.more"));
    more.classList.toggle("one", isOne);
  }

  if (box.status) update(box.status);
  else await box.refresh();
  if (box.status) update(box.status);
  else {
    say(sentence, t("state.unknown"));
    big.disabled = true;
  }
  box.on("status", (status) => {
    big.disabled = desk.classList.contains("working");
    update(status);
  }, life);
  box.on("figures", () => box.status && updateServers(), life);
  box.on("tick", () => {
    if (box.status) {
      screen.tick(timeOf(box.status, box.elapsed()));
      say(next, nextOf(box.status));
      // This page may have begun to look while the status stays as it was.
      tellWatched();
    }
    wrong.tick();
  }, life);
  // What the big key promises depends on some settings, which others change, too.
  box.on("event", async (event) => {
    if (event.code === "ended") tellEnd();
    if (event.code !== "settings_changed" || !box.isNew(event)) return;
    await load(true).catch(() => {});
    if (box.status && !life.aborted) update(box.status);
  }, life);
  lookForDevices();
  const timer = setInterval(lookForDevices, DEVICES_MS);
  life.addEventListener("abort", () => clearInterval(timer));
  return node;
}
