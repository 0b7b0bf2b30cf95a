// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Days, times of day and lengths in words.

import { box } from "./box.js";
import { language, t } from "./words.js";

const MINUTE_MS = 60_000;
const tag = () => (language() === "zh" ? "zh-CN" : "en-GB");

/** The box's time in ms since 1970, which the browser's clock stands in for while the box tells none. */
export const boxTime = () => (box.figures ? Date.parse(box.figures.time) : Date.now());

/** A moment in words; `zone`: an IANA time zone, by default the browser's own. */
function write(time, zone, options) {
  try {
    return new Date(time).toLocaleString(tag(), { ...options, timeZone: zone || undefined });
  } catch {
    // A browser may not know the zone.
    return new Date(time).toLocaleString(tag(), options);
  }
}

/** "9:55" in a zone. */
export const hour = (time, zone) => write(time, zone, { hour: "numeric", minute: "2-digit", hourCycle: "h23" });

/** "Sunday 29 November", or "Sun 29 Nov"; with the year where that is another one. */
export const day = (time, zone, style = "long") => write(time, zone, { weekday: style, day: "numeric", month: style,
  year: write(time, zone, { year: "numeric" }) === write(boxTime(), zone, { year: "numeric" }) ? undefined : "numeric" });

/** When an occurrence of the schedule is, by the clocks of its zone: "Sunday 29 November, 9:55 to 11:15", or "Sun 29 Nov, …". */
export const span = ({ begins_at: begins, ends_at: ends, zone }, style) =>
  t("moment.span", { day: day(begins, zone, style), from: hour(begins, zone), to: hour(ends, zone) });

/** The zone of an occurrence, where clocks here show another time; "" elsewhere. */
export const zoneOf = ({ begins_at: begins, zone }) => (hour(begins, zone) === hour(begins) ? "" : zone);

/** How far away a moment is: "in 4 minutes", "tomorrow". */
export function away(time) {
  const minutes = Math.round((Date.parse(time) - boxTime()) / MINUTE_MS);
  const format = new Intl.RelativeTimeFormat(tag(), { numeric: "auto" });
  if (Math.abs(minutes) < 60) return format.format(minutes, "minute");
  if (Math.abs(minutes) < 24 * 60) return format.format(Math.round(minutes / 60), "hour");
  const midnight = (one) => new Date(one).setHours(0, 0, 0, 0);
  return format.format(Math.round((midnight(time) - midnight(boxTime())) / (24 * 60 * MINUTE_MS)), "day");
}

/** A length in words: "35 seconds", "1 hour 20 minutes", "3 days". */
export function lasting(seconds) {
  const unit = (value, name) => value.toLocaleString(tag(), { "style": "unit", unit: name, unitDisplay: "long" });
  const minutes = Math.round(seconds / 60);
  if (seconds < 60) return unit(Math.round(seconds), "second");
  if (minutes < 60) return unit(minutes, "minute");
  if (minutes < 10 * 60) return [unit(Math.floor(minutes / 60), "hour"), minutes % 60 && unit(minutes % 60, "minute")].filter(Boolean).join(" ");
  if (minutes < 72 * 60) return unit(Math.round(minutes / 60), "hour");
  return t("moment.days", { count: Math.round(minutes / 60 / 24) });
}
