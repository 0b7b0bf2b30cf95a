// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Films, sounds and images on the box, which it can send instead of camera and microphone.

import { get, request } from "./api.js";
import { box } from "./box.js";
import { ask, fill, h, linkButton, say } from "./dom.js";
import { change, onUndone, setting } from "./settings.js";
import { why } from "./why.js";
import { listed, number, t } from "./words.js";

/** For a film over a slow Wi-Fi; the box waits as long. */
export const UPLOAD_MS = 1_200_000;
/** The settings that a file of each kind can be the source of. Fonts, stickers and texts belong to overlays. */
const SOURCES = { video: ["video.source", "audio.source"], image: ["video.source"], audio: ["audio.source"],
  other: ["video.source", "audio.source"] };
const PLAY = { video: "media.play", image: "media.show", audio: "media.play_sound", other: "media.play" };

/** What camera and microphone were before a file took their place. */
const before = {};

export const path = (name) => `/api/media/${encodeURIComponent(name)}`;

/** "3.2 MB". */
export function size(bytes) {
  const unit = bytes < 1e6 ? ["kB", 1e3] : bytes < 1e9 ? ["MB", 1e6] : ["GB", 1e9];
  return `${number(bytes / unit[1], 1)} ${unit[0]}`;
}

/** The part: the files, and a button that adds one. */
export function mediaPart(life) {
  const list = h("ul", { class: "lines" });
  const room = h("p", { class: "help", role: "status" });
  const problem = h("p", { class: "problem", role: "alert" });
  const file = h("input", { type: "file", class: "unseen",
    accept: "video/*,audio/*,image/png,image/jpeg,.mkv,.ts,.flv,.ttf,.otf,.zip,.txt", tabindex: "-1", "aria-hidden": "true",
    onchange: pick });
  const add = h("button", { class: "button", type: "button", onclick: () => file.click() }, t("media.add"));

  function line({ name, bytes, kind, family, used_by: uses }) {
    const isUsed = uses.length > 0;
    const isPlayed = (keys) => keys.every((key) => uses.includes(key));
    const button = (text, keys) => !isPlayed(keys) && linkButton(t(text), () => act(() => play(name, keys, t(text))), name);
    return h("li", null,
      h("span", null, h("b", null, name), " ", h("small", null,
        listed([t(`media.${kind}`), family, size(bytes), isUsed && t("media.used")]))),
      h("span", { class: "row" },
        SOURCES[kind] && button(PLAY[kind], SOURCES[kind]),
        kind === "video" && button("media.play_picture", ["video.source"]),
        uses.some(isSource) && linkButton(t("media.stop"), () => act(() => stop(uses.filter(isSource))), name),
        !isUsed && linkButton(t("media.delete"), () => act(() => remove(name)), name)));
  }

  const isSource = (key) => /^(video|audio)\.source$/.test(key);

  async function play(name, keys, text) {
    const isSure = !box.status || box.status.intent.broadcast === "off"
      || await ask(t("media.play_title", { name }), t("media.play_text"), text, t("common.cancel"));
    if (!isSure) return;
    for (const key of keys) {
      const value = setting(key)?.value;
      if (value && !value.startsWith("file:")) before[key] = value;
    }
    await change(Object.fromEntries(keys.map((key) => [key, `file:media/${name}`])));
  }

  const stop = (keys) => change(Object.fromEntries(keys.map((key) => [key, before[key] ?? null])));

  async function remove(name) {
    const isSure = await ask(t("media.delete_title", { name }), t("media.delete_text"), t("media.delete"), t("common.cancel"));
    if (isSure) await request("DELETE", path(name));
  }

  /** Does something, then shows the files as they are. */
  async function act(body) {
    say(problem, "");
    try {
      await body();
    } catch (refusal) {
      say(problem, why(refusal));
    }
    await look();
  }

  async function pick() {
    const chosen = file.files[0];
    file.value = "";
    if (!chosen) return;
    add.disabled = true;
    say(room, t("media.sending", { name: chosen.name, size: size(chosen.size) }));
    await act(() => request("PUT", path(chosen.name), chosen, "application/octet-stream", UPLOAD_MS));
    add.disabled = false;
  }

  async function look() {
    try {
      const found = await get("/api/media");
      if (life.aborted) return;
      fill(list, found.files.map(line));
      say(room, t("media.room", { size: size(found.free_bytes) }));
    } catch {
      // The banner tells when the box is gone.
    }
  }

  look();
  // What is in use is chosen elsewhere, too.
  box.on("event", (event) => event.code === "settings_changed" && box.isNew(event) && look(), life);
  onUndone(life, (keys, sentence) => {
    if (!keys.some((key) => key.endsWith(".source"))) return;
    say(problem, sentence);
    look();
  });
  return h("div", { class: "stack" }, list, problem, file, h("div", { class: "row" }, add), room);
}
