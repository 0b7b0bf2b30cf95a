// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Music beside the voice: what is played, its keys, and how far it has come.

import { get, post, request } from "./api.js";
import { box } from "./box.js";
import { field, fill, h, say } from "./dom.js";
import { sayOf } from "./dress.js";
import { slider } from "./layerfields.js";
import { path, size, UPLOAD_MS } from "./media.js";
import { change as save, setting } from "./settings.js";
import { strip } from "./strip.js";
import { causeText, why } from "./why.js";
import { clock, keep, keptHere, number, t } from "./words.js";

/** The volume that a mute keeps is kept under this name: the box has a volume of 0 then. */
const VOLUME = "onair.music_volume";

/** Uploaded files that can be music. */
const isMusic = ({ name, kind }) => kind === "audio" || /\.(m3u8?|pls)$/i.test(name);

/** The strip of the music. `change` is called with another volume or depth of ducking. */
export function musicStrip(life, change) {
  let music = {};
  /** The volume before a mute. */
  let before = Number(keptHere(VOLUME)) || 50;
  /** Why the box has refused what was asked last. */
  let refused = "";
  /** What somebody has chosen in the list. */
  let picked = null;
  let isBusy = false;
  let isMuted = false;
  const problem = h("p", { class: "problem", role: "alert" });
  const room = h("p", { class: "help", role: "status" });
  const choice = h("select", { onchange: () => show(picked = choice.value) });
  const address = h("input", { type: "url", required: true, placeholder: "http://", spellcheck: false, autocapitalize: "off", autocomplete: "off" });
  const addressField = field(t("sound.address"), address);
  const file = h("input", { type: "file", class: "unseen", accept: "audio/*,.m3u,.m3u8,.pls", tabindex: "-1", "aria-hidden": "true",
    onchange: upload });
  const key = (text, onclick, kind = "") => h("button", { type: "button", class: `button ${kind}`, onclick }, t(text));
  const play = key("media.play_sound", () => {
    const isFit = choice.value !== "address" || /^https?:/i.test(chosen()) && address.checkValidity();
    addressField.problem(isFit ? "" : t("sound.address_needed"));
    if (isFit) act(() => post("/api/music", { source: chosen() }));
    else address.focus();
  });
  const pause = key("relays.pause", () => act(() => post("/api/music/pause")));
  const resume = key("relays.resume", () => act(() => post("/api/music/resume")), "solid");
  const stop = key("media.stop", () => act(() => post("/api/music/stop")));
  const add = key("media.add", () => file.click());
  const toggle = (name, change) => {
    const input = h("input", { type: "checkbox", class: "switch-box", role: "switch", onchange: () => act(change) });
    return [input, h("label", { class: "switch-line" }, input, h("span", null, t(`set.music.${name}`)))];
  };
  const [loop, loopLine] = toggle("loop", () => save({ "music.loop": loop.checked }));
  const [begins, beginsLine] = toggle("autostart", () => save({ "music.source": chosen(), "music.autostart": begins.checked }));
  const bar = h("progress", { "aria-label": t("sound.progress") });
  const time = h("small", null);
  const passed = h("div", { class: "row progress" }, bar, time);
  const lowered = h("p", { class: "help" });
  const duck = slider(t("set.music.duck_db"), { low: 0, high: 40, step: 1, unit: " dB", none: t("picture.none") }, (db) => db,
    (db, isDone) => isDone && change({ duck_db: db }));
  const one = strip(set, [
    field(t("sound.play"), choice), addressField, h("div", { class: "row" }, resume, play, pause, stop), problem, passed, file,
    h("div", { class: "row" }, add, room, h("a", { class: "link", href: "#setup/media" }, t("sound.files"))), loopLine, beginsLine, duck.node, lowered]);

  const chosen = () => (choice.value === "address" ? address.value.trim() : choice.value);

  /** Takes another volume, which a mute keeps for later, or a mute. */
  function set({ volume, mute }) {
    if (volume !== undefined) keep(VOLUME, before = volume);
    if (volume === undefined) change({ volume: mute ? 0 : before || 50 });
    else if (!isMuted) change({ volume });
  }

  function show(value) {
    choice.value = value;
    addressField.hidden = value !== "address";
  }

  /** Does something, and shows why the box refuses it. */
  async function act(body) {
    refused = "";
    isBusy = true;
    try {
      await body();
    } catch (refusal) {
      refused = why(refusal);
    }
    isBusy = false;
    explain();
    await look();
  }

  async function upload() {
    const [song] = file.files;
    file.value = "";
    if (!song) return;
    add.disabled = true;
    say(room, t("media.sending", { name: song.name, size: size(song.size) }));
    await act(async () => {
      await request("PUT", path(song.name), song, "application/octet-stream", UPLOAD_MS);
      picked = `file:media/${song.name}`;
    });
    add.disabled = false;
    await list();
  }

  /** Lists what can be played. */
  async function list() {
    const found = await get("/api/media").catch(() => null);
    if (!found || life.aborted) return;
    const songs = found.files.filter(isMusic).map(({ name }) => [`file:media/${name}`, name]);
    const all = ["folder", "shuffle"].map((one) => [`${one}:media`, t(`sound.${one}`)]);
    const options = [...songs, ...songs.length ? all : [], ["address", t("sound.address")]];
    const wanted = picked ?? (music.source || setting("music.source")?.value);
    const isAddress = /^https?:/.test(wanted);
    if (isAddress) address.value = wanted;
    else if (wanted && !options.some(([value]) => value === wanted)) options.push([wanted, wanted.replace(/^\w+:/, "")]);
    fill(choice, options.map(([value, text]) => h("option", { value }, text)));
    show(isAddress ? "address" : wanted || options[0][0]);
    say(room, t("media.room", { size: size(found.free_bytes) }));
  }

  async function look() {
    const fresh = await get("/api/music").catch(() => null);
    if (fresh && !life.aborted) take(fresh);
  }

  /** Says beside the key why nothing plays. */
  function explain() {
    const own = refused || causeText({ subject: "music", cause: music.cause });
    sayOf(problem, own || music.sentence, own);
  }

  /** Whether the music has not begun, and why is known. */
  const hasFailed = () => music.state === "starting" && Boolean(music.cause);

  function take(fresh) {
    music = fresh;
    explain();
    const { state, volume, position_seconds: position, duration_seconds: duration } = music;
    if (volume && volume !== before) keep(VOLUME, before = volume);
    pause.hidden = !/^(playing|starting|waiting)$/.test(state) || hasFailed();
    resume.hidden = state !== "paused";
    play.classList.toggle("solid", resume.hidden);
    stop.hidden = state === "stopped";
    passed.hidden = position === undefined;
    bar.hidden = !duration;
    bar.max = duration || 1;
    bar.value = Math.min(position ?? 0, bar.max);
    say(time, [position, duration].filter((one) => one !== undefined).map(clock).join(" / "));
    if (!isBusy) loop.checked = music.loop;
  }

  look().then(list);
  box.on("music", take, life);
  box.on("event", (event) => event.code === "media_changed" && box.isNew(event) && list(), life);

  return {
    node: one.node, level: one.level,
    /** Takes volume and depth of ducking, and why viewers do not hear it. */
    update(volume, depth, unheard) {
      const { state, title, piece } = box.link === "lost" ? {} : music;
      isMuted = volume === 0;
      const isPlaying = state === "playing";
      const silent = isMuted ? t("sound.muted") : isPlaying && unheard;
      const word = state && !(isPlaying && silent) && t(`sound.music_${hasFailed() ? "failed" : state}`);
      const text = [title || piece, word, silent].filter(Boolean).join(" · ");
      one.update(t("section.music"), { volume: isMuted ? before : volume, mute: isMuted }, text, "", false, unheard);
      one.word();
      duck.update(depth);
      if (!isBusy) begins.checked = setting("music.autostart")?.value;
    },
    /** Says whether the music is lowered now: by `db`. */
    duck: (db = 0) => say(lowered, music.state === "playing" && db > 0.5 ? t("sound.ducks", { db: number(db) }) : ""),
  };
}
