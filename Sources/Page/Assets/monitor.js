// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The monitor: the live picture in its frame, with the label of the box and a lamp beneath it, and the level meter.

import { box } from "./box.js";
import { h, icon, say } from "./dom.js";
import { Meter } from "./meter.js";
import { Player } from "./player.js";
import { sourceOf } from "./settings.js";
import { t } from "./words.js";

/** What the monitor says in each state of the player. */
const NOTES = { idle: "off", over: "over", busy: "busy", unplayable: "unplayable" };
const OVER_MS = 1_000;
/** The box keeps camera and microphone open for so long after the last request of a page. */
const CLOSING_MS = 15_000;
/** When this page has shown something last is kept under this name while it is open, also when it is loaded again. */
const SHOWN = "onair.shown";
let shownAt = 0;
try {
  shownAt = Number(sessionStorage.getItem(SHOWN));
} catch {
  // It counts until the page is loaded again.
}

function noteShown() {
  shownAt = Date.now();
  try {
    sessionStorage.setItem(SHOWN, shownAt);
  } catch {
    // As above.
  }
}

/** Photos that this page takes now: they open camera and microphone, too. */
let photos = 0;

/** Does what takes photos; returns what comes of it. */
export async function taking(work) {
  photos++;
  try {
    return await work();
  } finally {
    photos--;
    noteShown();
  }
}

/** Whether this page takes a photo. */
export const isTaking = () => photos > 0;

/** Whether this page has shown the picture until a moment ago: the box may not have closed camera and microphone yet. */
export const hasJustShown = () => Date.now() - shownAt < CLOSING_MS;

/**
 * Makes a monitor. On the air it shows the picture by itself; off the air a person asks for it, since that opens camera
 * and microphone (`opensItself`: without asking). It stops when the page is hidden and when `life` is aborted.
 * `isBare`: the meter has no word for how loud it is.
 */
export function monitor({ life, opensItself = false, name = "", isBare = false }) {
  let wanted = opensItself;
  let isOnAir = false;
  let state = "off_air";

  const video = h("video", { playsInline: true, muted: true, "aria-label": t("monitor.video"), tabindex: "-1" });
  const note = h("p", { class: "monitor-note" });
  const showText = h("span", null);
  const show = h("button", { class: "button on-picture", onclick: () => (want(true), (sound.checkVisibility?.() === false ? close : sound).focus()) },
    icon("camera"), showText);
  const cover = h("div", { class: "cover" }, note, show);
  const missing = h("p", { class: "missing", role: "status" });
  const ribbon = h("p", { class: "ribbon", hidden: true });
  const sound = h("button", { class: "tool", onclick: () => hear(video.muted) });
  const full = h("button", { class: "tool", "aria-label": t("monitor.full"), title: t("monitor.full"),
    onclick: enlarge }, icon("full"));
  const close = h("button", { class: "tool wide", hidden: true, onclick: () => (want(false), show.focus()) },
    t("monitor.close"));
  const tools = h("div", { class: "tools" }, close, sound, full);
  const word = h("b", null);
  const time = h("span", { class: "time" });
  const label = h(
    "div", { class: "label", "aria-hidden": "true" },
    h("i", { class: "lamp" }), word, h("span", { class: "name" }, name), time);
  const meter = new Meter(life, () => isOnAir || player.isOn, isBare);
  const screen = h("div", { class: "screen" }, video, cover, ribbon, missing, tools);
  const node = h("section", { class: "monitor", "aria-label": t("guide.picture") }, screen, label, meter.node);
  const mirror = (status) => video.classList.toggle("mirrored", Boolean(status?.preview_mirror));
  box.on("status", mirror, life);
  mirror(box.status);

  let lacking = "";
  let isEmpty = false;
  /** Why there is no picture, or only a black one. */
  function tell(picture) {
    say(missing, picture === "playing" && state !== "no_answer" ? lacking : "");
    node.classList.toggle("lacking", missing.textContent !== "");
    const isOff = picture === "idle" || picture === "over";
    const name = state === "no_answer" ? "lost" : isEmpty && isOff && !isOnAir ? "none" : state === "ending" && isOff ? "ending"
      : isOff && isOnAir ? "waiting" : NOTES[picture] ?? "waiting";
    const chosen = sourceOf("video");
    const what = t(chosen === "camera" ? "monitor.camera" : `seen.${chosen === "none" ? "pipe" : chosen}`);
    say(note, t(`monitor.${name}`, { what }));
    say(showText, t("monitor.show", { what }));
    show.hidden = !isOff || isOnAir || name !== "off" && name !== "over";
  }

  const player = new Player(video, (picture) => {
    node.dataset.picture = picture;
    tell(picture);
    cover.hidden = picture === "playing";
    tools.hidden = picture === "idle" || picture === "over";
    if (picture !== "over") return;
    wanted = false;
    // A broadcast that has begun meanwhile is shown by itself.
    setTimeout(decide, OVER_MS);
  });

  function hear(on) {
    video.muted = !on;
    video.volume = 1;
    const text = on ? t("monitor.silent") : t("monitor.hear");
    sound.replaceChildren(icon(on ? "sound" : "silent"));
    sound.setAttribute("aria-label", text);
    sound.title = text;
  }

  function enlarge() {
    if (document.fullscreenElement) document.exitFullscreen();
    else if (screen.requestFullscreen) screen.requestFullscreen();
    else video.webkitEnterFullscreen?.();
  }

  function want(on) {
    wanted = on;
    if (on) player.start({ again: true });
    decide();
  }

  function decide() {
    const shows = !life.aborted && !document.hidden && (isOnAir || wanted);
    if (shows && !player.isOn) player.start();
    if (!shows && player.isOn) {
      player.stop();
      noteShown();
    }
    close.hidden = isOnAir || opensItself;
  }

  hear(false);
  player.stop();
  document.addEventListener("visibilitychange", () => {
    // The aiming view ends with the page; on the air the picture comes back.
    if (document.hidden && !opensItself) wanted = false;
    decide();
  }, { signal: life });
  life.addEventListener("abort", decide);
  setTimeout(decide);

  return {
    node,
    /** Takes the state: what `reading` tells, and whether it is on the air. `hasNone`: there is no camera to be shown. */
    update({ colour, text, onAir, ribbon: over, clock, state: now = "off_air", missing: lacks, hasNone }) {
      node.dataset.colour = colour;
      state = now;
      lacking = lacks ?? "";
      isEmpty = Boolean(hasNone);
      tell(node.dataset.picture);
      say(word, text);
      say(time, clock ?? "");
      ribbon.hidden = !over;
      say(ribbon, over ? t(over) : "");
      if (onAir !== isOnAir) {
        isOnAir = onAir;
        if (!onAir) wanted = opensItself;
        decide();
      }
    },
    /** Whether there is sound to measure. */
    isOpen: () => isOnAir || player.isOn,
    /** Opens camera and microphone off the air, as its key does. */
    open() {
      if (!isOnAir) want(true);
    },
    tick(clock) {
      say(time, clock);
    },
  };
}
