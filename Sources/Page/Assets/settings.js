// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The settings of the box, as the views share them.

import { get, patch } from "./api.js";
import { box } from "./box.js";
import { lacksServer } from "./state.js";

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

/** The bit rate that the video has in fact: `video.bitrate_kbps`, or the one that follows its size. */
export const videoKbps = () => setting("video.bitrate_kbps")?.effective ?? 0;

/**
 * An address that somebody has typed, with rtmp:// in front where that was left out and what is there looks like a server and
 * its part: "192.168.1.20/live". `scheme`: of the platform.
 */
export function withScheme(typed, scheme) {
  const [, host, port] = /^(\[[0-9a-f:.]+\]|[a-z0-9.-]*[a-z0-9])(:\d{1,5})?\/[^\s/]/i.exec(typed) ?? [];
  const isServer = host && (port || /[.[]|^localhost$/i.test(host));
  return isServer ? `${scheme ?? (port === ":443" ? "rtmps" : "rtmp")}://${typed}` : typed;
}

/** The host of a server's address; "" without one. */
export const hostIn = (url) => /^rtmps?:\/\/(\[[^\]]*\]|[^/:?]+)/i.exec(url ?? "")?.[1] ?? "";

/** The server of an address, as the box tells servers apart: another port is another one. */
export function serverIn(url) {
  const [, isSecure, port] = /^rtmp(s?):\/\/(?:\[[^\]]*\]|[^/:?]+)(?::(\d+))?/i.exec(url ?? "") ?? [];
  return isSecure === undefined ? "" : `${hostIn(url).toLowerCase()}:${port ?? (isSecure ? 443 : 1935)}${isSecure}`;
}

/** What the status would call the chosen source of picture or sound. */
export const sourceOf = (half) =>
  (setting(`${half}.source`)?.value ?? (half === "video" ? "camera" : "microphone")).split(":")[0];

/** The kind of sound that viewers would hear: what the view "Sound" mutes is silence. */
export const heardSource = () =>
  setting("audio.mute")?.value || setting("audio.volume")?.value === 0 ? "silence" : sourceOf("audio");

/** Whether there is a stream key. */
export const hasKey = () => Boolean(setting("publish.key")?.is_set || setting("publish.key_file")?.value);

/** Where the stream key is: a name of a text. The box shows an address with what may be a key as "rtmp://host/live/***". */
export function keyPlace() {
  if (hasKey()) return "key.is_set";
  if (box.status && lacksServer(box.status)) return "key.is_not_set";
  // What is left is a credential of the service.
  return /\*\*\*$/.test(setting("publish.url")?.value) ? "key.in_address" : "key.is_set";
}

/** Whether the box has a lamp. */
export const hasLamp = () => ["lamp", "lamp_red", "lamp_green", "lamp_blue"].some((one) => setting(`panel.${one}`)?.value);
