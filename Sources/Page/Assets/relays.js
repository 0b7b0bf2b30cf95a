// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Relays: further servers that get the same stream.

import { get, request } from "./api.js";
import { box } from "./box.js";
import { ask, field, fill, h, linkButton, repaint, say } from "./dom.js";
import { t } from "./words.js";

const MOST = 4;

/** The part. */
export async function relaysPart(life) {
  let relays = await get("/api/relays").catch(() => []);
  const list = h("ul", { class: "lines" });
  const area = h("div", { class: "stack", hidden: true });
  const said = h("p", { role: "status" });
  const problem = h("p", { class: "problem", role: "alert" });
  const add = h("button", { class: "button", type: "button", onclick: () => edit() }, t("relays.add"));
  function paint() {
    const isOn = box.status && box.status.intent.broadcast !== "off";
    repaint(list, [isOn, relays.map(({ name, url, state, paused, enabled, gets, sentence }) =>
      [name, url, state, paused, enabled, gets, sentence])], relays.map((relay) => line(relay, isOn)));
    add.disabled = relays.length >= MOST;
  }

  const button = (key, name, onclick) => linkButton(t(`relays.${key}`), onclick, name);
  const start = (name) => button("start", name, () => send("POST", `/api/relays/${name}/start`));
  const stop = (name) => button("stop", name, () => send("POST", `/api/relays/${name}/stop`));
  const pause = (name) => button("pause", name, () => send("POST", `/api/relays/${name}/pause`));
  const resume = (name) => button("resume", name, () => send("POST", `/api/relays/${name}/resume`));

  function line(relay, isOn) {
    const { name, state, paused, enabled, gets, sentence } = relay;
    const isWanted = state !== "idle" || paused;
    const parts = [relay.url, t(paused ? "relays.paused" : `relays.${state}`), gets !== "whole" && t(`relays.${gets}`),
      !enabled && t("relays.by_hand")];
    return h("li", null,
      h("span", null, h("b", null, name), " ", h("small", null, parts.filter(Boolean).join(", ")),
        sentence && h("p", { class: "problem", lang: "en" }, sentence)),
      h("span", { class: "row" },
        isOn && (isWanted ? [paused ? resume(name) : pause(name), stop(name)] : start(name)),
        button("change", name, () => edit(relay)), button("remove", name, () => remove(name))));
  }

  const remove = async (name) => await ask(t("relays.remove_title", { name }), t("relays.remove_text"),
    t("relays.remove"), t("live.end_no")) && send("DELETE", `/api/relays/${name}`);

  /** Shows the form for a relay, or for a new one. */
  function edit(relay) {
    const text = (type, value) => h("input", { type, value: value ?? "", autocomplete: "off", spellcheck: false,
      autocapitalize: "off" });
    const [name, url, key] = [text("text"), text("url"), text("password")];
    const begins = h("input", { type: "checkbox", checked: relay?.enabled ?? true });
    fill(area, h("form", { class: "stack narrow", noValidate: true, onsubmit: async (event) => {
      event.preventDefault();
      const body = { enabled: begins.checked };
      if (url.value.trim()) body.url = url.value.trim();
      if (key.value || (!relay && body.url)) body.key = key.value.trim();
      const done = relay ? await send("PATCH", `/api/relays/${relay.name}`, body)
        : await send("POST", "/api/relays", { ...body, url: body.url ?? "", name: name.value.trim() });
      if (done) close();
    } }, h("h3", null, relay?.name ?? t("relays.add")),
      !relay && field(t("relays.name"), name, { help: t("relays.name_help") }),
      field(t("key.address"), url, { help: relay && t("relays.keeps") }),
      field(t("key.key"), key, { help: relay && t("relays.keeps") }),
      h("label", { class: "row" }, begins, t("relays.begins")),
      h("div", { class: "row" }, h("button", { class: "button solid" }, t("form.save_short")),
        h("button", { class: "button", type: "button", onclick: close }, t("live.end_no")))));
    area.hidden = false;
    area.querySelector("input").focus();
  }

  function close() {
    area.hidden = true;
    fill(area);
  }

  /** Makes a request, and shows why it is refused. */
  async function send(method, path, body) {
    say(problem, "");
    try {
      await request(method, path, body);
      say(said, t("form.saved"));
      relays = await get("/api/relays");
      paint();
      return true;
    } catch (refusal) {
      say(said, "");
      say(problem, refusal.message || t("banner.lost_short"));
      return false;
    }
  }

  paint();
  box.on("status", () => {
    if (!box.status?.relays) return;
    relays = box.status.relays;
    paint();
  }, life);
  return h("div", { class: "stack" }, list, h("div", { class: "row" }, add), area, said, problem);
}
