// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// A broadcast of the schedule: its days and times in words, and the form for them.

import { patch, post } from "./api.js";
import { field, h, say, withEye } from "./dom.js";
import { day, lasting } from "./moments.js";
import { setting, withScheme } from "./settings.js";
import { blame } from "./why.js";
import { language, t } from "./words.js";

const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const DAY_MINUTES = 24 * 60;
/** How long a new broadcast is, until somebody says something else. */
const USUAL_MINUTES = 60;

/** What a day of the week is called; 2024 began on a Monday. */
const dayName = (name, weekday) => new Date(Date.UTC(2024, 0, 1 + DAYS.indexOf(name))).toLocaleDateString(
  language() === "zh" ? "zh-CN" : "en-GB", { weekday, timeZone: "UTC" });

const minutesOf = (time) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));
const two = (value) => String(value).padStart(2, "0");

/** The time of the day so many minutes after another one: "11:15". */
const later = (time, minutes) => {
  const end = (minutesOf(time) + minutes) % DAY_MINUTES;
  return `${two(Math.floor(end / 60))}:${two(end % 60)}`;
};

/** Days and times of an entry in words. */
export function timesOf({ days, date, at, minutes, zone }) {
  const names = days.split(",").map((one) => one.trim()).filter((one) => DAYS.includes(one));
  const list = new Intl.ListFormat(language() === "zh" ? "zh-CN" : "en-GB");
  const on = date ? day(`${date}T12:00`) : names.length === DAYS.length ? t("sched.daily")
    : t("sched.weekly", { days: list.format(names.map((one) => dayName(one, "long"))) });
  const text = t("moment.span", { day: on, from: at.replace(/^0/, ""), to: later(at, minutes).replace(/^0/, "") });
  return { when: zone ? t("moment.zone", { text, zone }) : text };
}

