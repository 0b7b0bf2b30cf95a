// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Relays: further servers that get the same stream.

import { get, request } from "./api.js";
import { box } from "./box.js";
import { ask, field, fill, h, repaint, say, toast } from "./dom.js";
import { menu } from "./dress.js";
import { loadPlatforms, mark, nameOf, platformOf, serverForm, serverName, tiles } from "./platforms.js";
import { load } from "./settings.js";
import { blame, causeText, plain, why } from "./why.js";
import { t } from "./words.js";

const MOST = 4;

/** The part. */
export async function relaysPart(life) {
  let [relays] = await Promise.all([get("/api/relays").catch(() => []), loadPlatforms()]);
  const list = h("ul", { class: "lines relays" });
  const area = h("div", { class: "stack", hidden: true });
  const problem = h("p", { class: "problem", role: "alert" });
  const add = h("button", { class: "button", type: "button", onclick: choose }, t("relays.add"));
  const addRow = h("div", { class: "row" }, add);

  const isUnknown = () => box.status?.presence.state === "no_answer";

  function paint() {
    const isOn = box.status && box.status.intent.broadcast !== "off";
    // A menu that is open would close.
    if (list.querySelector("details[open]")) return;
    repaint(list, [isOn, isUnknown(), relays.map(({ name, url, program, state, paused, enabled, gets, sentence }) =>
      [name, url, program, state, paused, enabled, gets, sentence])], relays.map((relay) => line(relay, isOn)));
    add.disabled = relays.length >= MOST;
    addRow.hidden = !area.hidden;
  }

  /** What a relay does, as a word and as a dot. */
  function condition({ state, paused, gets, enabled }, isOn) {
    if (isUnknown()) return ["state.no_answer", "rests"];
    if (paused) return ["relays.paused", "rests"];
    if (!isOn) return [enabled ? "relays.ready" : "relays.by_hand", "rests"];
    if (state === "running" && gets !== "whole") return [`relays.${gets}`, "weak"];
    return [`relays.${state}`, { running: "good", connecting: "weak", failure: "poor" }[state] ?? "rests"];
  }

  function line(relay, isOn) {
    const { name, state, paused, sentence } = relay;
    const isWanted = state !== "idle" || paused;
    const [word, dot] = condition(relay, isOn);
    const subject = `relay ${name}`;
    const told = box.status?.troubles.find((one) => one.subject === subject);
    const words = causeText({ ...told, subject, cause: relay.code }, serverName(relay.url));
    const start = ["start", () => send("POST", `/api/relays/${name}/start`)];
    const stop = ["stop", () => send("POST", `/api/relays/${name}/stop`)];
    const pause = ["pause", () => send("POST", `/api/relays/${name}/pause`)];
    const resume = ["resume", () => send("POST", `/api/relays/${name}/resume`)];
    const acts = [
      ...(isOn ? (isWanted ? [paused ? resume : pause, stop] : [start]) : []),
      ["change", () => edit(platformOf(relay.url), relay)], ["remove", () => remove(name)]];
    const acting = menu(t("relays.menu", { name }), name, acts.map(([key, call]) => [t(`relays.${key}`), call]));
    acting.addEventListener("toggle", () => !acting.open && paint());
    return h("li", null, mark(platformOf(relay.url).name?.[0] ?? "⌂"),
      h("div", { class: "grow" }, h("b", null, serverName(relay.url)),
        serverName(relay.url).toLowerCase() !== name && h("small", null, name),
        h("p", { class: "condition" }, h("i", { class: `dot ${dot}` }), t(word)),
        sentence && state === "failure" && !isUnknown() && h("p", { class: "problem", lang: words ? undefined : "en" }, words ?? plain(sentence))),
      acting);
  }

  const remove = async (name) => await ask(t("relays.remove_title", { name }), t("relays.remove_text"),
    t("relays.remove"), t("common.cancel")) && send("DELETE", `/api/relays/${name}`);

  const cancel = () => h("div", { class: "row" }, h("button", { class: "link", type: "button", onclick: close },
    t("common.cancel")));

  /** The platforms for a new one. */
  function choose() {
    fill(area, h("h3", null, t("guide.platform_title")), tiles((platform) => edit(platform)), cancel());
    area.hidden = false;
    paint();
    area.querySelector("button").focus();
  }

  /** A name that is free: that of the platform. */
  function freeName(platform) {
    const taken = relays.map((one) => one.name);
    const start = platform.id === "own" ? "server" : platform.id;
    return [start, ...[2, 3, 4, 5].map((n) => `${start}-${n}`)].find((one) => !taken.includes(one));
  }

  /** The form for a relay, or for a new one. */
  function edit(platform, relay) {
    const name = h("input", { type: "text", value: relay?.name ?? freeName(platform), maxLength: 32,
      autocomplete: "off", spellcheck: false, autocapitalize: "off" });
    const nameField = field(t("relays.name"), name, { help: t("relays.name_help") });
    const begins = h("input", { type: "checkbox", class: "switch-box", role: "switch",
      checked: relay?.enabled ?? true });
    const more = h("details", { class: "quiet" }, h("summary", null, t("relays.rename")), nameField);
    const camera = h("input", { type: "checkbox", class: "switch-box", role: "switch",
      checked: relay?.program === "camera" });
    const extra = [h("label", { class: "switch-line" }, begins, h("span", null, t("relays.begins"))),
      h("label", { class: "switch-line" }, camera, h("span", null, t("relays.camera"), h("small", null, t("relays.camera_help")))),
      !relay && more];
    const now = relay ? { url: relay.url, hasKey: true } : {};
    fill(area, h("h3", null, nameOf(platform)), serverForm(platform, now, async ({ url, key }) => {
      nameField.problem("");
      // An address that is shown masked stays as it is.
      const body = { enabled: begins.checked, program: camera.checked ? "camera" : "programme", ...(url !== relay?.url && { url }), ...(key !== undefined && { key }) };
      try {
        if (relay) await request("PATCH", `/api/relays/${relay.name}`, body);
        else await request("POST", "/api/relays", { ...body, url, key: key ?? "", name: name.value.trim() });
      } catch (refusal) {
        if (!/^(unfit_name|name_taken)$/.test(refusal.code)) throw refusal;
        more.open = true;
        nameField.problem(why(refusal));
        name.focus();
        return;
      }
      toast(t("form.saved"));
      close();
      await look();
    }, t("form.save_short"), extra), cancel());
    area.hidden = false;
    paint();
    (area.querySelector("[autofocus]") ?? area.querySelector("input"))?.focus();
  }

  function close() {
    area.hidden = true;
    fill(area);
    paint();
    add.focus();
  }

  async function look() {
    await load(true).catch(() => {});
    relays = await get("/api/relays").catch(() => relays);
    paint();
  }

  /** Makes a request, and shows why it is refused. */
  async function send(method, path) {
    say(problem, "");
    try {
      await request(method, path);
      await look();
    } catch (refusal) {
      say(problem, blame(refusal, {}));
    }
  }

  paint();
  box.on("status", () => {
    // Without an answer nothing is known of them, but that they are set up.
    if (!isUnknown()) relays = box.status.relays;
    paint();
  }, life);
  return h("div", { class: "stack" }, list, addRow, area, problem);
}
