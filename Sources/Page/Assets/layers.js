// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The layers of the picture: what the box has, and what a person has just changed. A change that is refused is taken back.

import { get, request } from "./api.js";
import { box } from "./box.js";
import { announce } from "./dom.js";
import { load, onUndone, setting } from "./settings.js";
import { why } from "./why.js";
import { clock, t, tryWord } from "./words.js";

/** Texts with one of these change by themselves. */
const CLOCKS = { time: "clock", date: "clock", countdown: "countdown", elapsed: "clock" };

/** Changes of a layer follow each other not faster than this: the box takes five a second. */
const PACE_MS = 250;

/** A card says "Saved" for so long. */
const SAID_MS = 4_000;

/** Whether a change of a layer was saved a moment ago. */
export const isJustSaved = ({ savedAt }) => performance.now() - savedAt < SAID_MS - 100;

const pathOf = ({ list, name }) => (list === "filter" ? `/api/filters/${name}` : `/api/overlays/${name}`);

/** What a layer is at present, with what a person has just changed. */
export const now = (layer) => ({ ...layer.value, ...layer.draft });

/** Overlays with a higher number are in front, filters with a higher one work later. */
const rankOf = ({ value }) => value.z ?? value.order ?? 0;

const isRegion = ({ list, value }) => list === "filter" && value.kind === "mask";

/** A region in other coordinates: `turn` gives the place of a corner. */
function turned({ x, y, width, height }, turn) {
  const [[x1, y1], [x2, y2]] = [turn(x, y), turn(x + width, y + height)];
  const [left, top] = [Math.min(x1, x2), Math.min(y1, y2)];
  const exact = (value) => Math.round(Math.max(0, value) * 1000) / 1000;
  return { x: exact(left), y: exact(top), width: exact(Math.abs(x2 - x1)), height: exact(Math.abs(y2 - y1)) };
}

/**
 * A layer as it is seen on the picture. The region of a mask is one of the camera's own picture, which is turned clockwise and
 * then mirrored.
 */
export function seen(layer) {
  const value = now(layer);
  if (!isRegion(layer)) return value;
  const turns = (Number(setting("video.rotate")?.value) || 0) / 90;
  const isMirrored = setting("video.mirror")?.value;
  return { ...value, ...turned(value, (x, y) => {
    for (let turn = 0; turn < turns; turn++) [x, y] = [1 - y, x];
    return [isMirrored ? 1 - x : x, y];
  }) };
}

/** What to keep of fields that were changed on the picture. */
export function kept(layer, fields) {
  if (!isRegion(layer)) return fields;
  const turns = (Number(setting("video.rotate")?.value) || 0) / 90;
  const isMirrored = setting("video.mirror")?.value;
  return turned({ ...seen(layer), ...fields }, (x, y) => {
    if (isMirrored) x = 1 - x;
    for (let turn = 0; turn < turns; turn++) [x, y] = [y, 1 - x];
    return [x, y];
  });
}

/** Whether viewers would see something that a mask hides now, if these fields of the layer were changed. */
export function uncovers(layer, fields) {
  const old = now(layer);
  if (!isRegion(layer) || !old.enabled) return false;
  const next = { ...old, ...fields };
  // Places are kept in thousandths.
  const isBefore = (one, other) => one < other - 0.0005;
  return !next.enabled || isBefore(old.x, next.x) || isBefore(old.y, next.y)
    || isBefore(next.x + next.width, old.x + old.width) || isBefore(next.y + next.height, old.y + old.height);
}

/** The setting of a layer that is wrong, as the box tells it; undefined if none is. */
export const troubleOf = ({ list, name }) =>
  box.status?.troubles.find(({ subject = "" }) => subject.startsWith(`${list}.${name}.`) || subject === `${list}.${name}`
    || subject === `${list} ${name}`);

/** What people call a layer: its words, its file, or what it does. */
export function labelOf(layer) {
  const { kind, text = "", file = "" } = now(layer);
  if (layer.list === "filter") return tryWord(`filter.${kind}`, tryWord(`add.${kind}`, layer.name));
  if (kind !== "text") return file.split("/").at(-1).replace(/\.\w+$/, "") || layer.name;
  const variable = /^\{(\w+)[^}]*\}$/.exec(text.trim())?.[1];
  return CLOCKS[variable] ? t(`picture.${CLOCKS[variable]}`) : spoken(text).trim().split("\n")[0] || layer.name;
}

const two = (value) => String(value).padStart(2, "0");

/** A text with what stands for its variables at the moment, as far as the page knows it. */
export function spoken(text, at = new Date()) {
  const parts = { H: two(at.getHours()), M: two(at.getMinutes()), S: two(at.getSeconds()), d: two(at.getDate()),
    m: two(at.getMonth() + 1), Y: at.getFullYear(), I: two(at.getHours() % 12 || 12), y: two(at.getFullYear() % 100) };
  return text.replace(/\{(\w+)(?::([^}]*))?\}/g, (whole, variable, more = "") => {
    if (variable === "time") return more.replace(/%(\w)/g, (_, one) => parts[one] ?? "");
    if (variable === "date") return `${parts.Y}-${parts.m}-${parts.d}`;
    if (variable === "name") return setting("box.name")?.value || whole;
    if (variable === "elapsed") return clock(box.elapsed() ?? 0);
    if (variable !== "countdown") return whole;
    const [hours, minutes] = more.split(":").map(Number);
    const end = new Date(at);
    end.setHours(hours, minutes || 0, 0, 0);
    const seconds = (end - at) / 1000;
    // It stays at zero for an hour, and then counts to the next day.
    return clock(seconds < -3600 ? seconds + 86400 : Math.max(0, seconds));
  });
}

