// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Calendars whose events are broadcasts: a file (ICS) and an address, and what of them is not understood.

import { request } from "./api.js";
import { ask, field, h, linkButton, repaint, say, toast } from "./dom.js";
import { sayOf } from "./dress.js";
import { day, hour } from "./moments.js";
import { change, setting } from "./settings.js";
import { blame, why } from "./why.js";
import { listed, sentences, t } from "./words.js";

/** The box takes no larger file. */
const MOST_BYTES = 1 << 20;
const UPLOAD_MS = 60_000;

/** The part. `look` asks the box for its calendars again. */
export function calendarPart(life, look) {
  const problem = h("p", { class: "problem", role: "alert" });
  const told = h("p", { role: "status" });
  const file = h("input", { type: "file", class: "unseen", accept: ".ics,text/calendar", tabindex: "-1", "aria-hidden": "true", onchange: pick });
  const choose = h("button", { type: "button", class: "button", onclick: () => file.click() }, t("sched.import"));
  const imported = h("p", { class: "help" });
  const remove = linkButton(t("sched.import_remove"), async () => {
    if (await ask(t("sched.import_remove"), t("sched.import_remove_text"), t("relays.remove"), t("common.cancel"))) act(() => request("DELETE", "/api/schedule/import"));
  });
  const address = h("input", { type: "url", placeholder: "https://", autocomplete: "off", spellcheck: false, autocapitalize: "off",
    value: setting("calendar.url")?.value ?? "" });
  const addressField = field(t("sched.feed"), address, { help: t("sched.feed_help") });
  const feed = h("p", { class: "help", role: "status" });
  const feedWrong = h("p", { class: "problem", role: "status" });
  const save = h("button", { class: "button" }, t("form.save_short"));
  const bad = h("ul", { class: "lines" });
  const badPart = h("div", { class: "stack" }, h("h3", null, t("sched.bad")), h("p", { class: "help" }, t("sched.bad_text")), bad);

  /** Does something, shows why that is refused, and asks for what there is then. */
  async function act(body) {
    say(problem, "");
    say(told, "");
    try {
      const reply = await body();
      sayOf(told, reply?.sentence, false);
    } catch (refusal) {
      say(problem, why(refusal));
    }
    await look();
  }

  async function pick() {
    const [chosen] = file.files;
    file.value = "";
    if (!chosen) return;
    if (chosen.size > MOST_BYTES) return say(problem, t("sched.too_large"));
    choose.disabled = true;
    await act(() => request("POST", "/api/schedule/import", chosen, "text/calendar", UPLOAD_MS));
    choose.disabled = false;
  }

  async function keep(event) {
    event.preventDefault();
    say(problem, "");
    addressField.problem("");
    save.disabled = true;
    try {
      await change({ "calendar.url": address.value.trim() });
      toast(t("form.saved"));
    } catch (refusal) {
      say(problem, blame(refusal, { url: addressField }));
    }
    save.disabled = false;
    await look();
  }

  /** How many events of a calendar are understood, and when it was read. */
  const stateOf = ({ events, read_at: read }) =>
    (read ? t("sched.read", { events, when: listed([day(read), hour(read)]) }) : "");

  const node = h("div", { class: "stack" }, h("h2", null, t("sched.calendars")), h("p", { class: "help" }, t("sched.calendars_text")), file,
    h("div", { class: "row" }, choose, remove), imported, told, problem,
    h("form", { class: "stack", onsubmit: keep, noValidate: true }, addressField, h("div", { class: "row" }, save)), feed, feedWrong, badPart);
  return { node, update({ feed: fed, import: taken, not_understood: lost }) {
    say(imported, taken.read_at ? sentences([stateOf(taken)]) : "");
    remove.hidden = !taken.read_at;
    say(feed, stateOf(fed));
    sayOf(feedWrong, fed.sentence ?? "", false);
    badPart.hidden = !lost.length;
    repaint(bad, lost, lost.map(({ title, sentence }) => h("li", null, h("div", { class: "grow" }, h("b", null, title || t("sched.untitled")),
      h("p", { class: "help", lang: "en" }, sentence)))));
  } };
}
