// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// A broadcast that is over: how long it was, what viewers missed, and what helps. The box has an English sentence of it for its log.

import { listed, number, sentences, t, tryWord } from "./words.js";

const word = (name, values) => t(`event.${name}`, values);

/** The time to connect at the beginning is told from so many seconds on. */
const CONNECTING_SECONDS = 3;
/** From so many frames or pieces of sound on that the box was too slow for, a smaller picture is advised. */
const TOO_SLOW = 30;
/** Fewer than this share of all frames nobody notices. */
const LEAST_SHARE = 0.005;

/** Whether the page offers no smaller picture. */
export const isSmallest = ({ size, fps }) => size?.split("x")[1] <= 360 && fps <= 30;

/** A length of time in words. */
export function age(seconds) {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const parts = { hours, minutes, seconds: hours ? 0 : seconds % 60 };
  return Object.entries(parts).filter(([, value]) => value).map(([name, value]) => word(name, { value })).join(" ")
    .replaceAll(" ", "\u00a0") || word("seconds", { value: 0 });
}

/** How often, in words. */
const often = (count) => (count === 1 ? word("once") : word("times", { value: number(count) }));

/** What was left out on a slow network or by a slow box. */
const leftOut = ({ dropped = 0, late = 0 }) => dropped + late;

/** What viewers missed, each in words. */
function reasons(totals) {
  const { without_server_seconds: away = 0, reconnects = 0 } = totals;
  const of = (name, value, text) => value > 0 && word(`ended_${name}`, { value: text(value) });
  return [of("camera", totals.without_camera_seconds, age), of("microphone", totals.without_microphone_seconds, age),
    of("server", totals.reached !== "main" || away < CONNECTING_SECONDS && !reconnects ? 0 : away, age), of("reconnects", reconnects, often),
    of("overflows", totals.overflows, often), of("standstills", totals.standstills, often),
    ...leftOut(totals) < TOO_SLOW ? [] : [of("dropped", totals.dropped, number), of("late", totals.late, number)]].filter(Boolean);
}

/** Whether the box was too slow for the picture of a broadcast, which was the same all the time. */
export const wasTooSlow = ({ size, totals }) => Boolean(size) && totals?.late >= Math.max(TOO_SLOW, LEAST_SHARE * (totals.frames ?? 0));

/** What helps against what viewers missed: "quality" (a smaller picture), "box" (there is none); undefined if nothing does. */
export function cureOf(event) {
  if (event.totals?.reached === "nobody" || !wasTooSlow(event)) return undefined;
  return isSmallest(event) ? "box" : "quality";
}

/** The event "ended" in parts: what is over, what viewers missed, each in words, and what helps. */
export function endedParts(event) {
  const { sentence, totals } = event;
  if (!totals?.reached) return { head: tryWord("event.ended", sentence), missed: [] };
  const length = age(totals.seconds);
  const head = word(totals.goes_on ? "ended_goes_on" : "ended_after", { value: length });
  const since = totals.counted_seconds === undefined ? "" : word("ended_since", { value: age(totals.counted_seconds) });
  if (totals.reached === "nobody") return { head: head + word(since ? "ended_nobody_since" : "ended_nobody", { since }), missed: [] };
  const missed = reasons(totals);
  return { head: head + (totals.reached === "relays" ? word("ended_relays") : "") + (since ? since + word("ended_before")
    : missed.length ? "" : word(leftOut(totals) ? "ended_little" : "ended_nothing", { value: number(leftOut(totals)) })), missed, cure: cureOf(event) };
}

/** The event "ended" as a text. */
export function endedText(event) {
  const { head, missed, cure } = endedParts(event);
  return sentences([head.trim(), missed.length > 0 && word("ended_missed", { value: listed(missed) }), cure && word(`ended_${cure}`)]);
}

/** The event of the end of the last broadcast; undefined while one is on, or none has ended since the box started. */
export function lastEnd(events) {
  const last = events.findLast(({ code }) => code === "started" || code === "ended");
  return last?.code === "ended" ? last : undefined;
}
