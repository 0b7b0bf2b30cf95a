// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The broadcast: the picture, the state in a sentence, and one big button.

import { stamp } from "./api.js";
import { box } from "./box.js";
import { ask, fill, h, icon, say } from "./dom.js";
import { monitor } from "./monitor.js";
import { setting } from "./settings.js";
import { delivery, reading } from "./state.js";
import { clock, number, t, timeOfDay, tryWord } from "./words.js";

export async function view(page, life) {
  const screen = monitor({ life, name: page.session.name });
  const grade = h("span", { class: "grade" });
  const sentence = h("h1", { class: "state" });
  const next = h("p", { class: "next" });
  const announced = h("div", { role: "status" }, grade, sentence, next);
  const sent = h("p", { class: "delivery" });
  const troubles = h("ul", { class: "troubles" });
  const problem = h("p", { class: "problem", role: "alert" });

  const big = h("button", { class: "key go", autofocus: true });
  const mute = h("button", { class: "key", onclick: () => command(box.status.intent.muted ? "unmute" : "mute") });
  const photo = h("a", { class: "key", href: "/api/snapshot.jpg", download: "onair.jpg" }, icon("camera"), h("span",
    null, t("extra.snapshot")));
  const end = h("button", { class: "key", onclick: finish }, icon("stop"), h("span", null, t("live.end")));
  const keys = h("div", { class: "keys" }, mute, photo, end);
  const more = h("details", { class: "more quiet" }, h("summary", null, t("extra.more")));
  more.addEventListener("toggle", async () => {
    if (more.children.length > 1) return;
    const { elsewhere, snapshots } = await import("./extras.js");
    more.append(snapshots(problem), elsewhere(problem));
    if (box.status) update(box.status);
  });
  const desk = h("section", { class: "desk", "aria-label": t("nav.broadcast") },
    announced, sent, troubles, big, problem, keys, more);

  photo.addEventListener("click", () => (photo.download = `${page.session.name}-${stamp()}.jpg`));

  async function command(name) {
    say(problem, "");
    desk.classList.add("working");
    big.disabled = true;
    try {
      await box.command(name);
    } catch (refusal) {
      say(problem, refusal.message || t("banner.lost_short"));
    }
    desk.classList.remove("working");
    big.disabled = false;
  }

  async function finish() {
    if (await ask(t("live.end_title"), t("live.end_text"), t("live.end_yes"), t("live.end_no"))) await command("stop");
    big.focus();
  }

  let doing = null;
  function button(status) {
    const { broadcast } = status.intent;
    const [name, kind, drawing] =
      broadcast === "off" ? ["start", "live", "broadcast"]
      : broadcast === "paused" ? ["resume", "live", "broadcast"] : ["pause", "private", null];
    if (doing === name) return;
    doing = name;
    big.className = `key go ${kind}`;
    fill(big, drawing && icon(drawing), h("span", null, t(`live.${name}`), h("small", null, t(`live.${name}_text`))));
    big.onclick = () => command(name);
  }

  // Until the list of platforms is there, the server's own name is shown.
  let named = null;
  import("./platforms.js").then(async (platforms) => {
    await platforms.loadPlatforms();
    named = platforms.platformOf;
    if (box.status && !life.aborted) update(box.status);
  });
  const nameOf = (server) => named?.(`rtmp://${server}`).name ?? server;

  function updateDelivery() {
    const way = delivery(box.status, box.figures);
    sent.hidden = !way;
    sent.classList.toggle("good", Boolean(way?.good));
    say(sent, way ? t(way.key, { ...way.values, server: nameOf(way.values.server) }) : "");
  }

  /** A trouble, and how long it takes until the next attempt. */
  function trouble(one) {
    const text = ownWords(one, nameOf);
    const retry = h("span", { data: { retry: one.retry_in_seconds ?? "" } });
    return h("li", null, h("p", { lang: text ? undefined : "en" }, text ?? one.sentence),
      h("small", null, t("trouble.since", { time: timeOfDay(one.since) }), " ", retry));
  }

  function countDown() {
    for (const retry of troubles.querySelectorAll("[data-retry]")) {
      const seconds = Math.ceil(retry.dataset.retry - box.sinceStatus());
      say(retry, seconds > 0 ? t("trouble.retry", { seconds: number(seconds) }) : "");
    }
  }

  function update(status) {
    const state = reading(status);
    const { broadcast, muted } = status.intent;
    const isOn = broadcast !== "off";
    desk.dataset.grade = state.grade;
    desk.dataset.colour = state.colour;
    say(grade, t(`grade.${state.grade}`));
    say(sentence, t(state.sentence));
    say(next, t(`${state.sentence}.next`) === `${state.sentence}.next` ? "" : t(`${state.sentence}.next`));
    updateDelivery();
    fill(troubles, status.troubles.map(trouble));
    countDown();
    troubles.hidden = !status.troubles.length;
    button(status);
    mute.hidden = !isOn;
    mute.setAttribute("aria-pressed", String(muted));
    fill(mute, icon(muted ? "muted" : "microphone"), h("span", null, t(muted ? "live.unmute" : "live.mute")));
    end.hidden = !isOn;
    screen.update({
      ...state, text: t(`word.${state.word}`), onAir: isOn,
      clock: isOn ? clock(box.elapsed()) : "",
    });
    desk.querySelectorAll(".once").forEach((one) => (one.hidden = isOn));
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
  box.on("figures", () => box.status && updateDelivery(), life);
  const timer = setInterval(() => {
    const seconds = box.elapsed();
    if (seconds !== null) screen.tick(clock(seconds));
    countDown();
  }, 500);
  life.addEventListener("abort", () => clearInterval(timer));
  return h("div", { class: "broadcast" }, screen.node, desk);
}

/** A trouble in the words of the page, if it has some: for devices, servers and the network. */
function ownWords({ subject, cause }, nameOf) {
  const isSource = subject === "video" || subject === "audio";
  // A file or a pipe has the same causes as a device, which mean something else.
  if (isSource && !/^(camera|microphone)/.test(setting(`${subject}.source`)?.value)) return null;
  const key = `cause.${isSource ? `${subject}_` : ""}${cause}`;
  return tryWord(key, null) && t(key, { server: nameOf(subject.replace(/ port \d+$/, "")) });
}
