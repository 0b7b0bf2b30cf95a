// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Requests to the box.

import { takeEarly } from "./words.js";

/** A request that the box refused or did not answer. `status` is 0 when there was no answer. */
export class Refusal extends Error {
  constructor(status, reply) {
    super(reply?.sentence ?? reply?.problems?.[0]?.sentence ?? "");
    this.status = status;
    this.code = reply?.code;
    this.problems = reply?.problems ?? [];
  }
}

/** Is told when the session has ended. */
export const access = new EventTarget();

/**
 * Makes a request and returns the JSON of the answer.
 * Throws a Refusal.
 */
export async function request(method, path, body, type, patience = 20_000, more = {}) {
  let response, reply;
  try {
    const sent = body === undefined ? undefined : type ? body : JSON.stringify(body);
    const headers = body === undefined ? more : { ...more, "Content-Type": type ?? "application/json" };
    response = await fetch(path, { method, headers, body: sent, signal: AbortSignal.timeout(patience) });
  } catch {
    throw new Refusal(0);
  }
  try {
    reply = await response.json();
  } catch {
    reply = undefined;
  }
  if (response.ok) return reply;
  if (response.status === 401 && !/login|setup|password|factory_reset/.test(path)) access.dispatchEvent(new Event("ended"));
  const refusal = new Refusal(response.status, reply);
  refusal.retryAfter = Number(response.headers.get("Retry-After")) || 0;
  throw refusal;
}

export async function get(path) {
  const early = await takeEarly(path.replace("/api/", ""));
  return early ? early.json() : request("GET", path);
}
/** Shows the box that its own page asks: without it no picture comes off air. */
export const OWN = { "X-OnAir": "1" };
export const post = (path, body, headers) => request("POST", path, body, undefined, undefined, headers);
export const patch = (path, body) => request("PATCH", path, body);

/** Saves a blob as a file on the reader's device. */
export function download(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** "2026-05-03-101500" for names of files. */
export const stamp = () => new Date().toISOString().slice(0, 19).replace("T", "-").replaceAll(":", "");
