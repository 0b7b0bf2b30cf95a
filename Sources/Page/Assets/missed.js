// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// A broadcast that is over: how long it was, what viewers missed, and what helps. The box has an English sentence of it for its log.

import { listed, number, t, tryWord } from "./words.js";

const word = (name, values) => t(`event.${name}`, values);

/** The time to connect at the beginning is told from so many seconds on. */
const CONNECTING_SECONDS = 3;
/** From so many frames or pieces of sound on that the box was too slow for, a smaller picture is advised. */
const TOO_SLOW = 30;

/** A length of time in words. */
export function age(seconds) {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const parts = { hours, minutes, seconds: hours ? 0 : seconds % 60 };
  return Object.entries(parts).filter(([, value]) => value).map(([name, value]) => word(name, { value })).join(" ")
    || word("seconds", { value: 0 });
}

/** How often, in words. */
const often = (count) => (count === 1 ? word("once") : word("times", { value: number(count) }));

/** What viewers missed, in words; "" for nothing. */
function reasons(totals) {
  const { without_server_seconds: away = 0, reconnects = 0 } = totals;
  const of = (name, value, text) => value > 0 && word(`ended_${name}`, { value: text(value) });
  return listed([of("camera", totals.without_camera_seconds, age), of("microphone", totals.without_microphone_seconds, age),
    of("server", totals.reached !== "main" || away < CONNECTING_SECONDS && !reconnects ? 0 : away, age), of("reconnects", reconnects, often),
    of("overflows", totals.overflows, often), of("standstills", totals.standstills, often),
    of("dropped", totals.dropped, number), of("late", totals.late, number)]);
}

/** The part of the Set-up that helps against what viewers missed; undefined if none does. */
export const cureOf = ({ totals }) => (totals?.reached !== "nobody" && totals?.late >= TOO_SLOW ? "quality" : undefined);

/** The event "ended" as a text. */
export function endedText(event) {
  const { sentence, totals } = event;
  if (!totals?.reached) return tryWord("event.ended", sentence);
  const length = age(totals.seconds);
  const head = word(totals.goes_on ? "ended_goes_on" : "ended_after", { value: length });
  const since = totals.counted_seconds === undefined ? "" : word("ended_since", { value: age(totals.counted_seconds) });
  if (totals.reached === "nobody") return head + word(since ? "ended_nobody_since" : "ended_nobody", { since });
  const missed = listed([since && since + word("ended_before"), reasons(totals)]);
  const cure = cureOf(event);
  return head + (totals.reached === "relays" ? word("ended_relays") : "")
    + (missed ? word("ended_missed", { value: missed }) : word("ended_nothing")) + (cure ? word(`ended_${cure}`) : "");
}

/** The event of the end of the last broadcast; undefined while one is on, or none has ended since the box started. */
export function lastEnd(events) {
  const last = events.findLast(({ code }) => code === "started" || code === "ended");
  return last?.code === "ended" ? last : undefined;
}
