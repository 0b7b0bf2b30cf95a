// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The broadcast: the picture, the state in a sentence, and one big button.

import { post, stamp } from "./api.js";
import { box } from "./box.js";
import { ask, fill, h, icon, say } from "./dom.js";
import { monitor } from "./monitor.js";
import { delivery, reading } from "./state.js";
import { clock, number, t, timeOfDay } from "./words.js";

export async function view(page, life) {
  const isAllowed = page.session.scope !== "read";
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
    more.append(snapshots(problem));
    if (page.session.scope === "admin") more.append(elsewhere(problem));
    if (box.status) update(box.status);
  });
  const desk = h("section", { class: "desk", "aria-label": t("nav.broadcast") },
    announced, sent, troubles, isAllowed && big, problem, keys, more);

  photo.addEventListener("click", () => (photo.download = `${page.session.name}-${stamp()}.jpg`));

  async function command(name, body) {
    say(problem, "");
    desk.classList.add("working");
    big.disabled = true;
    try {
      box.take((await post(`/api/${name}`, body)).status);
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

  function update(status) {
    const state = reading(status);
    const { broadcast, muted } = status.intent;
    const isOn = broadcast !== "off";
    const way = delivery(status);
    desk.dataset.grade = state.grade;
    desk.dataset.colour = state.colour;
    say(grade, t(`grade.${state.grade}`));
    say(sentence, t(state.sentence));
    say(next, t(`${state.sentence}.next`) === `${state.sentence}.next` ? "" : t(`${state.sentence}.next`));
    sent.hidden = !way;
    sent.classList.toggle("good", Boolean(way?.good));
    if (way) way.values.server = named?.(`rtmp://${way.values.server}`).name ?? way.values.server;
    say(sent, way ? t(way.key, way.values) : "");
    fill(troubles, status.troubles.map((trouble) => h("li", null,
      h("p", { lang: "en" }, trouble.sentence),
      h("small", null, t("trouble.since", { time: timeOfDay(trouble.since) }),
        trouble.retry_in_seconds ? ` ${t("trouble.retry", { seconds: number(trouble.retry_in_seconds) })}` : ""))));
    troubles.hidden = !status.troubles.length;
    button(status);
    mute.hidden = !isOn || !isAllowed;
    mute.setAttribute("aria-pressed", String(muted));
    fill(mute, icon(muted ? "muted" : "microphone"), h("span", null, t(muted ? "live.unmute" : "live.mute")));
    end.hidden = !isOn || !isAllowed;
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
  const timer = setInterval(() => {
    const seconds = box.elapsed();
    if (seconds !== null) screen.tick(clock(seconds));
  }, 500);
  life.addEventListener("abort", () => clearInterval(timer));
  return h("div", { class: "broadcast" }, screen.node, desk);
}