/**
 * The layers of the box, in the order in which they were added. `changed` is called whenever one of them is another, and `failed`
 * with why a change does not count, the layer and the refusal; with "" when there is a new try. `lists`: "overlay", "filter", or both.
 */
export function keepLayers(life, lists, changed, failed) {
  let all = [];
  /** Whether the box knows the lists. */
  const known = {};
  /** A change that the box has not answered: its layer, and the fields. */
  let unsure = null;
  let added = Promise.resolve();

  async function look() {
    const found = await Promise.all(lists.map((list) =>
      get(list === "filter" ? "/api/filters" : "/api/overlays").catch((refusal) => refusal.status)));
    // Their forms are made of their settings.
    const isNew = lists.some((list, i) => Array.isArray(found[i]) && found[i].some(({ name }) => !setting(`${list}.${name}.kind`)));
    if (isNew) await load(true).catch(() => {});
    if (life.aborted) return;
    lists.forEach((list, i) => {
      // Without an answer the page keeps what it knows.
      if (!Array.isArray(found[i])) return;
      known[list] = true;
      const others = all.filter((one) => one.list !== list);
      const mine = found[i].map((value) => {
        const old = all.find((one) => one.list === list && one.name === value.name);
        return Object.assign(old ?? { list, name: value.name, draft: {}, isSending: false, free: 0 }, { value });
      });
      all = [...others, ...mine].sort((a, b) => lists.indexOf(a.list) - lists.indexOf(b.list) || rankOf(a) - rankOf(b));
    });
    if (unsure && Array.isArray(found[lists.indexOf(unsure.layer.list)])) {
      const { layer, sent } = unsure;
      unsure = null;
      failed(Object.entries(sent).every(([key, value]) => layer.value[key] === value) ? "" : t("picture.not_taken"));
    }
    changed();
  }

  /** Why a request did not work. One without an answer may have worked. */
  const reason = (refusal) => (refusal.status === 0 ? t("picture.unsure") : why(refusal));

  /** Changes fields of a layer. Several changes at once are sent one after another. */
  async function change(layer, changes) {
    Object.assign(layer.draft, changes);
    failed("", layer);
    changed();
    if (layer.isSending) return;
    layer.isSending = true;
    while (Object.keys(layer.draft).length) {
      const wait = layer.free - performance.now();
      if (wait > 0) await new Promise((done) => setTimeout(done, wait));
      layer.free = performance.now() + PACE_MS;
      const sent = { ...layer.draft };
      try {
        await request("PATCH", pathOf(layer), sent);
        Object.assign(layer.value, sent);
        layer.savedAt = performance.now();
        setTimeout(changed, SAID_MS);
        for (const key of Object.keys(sent)) if (layer.draft[key] === sent[key]) delete layer.draft[key];
      } catch (refusal) {
        layer.draft = {};
        if (refusal.status === 0) unsure = { layer, sent };
        failed(reason(refusal), layer, refusal);
      }
    }
    layer.isSending = false;
    await look();
  }

  /** Makes a request about the lists, and looks again. Returns whether it worked. */
  async function send(method, path, body) {
    failed("");
    let isDone = false;
    try {
      await request(method, path, body);
      isDone = true;
    } catch (refusal) {
      failed(reason(refusal));
    }
    await look();
    return isDone;
  }

  const allOf = (list) => all.filter((one) => one.list === list);

  /** A name that no layer of the list has: "logo", "logo-2" and so on. */
  function freeName(list, start) {
    let [name, number] = [start, 2];
    while (allOf(list).some((one) => one.name === name)) name = `${start}-${number++}`;
    return name;
  }

  /** The number after that of all layers of a list: at most 100, as the box allows. */
  const nextRank = (list) => Math.min(100, Math.max(0, ...allOf(list).map(rankOf)) + 1);

  box.on("event", (event) => {
    if (event.code === "settings_changed" && box.isNew(event) && !all.some((one) => one.isSending)) look();
  }, life);
  let isLost = box.link === "lost";
  box.on("link", (link) => {
    if (isLost && link === "good") look();
    isLost = link === "lost";
    changed();
  }, life);
  box.on("status", changed, life);
  onUndone(life, async (keys, sentence) => {
    if (!keys.some((key) => lists.includes(key.split(".")[0]))) return;
    await look();
    failed(sentence);
    announce(sentence);
  });

  return {
    get all() {
      return all;
    },
    known, look, change,
    /** Adds a layer after all others of its list, those that are just being added included. Returns whether it worked. */
    add: (list, start, body) => (added = added.then(() => send("POST", list === "filter" ? "/api/filters" : "/api/overlays",
      { name: freeName(list, start), [list === "filter" ? "order" : "z"]: nextRank(list), ...body }))),
    remove: (layer) => send("DELETE", pathOf(layer)),
  };
}
