// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// A broadcast that is over: how long it was, and what viewers missed. The box has an English sentence of it.

import { language, listed, number, t } from "./words.js";

const word = (name, values) => t(`event.${name}`, values);

/** A length of time in Chinese words. */
function age(seconds) {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return [hours && `${hours} 小时`, minutes && `${minutes} 分`, (!hours && seconds % 60 || !seconds) && `${seconds % 60} 秒`]
    .filter(Boolean).join(" ");
}

/** What viewers missed, in Chinese; "" for nothing. */
function reasons(totals) {
  const of = (name, value) => value > 0 && word(`ended_${name}`, { value: number(value) });
  const lacked = (name, seconds) => seconds > 0 && word(`ended_${name}`, { value: age(seconds) });
  return listed([lacked("camera", totals.without_camera_seconds), lacked("microphone", totals.without_microphone_seconds),
    of("reconnects", totals.reconnects), of("overflows", totals.overflows), of("standstills", totals.standstills),
    of("dropped", totals.dropped), of("late", totals.late)]);
}

/** The event "ended" as a text. */
export function endedText({ sentence, totals }) {
  if (language() !== "zh") return sentence;
  if (!totals?.reached) return word("ended");
  const length = age(totals.seconds);
  const head = word(totals.goes_on ? "ended_goes_on" : "ended_after", { value: length });
  const since = totals.counted_seconds === undefined ? "" : word("ended_since", { value: age(totals.counted_seconds) });
  if (totals.reached === "nobody") return head + (since ? `${since}。` : "") + word("ended_nobody");
  const missed = listed([since, reasons(totals)]);
  return head + (totals.reached === "relays" ? word("ended_relays") : "")
    + (missed ? word("ended_missed", { value: missed }) : word("ended_nothing"));
}

/** The event of the end of the last broadcast; undefined while one is on, or none has ended since the box started. */
export function lastEnd(events) {
  const last = events.findLast(({ code }) => code === "started" || code === "ended");
  return last?.code === "ended" ? last : undefined;
}