/** The form for an entry, or for a new one. `done` is called once it is kept. */
export function entryForm(entry, done, cancel) {
  const chosen = new Set(entry?.days.split(",").map((one) => one.trim()));
  let isOnce = Boolean(entry?.date);
  const kinds = ["weekly", "once"].map((kind) => h("button", { type: "button", onclick: () => {
    isOnce = kind === "once";
    update();
  } }, t(`sched.kind_${kind}`)));
  const chips = DAYS.map((name) => h("button", { type: "button", class: "preset", "aria-label": dayName(name, "long"), onclick: () => {
    if (!chosen.delete(name)) chosen.add(name);
    daysProblem("");
    update();
  } }, dayName(name, language() === "zh" ? "narrow" : "short").slice(0, 3)));
  const daysWrong = h("p", { class: "problem", role: "alert" });
  const daysProblem = (text) => say(daysWrong, text ?? "");
  const days = h("fieldset", { class: "presets" }, h("legend", null, t("sched.days")), h("div", { class: "days" }, chips), daysWrong);
  const date = h("input", { type: "date", max: "9999-12-31", value: entry?.date ?? "" });
  const dateField = field(t("sched.date"), date);
  const begin = h("input", { type: "time", value: entry?.at ?? "", oninput: () => {
    if (begin.value && !hasEnd) end.value = later(begin.value, USUAL_MINUTES);
    update();
  } });
  const end = h("input", { type: "time", value: entry ? later(entry.at, entry.minutes) : "", oninput: () => {
    hasEnd = true;
    update();
  } });
  let hasEnd = Boolean(entry);
  const length = h("p", { class: "help", role: "status" });
  const beginField = field(t("sched.at"), begin);
  const endField = field(t("sched.until"), end);
  const minutes = () => (minutesOf(end.value) - minutesOf(begin.value) + DAY_MINUTES) % DAY_MINUTES || DAY_MINUTES;

  const text = (value, more) => h("input", { type: "text", value: value ?? "", autocomplete: "off", spellcheck: false, autocapitalize: "off", ...more });
  const name = text(entry?.name, { maxLength: 32 });
  const zones = h("datalist", { id: "zones" }, (Intl.supportedValuesOf?.("timeZone") ?? []).map((value) => h("option", { value })));
  const zone = text(entry?.zone, { placeholder: setting("box.zone")?.value || "" });
  zone.setAttribute("list", zones.id);
  const url = text(entry?.url, { type: "url", placeholder: "rtmps://" });
  const secret = h("input", { type: "password", autocomplete: "off", spellcheck: false, placeholder: entry?.url ? t("key.is_set") : "" });
  const fields = {
    at: beginField, minutes: endField, date: dateField, days: { problem: daysProblem },
    name: field(t("relays.name"), name, { help: t("relays.name_help") }), zone: field(t("sched.zone"), zone, { help: t("sched.zone_help") }),
    url: field(t("key.address"), url, { help: t("sched.url_help") }), key: field(t("key.key"), secret),
  };
  withEye(fields.key, secret, [t("key.show"), t("key.hide")]);
  const more = h("details", { class: "quiet", ontoggle: ({ target }) => say(target.firstChild, t(target.open ? "extra.less" : "extra.more")) },
    h("summary", null, t("extra.more")), h("div", { class: "stack" }, !entry && fields.name, fields.zone, zones, fields.url, fields.key));
  const problem = h("p", { class: "problem", role: "alert" });
  const save = h("button", { class: "button solid" }, t("form.save_short"));

  function update() {
    kinds.forEach((one, i) => one.setAttribute("aria-pressed", String(isOnce === (i === 1))));
    chips.forEach((one, i) => one.setAttribute("aria-pressed", String(chosen.has(DAYS[i]))));
    days.hidden = isOnce;
    dateField.hidden = !isOnce;
    say(length, begin.value && end.value ? lasting(minutes() * 60) : "");
  }

  /** What is missing is told at its place, before the box is asked. */
  function lacks() {
    const missing = [[!isOnce && !DAYS.some((one) => chosen.has(one)), fields.days, chips[0], "sched.needs_days"],
      [isOnce && !date.value, dateField, date, "sched.needs_date"], [!begin.value, beginField, begin, "sched.needs_time"],
      [!end.value, endField, end, "sched.needs_time"]];
    for (const [is, one, , why] of missing) one.problem(is ? t(why) : "");
    const first = missing.find(([is]) => is);
    first?.[2].focus();
    return Boolean(first);
  }

  async function keep(event) {
    event.preventDefault();
    say(problem, "");
    if (lacks()) return;
    const address = url.value.trim() && withScheme(url.value.trim());
    const body = { days: isOnce ? "" : DAYS.filter((one) => chosen.has(one)).join(","), date: isOnce ? date.value : "", at: begin.value.slice(0, 5),
      minutes: minutes(), zone: zone.value.trim(),
      // An address that is shown masked stays as it is.
      ...(address !== (entry?.url ?? "") && { url: address }), ...(secret.value && { key: secret.value.trim() }),
      ...(!entry && name.value.trim() && { name: name.value.trim() }) };
    save.disabled = true;
    try {
      if (entry) await patch(`/api/schedule/${entry.name}`, body);
      else await post("/api/schedule", body);
      await done();
    } catch (refusal) {
      const isNamed = /^(unfit_name|name_taken)$/.test(refusal.code);
      more.open ||= isNamed || refusal.problems?.some(({ key }) => /\.(zone|url|key)$/.test(key ?? ""));
      say(problem, blame(isNamed ? { problems: [{ key: "x.name", code: refusal.code, sentence: refusal.message }] } : refusal, fields));
    }
    save.disabled = false;
  }

  update();
  return h("form", { class: "stack entry", onsubmit: keep, noValidate: true }, h("h3", null, t(entry ? "sched.change" : "sched.new")),
    h("div", { class: "switch", role: "group", "aria-label": t("sched.kind") }, kinds), days, dateField,
    h("div", { class: "times" }, beginField, endField), length, more, problem,
    h("div", { class: "row" }, save, h("button", { type: "button", class: "link", onclick: cancel }, t("common.cancel"))));
}
