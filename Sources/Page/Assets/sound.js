// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The sound: a strip for each microphone and one for the music, what viewers hear of all, and headphones at the box.

import { get, patch, post, request } from "./api.js";
import { box } from "./box.js";
import { ask, field, h, linkButton, repaint, say } from "./dom.js";
import { helpOf } from "./control.js";
import { dressed, sayOf } from "./dress.js";
import { slider } from "./layerfields.js";
import { lipSyncPart } from "./lipsync.js";
import { monitor } from "./monitor.js";
import { musicStrip } from "./music.js";
import { change as save, load, onUndone, setting } from "./settings.js";
import { microphoneName, sourceName } from "./sources.js";
import { reading, timeOf, title } from "./state.js";
import { fader, strip } from "./strip.js";
import { causeText, missingText, why } from "./why.js";
import { loadWordsOf, number, sentences, t, tryWord } from "./words.js";

/** Changes follow each other not faster than this: the box takes five a second. */
const PACE_MS = 250;
/** Without levels for so long there is nothing to measure. */
const QUIET_MS = 1_000;
const SOON_MS = 200;
const DEVICES_MS = 5_000;
/** A box has so many tracks, without music. */
const MOST = 4;
/** What a scene has its own defaults for. */
const OF_SCENE = ["denoise", "high_pass_hz", "hum_filter", "compressor", "deesser", "auto_level"];
/** The least and the most of a slider, its step and its unit. */
const SLIDERS = { gain_db: [-20, 30, 0.5, " dB"], pan: [-100, 100, 5, ""], delay_ms: [-500, 500, 10, " ms"] };
const CHOICES = { denoise: ["dB", 10, 15, 20], high_pass_hz: ["Hz", 30, 80, 120, 200] };
const SWITCHES = ["hum_filter", "gate", "compressor", "deesser", "auto_level"];
/** Nothing is heard below this short-term loudness. */
const SILENT_LUFS = -50;
const TARGET_LUFS = -16;
/** Most difference between a loudness that is right and the one to aim at. */
const NEAR_LU = 3;
/**
 * Time over which the loudness is judged, time that sound has to last before, and how much softer than the rest a gap is.
 */
const [JUDGED_MS, ENOUGH_MS, GAP_LU] = [20_000, 5_000, 10];
/** Time for which a distorted sound is the verdict. */
const CLIPPED_MS = 3_000;
/** What brings the sound back: a command and its key, by what a person has done. */
const BACK = { muted: ["unmute", "live.unmute"], audio_off: ["audio_on", "live.audio_on"] };
const SCENES = ["off", "speech", "music"];

/** The help of a setting, for its field, without what 0 means: the list has the word "None" for it. */
const help = (key) => ({ help: helpOf(setting(key)).replace(/ ?\b0 (for|表示)[^.。]*[.。]/, ""), helpLanguage: tryWord(`help.${key}`, null) ? undefined : "en" });

