// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The settings of the box, as the views share them.

import { get, patch } from "./api.js";
import { box } from "./box.js";

let list = null;

/** All settings; asks the box if `fresh`. */
export async function load(fresh = false) {
  if (fresh || !list) list = await get("/api/settings");
  return list;
}

/** One setting, or undefined. `load` comes first. */
export const setting = (key) => list?.find((one) => one.key === key);

/** Changes settings, all or none, and reads them again. Returns the sentences about when the changes count. */
export async function change(changes) {
  const reply = await patch("/api/settings?trial=true", changes);
  await load(true);
  return reply?.changes ?? [];
}

/**
 * Calls `call` with the keys and the sentence when the box takes a change back that broke picture or sound. The
 * settings have been read again by then.
 */
export function onUndone(life, call) {
  box.on("event", async (event) => {
    if (event.code !== "settings_undone" || !box.isNew(event)) return;
    await load(true).catch(() => {});
    if (!life.aborted) call(event.subject.split(", "), event.sentence);
  }, life);
}

/** Checks a change without making it. */
export const check = (changes) => patch("/api/settings?check=true", changes);

/** Whether there is a stream key. */
export const hasKey = () => Boolean(setting("publish.key")?.is_set || setting("publish.key_file")?.value);
