// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The box's own network: what it uses, Wi-Fis, addresses, and the Wi-Fi that the box makes.

import { get, post, request } from "./api.js";
import { ask, field, fill, h, icon, linkButton, repaint, say } from "./dom.js";
import { why } from "./why.js";
import { listed, t } from "./words.js";

const AGAIN_MS = 3_000;

/** Keeps a change that would be undone: whoever reads this page has reached the box. */
export function confirm(number) {
  if (number) post("/api/network/confirm", { number }).catch(() => {});
}

/** Whether the box is in no network but the one that it makes itself. */
export const isAlone = ({ available, problem, ways }) => available && problem && !ways.some((way) => way.in_use);

/** The part; null where the network is set up elsewhere. */
export async function networkPart(page, life) {
  let state = await get("/api/network").catch(() => null);
  if (!state?.available) return null;
  const sentence = h("p", { role: "status", lang: "en" });
  const ways = h("ul", { class: "lines" });
  const wifis = h("ul", { class: "lines" });
  const area = h("div", { class: "stack", hidden: true });
  const problem = h("p", { class: "problem", role: "alert" });
  const own = h("div", { class: "row" });
  let timer = null;

  function paint() {
    const { change, hotspot } = state;
    const lasts = change && change.state !== "done" ? change.sentence : "";
    say(sentence, [state.sentence, lasts !== state.problem && lasts].filter(Boolean).join(" "));
    sentence.classList.toggle("problem", Boolean(state.problem) && !hotspot?.up);
    repaint(ways, state.ways, state.ways.map(wayLine));
    repaint(wifis, [state.wifis, state.known, hotspot], state.wifis.map(wifiLine), elsewhere(),
      hotspot && h("li", null, button("network.other", () => join())));
    repaint(own, hotspot, hotspot && !hotspot.up
      && button("network.scan", () => send("POST", "/api/network/wifi/scan", {})),
      hotspot && button(hotspot.up ? "network.hotspot_off" : "network.hotspot_on", () => turn(!hotspot.up)));
  }

  const button = (key, onclick, name) => linkButton(t(key), onclick, name);

  function wayLine(way) {
    const address = way.addresses[0]?.split("/")[0];
    const parts = [t(`way.${way.state}`), way.wifi, address && t("network.at", { address }), way.in_use && t("network.in_use")];
    return h("li", null,
      h("span", null, h("b", null, nameOf(way)), " ",
        h("small", null, listed(parts))),
      canHaveAddress(way) && button("network.address", () => setAddress(way), way.interface));
  }

  /** "Cable (eth0)". */
  const nameOf = ({ kind, interface: device }) => `${t(`way.${kind}`)} (${device})`;

  /** A cable can be given one where the network gives none. */
  const canHaveAddress = ({ kind, state: now, method }) =>
    now === "connected" ? method : kind === "cable" && !["unavailable", "unusable"].includes(now);

  function wifiLine({ name, strength_percent, security, known, in_use }) {
    const parts = [`${strength_percent} %`, in_use ? t("way.connected") : known && t("network.known")];
    return h("li", null,
      h("span", null, h("b", null, name), " ", h("small", null, security !== "open" && icon("lock"),
        h("span", { class: "unseen" }, t(security === "open" ? "network.open" : "network.locked")), " ",
        listed(parts))),
      h("span", { class: "row" }, known && button("network.forget", () => forget(name), name),
        !in_use && button("network.join", () => (known || security === "open" ? go(name) : join(name)), name)));
  }

  /** Wi-Fis that are known and not in reach. */
  const elsewhere = () => state.known.filter((name) => !state.wifis.some((one) => one.name === name)).map((name) =>
    h("li", null, h("span", null, h("b", null, name), " ", h("small", null, t("network.away"))),
      button("network.forget", () => forget(name), name)));

  /** Shows a form. `submit` returns whether it is done with. */
  function show(title, content, submit, label) {
    fill(area, h("form", { class: "stack narrow", noValidate: true, onsubmit: async (event) => {
      event.preventDefault();
      if (await submit()) close();
    } }, h("h3", null, title), content, h("div", { class: "row" }, h("button", { class: "button solid" }, label),
      h("button", { class: "button", type: "button", onclick: close }, t("common.cancel")))));
    area.hidden = false;
    area.querySelector("input, select").focus();
    area.scrollIntoView({ block: "nearest" });
  }

  function close() {
    area.hidden = true;
    fill(area);
  }

  function join(name) {
    const text = (type) => h("input", { type, autocomplete: "off", spellcheck: false, autocapitalize: "off" });
    const [other, password] = [text("text"), text("password")];
    show(name ?? t("network.other"),
      [!name && field(t("network.name"), other), field(t("password.yours"), password, { help: t("network.rule") })],
      () => go(name ?? other.value, password.value, !name), t("network.join"));
  }

  const go = (name, password = "", hidden = false) =>
    send("POST", "/api/network/wifi/join", { name, password, hidden },
      cuts() && t("network.moves", { wifi: name, box: page.session.name }));

  /** Whether whoever reads this may be in the Wi-Fi that the box leaves for another. */
  const cuts = () => state.ways.some((way) => way.kind === "wifi" && ["connected", "hotspot"].includes(way.state));

  async function turn(on) {
    const left = state.ways.find((way) => way.kind === "wifi" && way.state === "connected");
    const { name: wifi, url: place } = state.hotspot;
    const text = (left ? `${t("network.leaves", { wifi: left.wifi })} ` : "") + t("network.hotspot_text", { wifi, place });
    if (on && !await ask(t("network.hotspot_on"), text, t("network.hotspot_on"), t("common.cancel"))) return;
    send("POST", "/api/network/hotspot", { on });
  }

  const forget = async (name) => await ask(t("network.forget_title", { name }), t("network.forget_text"),
    t("network.forget"), t("common.cancel")) && send("POST", "/api/network/wifi/forget", { name });

  function setAddress(way) {
    const input = (value) => h("input", { type: "text", value: value ?? "", autocomplete: "off", spellcheck: false });
    const [ip, gateway, dns] = [input(way.addresses[0]?.replace(/\/24$/, "")), input(way.gateway), input(way.dns.join(" "))];
    const choose = () => (fixed.hidden = method.value === "dhcp");
    const method = h("select", { onchange: choose },
      ["dhcp", "static"].map((value) => h("option", { value }, t(`network.${value}`))));
    const fixed = h("div", { class: "stack" }, field(t("network.ip"), ip), field(t("network.gateway"), gateway),
      field(t("network.dns"), dns));
    method.value = way.state === "connected" ? way.method : "static";
    choose();
    show(nameOf(way), [field(t("network.method"), method), fixed], () => {
      // Nearly every network at home has this size.
      const rest = method.value === "dhcp" ? {} : { address: ip.value.trim().replace(/^[\d.]+$/, "$&/24"), gateway: gateway.value.trim(),
        dns: dns.value.split(/[\s,]+/).filter(Boolean) };
      const place = rest.address?.split("/")[0];
      return send("PUT", "/api/network/address", { interface: way.interface, method: method.value, ...rest },
        place && t("network.new_place", { place }));
    }, t("form.save_short"));
  }

  /** Makes a request, and shows why it is refused or what is next. */
  async function send(method, path, body, next) {
    say(problem, "");
    try {
      const { sentence: text } = await request(method, path, body);
      say(sentence, [text, next].filter(Boolean).join(" "));
      setTimeout(look, AGAIN_MS);
      return true;
    } catch (refusal) {
      say(problem, why(refusal));
      if (refusal.code === "password_needed") join(body.name);
      return false;
    }
  }

  async function look() {
    clearTimeout(timer);
    if (life.aborted) return;
    if (!document.hidden) {
      try {
        state = await get("/api/network");
        if (state.change?.state === "unconfirmed") confirm(state.change.number);
        paint();
      } catch {
        // The banner tells when the box is gone.
      }
    }
    timer = setTimeout(look, AGAIN_MS);
  }

  paint();
  timer = setTimeout(look, AGAIN_MS);
  life.addEventListener("abort", () => clearTimeout(timer));
  return h("div", { class: "stack network" }, sentence, ways, state.hotspot && h("h3", null, t("network.wifis")), wifis,
    own, area, problem);
}