/** The part "phone" is for the phone that flashes in a measurement. */
export async function view(page, life, part) {
  await Promise.all([load(true), dressed(), loadWordsOf("sound")]);
  if (part === "phone") return (await import("./flash.js")).flashView(life);
  let audio = { tracks: [], alarms: [], volumes: {}, ducking: {} };
  let devices = null;
  /** What a person has just changed, by the name of the track; "voice" and "desk" are none. */
  const drafts = {};
  let isSending = false;
  /** When levels came last. */
  let heard = -Infinity;
  let wasQuiet = true;
  let levels = {};
  /** The last loudnesses, each with its time, and when the sound was distorted last. */
  let past = [];
  let clipped = -Infinity;
  let timer = null;
  const rows = new Map();
  const problem = h("p", { class: "problem", role: "alert" });
  const list = h("ul", { class: "layers" });
  const adds = h("div", { class: "adds" });
  const few = h("p", { class: "help" }, t("sound.more_tracks"));
  const screen = monitor({ life, name: page.session.name, isBare: true });
  const listen = h("button", { type: "button", class: "button", onclick: () => screen.open() }, t("loudness.listen"));
  const closed = h("div", { class: "row" }, listen, h("p", { class: "help" }, t("sound.begin")));
  const voices = fader(t("sound.voices"), (voice) => change("voice", { voice }));
  const music = musicStrip(life, (fields) => change("volume" in fields ? "music" : "desk", fields));
  const verdict = h("p", { class: "state-line" });
  const figures = h("small", null);
  const hushedKey = h("button", { type: "button", class: "button", onclick: () => {
    say(problem, "");
    box.command(BACK[hushedBy()][0]).catch((refusal) => say(problem, why(refusal)));
  } });
  const hushed = h("div", { class: "row", role: "status" }, h("p", null, t("sound.hushed")), hushedKey);
  const targetText = h("span", null);
  const target = h("input", { type: "checkbox", class: "switch-box", role: "switch",
    onchange: () => change("desk", { target_lufs: target.checked ? TARGET_LUFS : 0 }) });

  const isLost = () => box.link === "lost";
  /** What a person has done so that viewers hear nothing: a name of a text. */
  const hushedBy = () => isOnAir() && Object.keys(BACK).find((name) => box.status.intent[name]);
  /** Why viewers hear nothing of a track that is not muted itself: a text. */
  function unheard(isMusic) {
    const kept = setting("pause.sound")?.value;
    const isPaused = box.status?.intent.broadcast === "paused" && kept !== "keep" && !(kept === "music" && isMusic);
    const name = hushedBy() || isPaused && "paused";
    return name && !isLost() ? t(name === "muted" ? "sound.muted" : `sound.unheard_${name}`) : "";
  }
  const isOnAir = () => box.status && box.status.intent.broadcast !== "off";
  const valueOf = (track) => ({ ...track, ...drafts[track.name] });

  /** Changes fields of a track. Several changes at once are sent one after another. */
  async function change(name, fields) {
    drafts[name] = { ...drafts[name], ...fields };
    say(problem, "");
    paint();
    if (isSending) return;
    isSending = true;
    while (Object.keys(drafts).length) {
      const [[of, sent]] = Object.entries(drafts);
      try {
        if (of === "voice") await post("/api/volumes", sent);
        else if (of === "music") await post("/api/volumes", { music: sent.volume });
        else await patch("/api/audio", of === "desk" ? sent : { tracks: [{ name: of, ...sent }] });
        audio = await get("/api/audio");
        if (drafts[of] === sent) delete drafts[of];
      } catch (refusal) {
        delete drafts[of];
        say(problem, why(refusal));
      }
      paint();
      await new Promise((done) => setTimeout(done, PACE_MS));
    }
    isSending = false;
    look();
  }

  async function look() {
    const fresh = await get("/api/audio").catch(() => null);
    if (!fresh || life.aborted || isSending) return;
    audio = fresh;
    paint();
  }

  /** The microphone of a track, as the box lists it. */
  const microphoneOf = ({ source }) => devices?.microphones.find((one) =>
    (source === "microphone" ? one.first : one.value === source));

  /** What the source of a track is called. */
  const nameOf = ({ source }) => (source !== "microphone" ? sourceName("audio.source", source, devices)
    : microphoneOf({ source })?.name ?? t("source.microphone"));

  /** Changes a track by the list of all tracks, and shows why that is refused. */
  async function send(method, path, body) {
    say(problem, "");
    await request(method, path, body).catch((refusal) => say(problem, why(refusal)));
    await look();
  }

  async function remove(track) {
    const name = nameOf(track);
    const isSure = await ask(t("picture.remove_title", { name }), t("sound.remove_text"), t("picture.remove"), t("common.cancel"));
    if (isSure) await send("DELETE", `/api/tracks/${track.name}`);
  }

  /** The strip of a microphone, with what is done to its sound. */
  function row(name) {
    const set = (fields) => change(name, fields);
    const scenes = SCENES.map((scene) => h("button", { type: "button", onclick: () =>
      set({ scene, ...Object.fromEntries(OF_SCENE.map((key) => [key, null])) }) }, t(`choice.audio.scene.${scene}`)));
    const means = h("p", { class: "help" });
    const hum = h("button", { type: "button", class: "button", onclick: () => set({ hum_filter: true }) }, t("set.audio.hum_filter"));
    const label = (key) => t(`set.audio.${key}`);
    const scene = h("b", { id: `scene-${name}` }, label("scene"));
    const fields = [
      ...Object.entries(SLIDERS).map(([key, [low, high, step, unit]]) => slider(label(key), { low, high, step, unit },
        (value) => value[key], (value, isDone) => isDone && set({ [key]: value }))),
      ...Object.entries(CHOICES).map(([key, [unit, ...steps]]) => {
        const select = h("select", { onchange: () => set({ [key]: Number(select.value) }) });
        return { node: field(label(key), select, help(`audio.${key}`)), update(value) {
          const all = [...new Set([0, ...steps, value[key] ?? 0])];
          repaint(select, all, all.map((one) => h("option", { value: one }, one ? `${one} ${unit}` : t("picture.none"))));
          select.value = value[key] ?? 0;
        } };
      }),
      ...SWITCHES.map((key) => {
        const input = h("input", { type: "checkbox", class: "switch-box", role: "switch", onchange: () => set({ [key]: input.checked }) });
        return { node: h("label", { class: "switch-line" }, input, h("span", null, label(key),
          h("small", { class: "help", lang: help(`audio.${key}`).helpLanguage }, help(`audio.${key}`).help))),
          update: (value) => (input.checked = Boolean(value[key])) };
      }),
    ];
    const isMain = name === "main";
    const more = h("details", { class: "quiet", ontoggle: ({ target }) => say(target.firstChild,
      t(target.open ? "extra.less" : "extra.more")) }, h("summary", null, t("extra.more")), h("div", { class: "stack" },
      fields.map(({ node }) => node), isMain ? h("a", { class: "link", href: "#setup/sources" }, t("setup.sources"))
        : linkButton(t("picture.remove"), () => remove(audio.tracks.find((one) => one.name === name)))));
    const one = strip(set, [hum, scene, h("div", { class: "switch", role: "group", "aria-labelledby": scene.id }, scenes), means, more]);
    return { ...one, update(track) {
      const value = valueOf(track);
      const alarms = audio.alarms.filter((alarm) => alarm.track === name);
      scenes.forEach((button, i) => button.setAttribute("aria-pressed", String(SCENES[i] === value.scene)));
      say(means, t(`sound.scene_${value.scene}`));
      hum.hidden = value.hum_filter || !alarms.some(({ cause }) => cause === "hum");
      for (const part of fields) part.update(value);
      const trouble = box.status?.troubles.find(({ subject }) => subject === (isMain ? "audio" : `track.${name}.source`));
      const texts = alarms.map(({ cause }) => t(`cause.${cause}`));
      const own = trouble && causeText(trouble);
      const word = one.word();
      const silent = unheard();
      const state = isLost() ? "" : value.mute ? t("sound.muted") : silent ? silent : alarms.length ? "" : value.state === "on" ? word : t(`sound.${value.state}`);
      const told = sentences([own, ...texts]);
      const microphone = microphoneOf(track);
      const marks = microphone && microphoneName(devices, { ...microphone, name: "" });
      one.update(nameOf(track), value, [!isMain && name, marks, state].filter(Boolean).join(" · "), isLost() ? "" : told || value.sentence, told, silent);
    } };
  }

  function paint() {
    if (life.aborted) return;
    const tracks = audio.tracks.filter(({ kind }) => kind !== "music");
    for (const [name, { node }] of rows) {
      if (tracks.some((one) => one.name === name)) continue;
      node.remove();
      rows.delete(name);
    }
    tracks.forEach((track, i) => {
      if (!rows.has(track.name)) rows.set(track.name, row(track.name));
      const one = rows.get(track.name);
      if (list.children[i] !== one.node) list.insertBefore(one.node, list.children[i] ?? null);
      one.update(track);
    });
    const voice = drafts.voice?.voice ?? audio.volumes.voice ?? 50;
    voices.update(voice);
    voices.node.hidden = tracks.length < 2 && voice === 50;
    music.update(drafts.music?.volume ?? audio.volumes.music ?? 50, drafts.desk?.duck_db ?? audio.ducking.depth_db ?? 0, unheard(true));
    const lufs = aim();
    target.checked = lufs !== 0;
    say(targetText, t(lufs && lufs !== TARGET_LUFS ? "sound.target_other" : "sound.target", { lufs: number(lufs) }));
    const done = hushedBy();
    hushed.hidden = !done;
    if (done) say(hushedKey, t(BACK[done][1]));
    few.hidden = tracks.length >= MOST || !devices;
    const free = tracks.length >= MOST ? [] : devices?.microphones.filter((one) => !tracks.some(({ source }) =>
      source === one.value || source === "microphone" && one.first)) ?? [];
    repaint(adds, [free, isOnAir()], free.map((one) => h("button", { type: "button", class: "button",
      onclick: () => send("POST", "/api/tracks", { source: one.value, mute: Boolean(isOnAir()) }) }, t("sound.add", { name: microphoneName(devices, one) }))));
    heads.update();
    node.toggleAttribute("inert", isLost());
  }

  /** The loudness to aim at, in LUFS; 0 for none. */
  const aim = () => drafts.desk?.target_lufs ?? audio.target_lufs ?? 0;

  /** The one verdict on what viewers hear: a text; "" while there is not enough sound, or where another text tells it. */
  function judge(short) {
    const now = performance.now();
    past = past.filter(([at]) => now - at < JUDGED_MS);
    if (short <= SILENT_LUFS) return t("loudness.silent");
    past.push([now, short]);
    // The meter and the strip say that it is distorted.
    if (now - clipped < CLIPPED_MS || audio.alarms.some(({ cause }) => cause === "clipping")) return "";
    if (past.length < 2 || now - past[0][0] < ENOUGH_MS) return "";
    const mean = (list) => list.reduce((sum, [, lufs]) => sum + lufs, 0) / list.length;
    const rough = mean(past);
    const off = mean(past.filter(([, lufs]) => lufs >= rough - GAP_LU)) - (aim() || TARGET_LUFS);
    const isOther = aim() && aim() !== TARGET_LUFS;
    return t(off < -NEAR_LU ? "loudness.quiet" : off > NEAR_LU ? "loudness.loud" : isOther ? "loudness.target" : "loudness.right");
  }

  /** Shows the levels of the last moment, ten times a second. */
  function measure(tracks = []) {
    for (const [name, one] of [...rows, ["music", music]]) one.level(tracks.find((track) => track.name === name));
  }

  /** Says how loud it is, and how much the music is lowered: what changes ten times a second cannot be read. */
  function tell({ loudness, reduction_db: reduction }) {
    music.duck(reduction);
    const { short_term_lufs: short, integrated_lufs: whole, range_lu: range, true_peak_dbtp: peak } = loudness ?? {};
    say(verdict, loudness ? judge(short) : "");
    if (!loudness) past = [];
    say(figures, short > SILENT_LUFS ? t("sound.figures", { short: number(short, 1), peak: number(peak, 1), whole: number(whole, 1),
      range: number(range, 1) }) : "");
  }

  /** Which headphones play what. */
  function headphones() {
    const keep = (key, value) => {
      Object.assign(setting(key), { value });
      return save({ [key]: value }).catch((refusal) => (say(problem, why(refusal)), load(true)));
    };
    const other = h("input", { type: "text", spellcheck: false, autocapitalize: "off", autocomplete: "off",
      onchange: () => keep("audio.monitor", other.value.trim()) });
    const otherField = field(t("sound.device_name"), other, help("audio.monitor"));
    /** Whether somebody types the name of a device that is not listed. */
    let isOther = false;
    const device = h("select", { onchange: () => {
      isOther = device.value === "other";
      otherField.hidden = !isOther;
      if (isOther) other.focus();
      else keep("audio.monitor", device.value);
    } });
    const deviceField = field(t("sound.device"), device);
    const none = h("p", { class: "help" }, t("sound.no_headphones"));
    const source = h("select", { onchange: () => keep("audio.monitor_source", source.value) });
    const volume = fader(t("set.audio.monitor_volume"), (value) => keep("audio.monitor_volume", value));
    const state = h("p", { role: "status" });
    return { node: h("div", { class: "stack" }, none, deviceField, otherField, field(t("set.audio.monitor_source"), source), volume.node,
      state), update() {
      const chosen = setting("audio.monitor")?.value ?? "";
      const found = devices?.playback ?? [];
      const outputs = [["", t("picture.none")], ...found.map((one) => [one.value, one.name]), ["other", t("sound.device_other")]];
      if (!outputs.some(([value]) => value === chosen)) outputs.splice(-1, 0, [chosen, chosen]);
      repaint(device, outputs, outputs.map(([value, name]) => h("option", { value }, name)));
      if (document.activeElement !== device) device.value = isOther ? "other" : chosen;
      otherField.hidden = !isOther;
      if (document.activeElement !== other) other.value = chosen;
      const told = box.status?.monitor;
      none.hidden = !devices || found.length > 0 || told?.state === "on";
      const unfit = !/^(on|private)$/.test(told?.state) && found.find((one) => one.value === chosen && one.problem);
      deviceField.problem(unfit ? tryWord(`event.headphones_${unfit.cause}`, unfit.problem) : "");
      const now = setting("audio.monitor_source")?.value;
      const names = audio.tracks.filter(({ kind }) => kind !== "music");
      const all = [["programme", t("choice.audio.monitor_source.programme")], ...names.map((one) => [one.name, t("sound.direct", { name: nameOf(one) })])];
      repaint(source, all, all.map(([value, name]) => h("option", { value }, name)));
      source.value = now;
      volume.update(setting("audio.monitor_volume")?.value ?? 50);
      const isOn = told?.state === "on" && told.delay_ms !== undefined;
      const own = isOn ? sentences([t("sound.late", { ms: number(told.delay_ms) }), !told.heard && t("sound.unheard")])
        : told && tryWord(`event.headphones_${told.state}`, null);
      // What is wrong with the device is told above already.
      sayOf(state, unfit ? "" : own ?? told?.sentence, own);
    } };
  }

  const heads = headphones();
  const node = h("div", { class: "sound" }, h("h1", { class: "unseen" }, t("nav.sound")),
    h("section", { class: "stack", "aria-label": t("sound.tracks") }, h("h2", null, t("sound.tracks")), problem, hushed, closed, voices.node,
      list, adds, few, h("ul", { class: "layers" }, music.node)),
    h("section", { class: "stack", "aria-label": t("choice.audio.monitor_source.programme") },
      h("h2", null, t("choice.audio.monitor_source.programme")), screen.node, verdict, figures,
      h("div", { class: "row" }, h("a", { class: "link", href: "#setup/all" }, t("sound.quality"))),
      h("label", { class: "switch-line" }, target, targetText),
      h("h2", null, t("set.audio.monitor")), heads.node, lipSyncPart(life)));

  /** Asks for the sound a moment after something has happened. */
  function soon() {
    clearTimeout(timer);
    timer = setTimeout(look, SOON_MS);
  }

  function update() {
    const { status } = box;
    if (!status) return;
    const state = reading(status);
    screen.update({ ...state, text: title(status), clock: timeOf(status, box.elapsed()), missing: state.onAir ? "" : missingText(status) });
    soon();
  }

  box.on("status", update, life);
  box.on("levels", (now) => {
    if (now.tracks?.length) heard = performance.now();
    if (now.clipped) clipped = performance.now();
    levels = now;
    measure(levels.tracks);
  }, life);
  box.on("tick", () => {
    if (box.status) screen.tick(timeOf(box.status, box.elapsed()));
    const isQuiet = performance.now() - heard > QUIET_MS;
    if (isQuiet) measure((levels = {}).tracks);
    // The sound was opened or closed.
    if (isQuiet !== wasQuiet) soon();
    wasQuiet = isQuiet;
    tell(levels);
    closed.hidden = !isQuiet || isOnAir();
    paint();
  }, life);
  box.on("link", soon, life);
  box.on("event", async (event) => {
    if (!box.isNew(event)) return;
    if (/^settings_/.test(event.code)) await load(true).catch(() => {});
    soon();
  }, life);
  onUndone(life, (keys, sentence) => keys.some((key) => /^(audio|track|music)\./.test(key)) && say(problem, sentence));
  const find = async () => {
    devices = document.hidden ? devices : await get("/api/devices").catch(() => devices);
    paint();
  };
  const searching = setInterval(find, DEVICES_MS);
  life.addEventListener("abort", () => clearInterval(searching));
  update();
  await Promise.all([look(), find()]);
  return node;
}
