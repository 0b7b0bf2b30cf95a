// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// What is used now and then: a series of snapshots, and a broadcast to another address.

import { download, OWN, stamp } from "./api.js";
import { box } from "./box.js";
import { ask, field, h, say, toast } from "./dom.js";
import { taking } from "./monitor.js";
import { withScheme } from "./settings.js";
import { why } from "./why.js";
import { t } from "./words.js";

const MOST_BYTES = 400_000_000;

/** A series of snapshots as one ZIP file. */
export function snapshots(problem) {
  const count = h("input", { type: "number", min: "1", max: "1000", value: "10", inputMode: "numeric" });
  const interval = h("input", { type: "number", min: "0.2", max: "3600", step: "0.1", value: "5",
    inputMode: "decimal" });
  const button = h("button", { class: "button" }, t("series.start"));
  const progress = h("p", { class: "help", role: "status" });
  let stop = null;

  function take(event) {
    event.preventDefault();
    if (stop) stop.abort();
    else if (form.reportValidity()) taking(series);
  }

  async function series() {
    stop = new AbortController();
    say(problem, "");
    say(button, t("series.stop"));
    const files = [];
    try {
      const response = await fetch(`/api/snapshot.jpg?count=${count.value}&interval=${interval.value}`,
        { headers: OWN, signal: stop.signal });
      if (!response.ok) throw new Error((await response.json()).sentence);
      let bytes = 0;
      for await (const image of images(response)) {
        bytes += image.length;
        files.push({ name: `${String(files.length + 1).padStart(4, "0")}.jpg`, bytes: image });
        say(progress, t("series.got", { done: files.length, of: count.value }));
        if (bytes > MOST_BYTES) break;
      }
    } catch (error) {
      if (error.name !== "AbortError") say(problem, error.message || t("error.other"));
    }
    if (files.length) {
      const { zip } = await import("./zip.js");
      download(zip(files), `onair-${stamp()}.zip`);
    }
    stop = null;
    say(progress, files.length ? t("series.done", { count: files.length }) : "");
    say(button, t("series.start"));
  }

  const form = h("form", { class: "extra", onsubmit: take, noValidate: true },
    h("h2", null, t("series.name")),
    h("div", { class: "pair" }, field(t("series.count"), count), field(t("series.interval"), interval)),
    h("div", { class: "row" }, button, progress));
  return form;
}

/** The images of a series, as they come: the parts of a multipart response, each with its length. */
async function* images(response) {
  if (/image\/jpeg/.test(response.headers.get("Content-Type"))) {
    yield new Uint8Array(await response.arrayBuffer());
    return;
  }
  const reader = response.body.getReader();
  const text = new TextDecoder("latin1");
  let rest = new Uint8Array(0);
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const all = new Uint8Array(rest.length + value.length);
    all.set(rest);
    all.set(value, rest.length);
    rest = all;
    for (;;) {
      // A part: header lines with a length, an empty line, the image.
      const head = /content-length:\s*(\d+)[\s\S]*?\r\n\r\n/i.exec(text.decode(rest.subarray(0, 1_000)));
      if (!head) break;
      const from = head.index + head[0].length;
      const to = from + Number(head[1]);
      if (rest.length < to) break;
      yield rest.slice(from, to);
      rest = rest.slice(to);
    }
  }
}

/** Keys that switch the picture or the sound alone off, and on again. `give` gives a command. */
export function halves(give, life) {
  const parts = ["video", "audio"].map((half) => {
    const name = () => `${half}_${box.status?.intent[`${half}_off`] ? "on" : "off"}`;
    const key = h("button", { class: "button", onclick: () => give(name()) });
    return { key, update: () => say(key, t(`live.${name()}`)) };
  });
  const update = () => parts.forEach((part) => part.update());
  box.on("status", update, life);
  update();
  return h("div", { class: "extra again halves" }, h("p", { class: "help" }, t("extra.halves_text")),
    h("div", { class: "row" }, parts.map(({ key }) => key)));
}

/** The key of a command that viewers may notice: it asks before. `problem` shows why the box refuses. */
export function commandKey(name, problem) {
  const title = t(`engineer.${name}`);
  return h("button", { class: "button", onclick: async () => {
    if (!(await ask(title, t(`engineer.${name}_text`), title, t("common.cancel")))) return;
    try {
      await box.command(name);
      say(problem, "");
      toast(t(`engineer.${name}_done`));
    } catch (refusal) {
      say(problem, why(refusal));
    }
  } }, title);
}

/** A broadcast to another address, once. */
export function elsewhere(problem) {
  const address = h("input", { type: "url", required: true, placeholder: "rtmps://", spellcheck: false,
    autocapitalize: "off", autocomplete: "off" });
  const key = h("input", { type: "password", autocomplete: "off", spellcheck: false });
  const addressField = field(t("key.address"), address);
  async function start(event) {
    event.preventDefault();
    addressField.problem(address.value ? "" : t("problem.address_missing"));
    if (!address.value) return address.focus();
    address.value = withScheme(address.value.trim());
    try {
      // Without a key of its own this server gets none, not that of the settings.
      await box.command("start", { url: address.value.trim(), key: key.value.trim() });
      key.value = "";
      window.scrollTo({ top: 0, behavior: "auto" });
    } catch (refusal) {
      say(problem, "");
      addressField.problem(refusal.code === "no_destination" ? t("key.no_own_key") : why(refusal));
    }
  }
  return h("form", { class: "extra once", onsubmit: start, noValidate: true },
    h("h2", null, t("once.name")), h("p", { class: "help" }, t("once.text")),
    addressField, field(t("key.key"), key),
    h("button", { class: "button" }, t("once.start")));
}
