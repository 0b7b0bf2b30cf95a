// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The box's own network: what it uses, Wi-Fis, addresses, and the Wi-Fi that the box makes.

import { get, post, request } from "./api.js";
import { ask, field, fill, h, icon, linkButton, repaint, say, toast, withEye } from "./dom.js";
import { why } from "./why.js";
import { joint, language, listed, t } from "./words.js";

const AGAIN_MS = 3_000;
/** While a form waits for the end of its change. */
const SOON_MS = 1_000;

/** Keeps a change that would be undone: whoever reads this page has reached the box. */
export function confirm(number) {
  if (number) post("/api/network/confirm", { number }).catch(() => {});
}

/** Whether the box is in no network but the one that it makes itself. */
export const isAlone = ({ available, problem, ways }) => available && problem && !ways.some((way) => way.in_use);

/** The state in Chinese, as the box says it in English (Sentences.swift); null where the page has no words for it. */
export function stateText({ ways, known, problem, hotspot }) {
  const word = (name, values) => t(`event.${name}`, values);
  const called = ({ kind, wifi }) => (wifi ? ` Wi-Fi ${wifi} ` : kind === "wifi" ? " Wi-Fi " : t(`way.${kind}`));
  const used = ways.find((way) => way.in_use);
  const joining = ways.find(({ state }) => state === "connecting");
  const own = hotspot?.up ? word("network_own", hotspot) : "";
  const said = used ? word(problem ? "network_portal" : "network_uses", { way: called(used) })
    : !problem ? word("network_elsewhere") : joining ? word("network_joins", { way: called(joining) }) : lack();
  return said && said.trim() + own;

  /** Why there is no network. */
  function lack() {
    const cable = /^No cable/.test(problem) ? "no_cable" : /^The network at the cable/.test(problem) ? "no_address" : null;
    const radios = ways.filter(({ kind }) => kind === "wifi");
    const wifi = radios.length && (radios.every(({ state }) => state === "unavailable") ? "no_radio" : known.length ? "away" : "no_wifi");
    return cable && `${listed([cable, wifi].map((name) => name && word(`network_${name}`)))}。`;
  }
}

/** Why the box refuses a change. These codes mean something else in other parts. */
const because = (refusal) => (/^(running|unfit_name|password_needed)$/.test(refusal.code) ? refusal.message : why(refusal));

/** The part; null where the network is set up elsewhere. */
export async function networkPart(page, life) {
  let state = await get("/api/network").catch(() => null);
  if (!state?.available) return null;
  const sentence = h("p", { role: "status" });
  const last = h("p", { role: "status", lang: "en" });
  const ways = h("ul", { class: "lines" });
  const wifis = h("ul", { class: "lines" });
  const own = h("div", { class: "row" });
  /** Beside what was tapped: its form, and what becomes of it. */
  const area = h("div", { class: "stack" });
  const said = h("p", { role: "status", lang: "en" });
  const problem = h("p", { class: "problem", role: "alert" });
  const submit = h("button", { class: "button solid" });
  /** What was tapped; null without a form or a problem. */
  let at = null;
  let drawn = null;
  let opener = null;
  /** The number of the change that the form waits for; below zero until it is known, and zero without one. */
  let waits = 0;
  /** The last change before that. */
  let before = 0;
  let timer = null;

  function paint() {
    const { change, hotspot } = state;
    const text = language() === "zh" && stateText(state);
    say(sentence, text || state.sentence);
    sentence.lang = text ? "" : "en";
    sentence.classList.toggle("problem", Boolean(state.problem) && !hotspot?.up);
    const lasts = change && change.state !== "done" && !at && change.sentence !== state.problem;
    say(last, lasts ? change.sentence : "");
    last.classList.toggle("problem", /failed|undone/.test(change?.state));
    // A form stays under the hands.
    if (at && at === drawn && area.querySelector("form")) return;
    drawn = at;
    repaint(ways, [at, state.ways], state.ways.map(wayLine));
    repaint(wifis, [at, state.wifis, state.known, hotspot], state.wifis.map(wifiLine), elsewhere(),
      hotspot && h("li", null, button("network.other", () => join()), at === "wifi " && area));
    repaint(own, [at, hotspot], hotspot && !hotspot.up
      && button("network.scan", () => act("own", "POST", "/api/network/wifi/scan", {})),
      hotspot && button(hotspot.up ? "network.hotspot_off" : "network.hotspot_on", () => turn(!hotspot.up)), at === "own" && area);
  }

  const called = (one) => one.getAttribute("aria-label") ?? one.textContent;

  const button = (key, onclick, name) => linkButton(t(key), onclick, name);

  function wayLine(way) {
    const address = way.addresses[0]?.split("/")[0];
    const parts = [t(`way.${way.state}`), way.wifi, address && t("network.at", { address }), way.in_use && t("network.in_use")];
    return h("li", null,
      h("span", null, h("b", null, nameOf(way)), " ",
        h("small", null, listed(parts))),
      canHaveAddress(way) && button("network.address", () => setAddress(way), way.interface), at === way.interface && area);
  }

  /** "Cable (eth0)". */
  const nameOf = ({ kind, interface: device }) => t("quality.named", { name: t(`way.${kind}`), facts: device });

  /** A cable can be given one where the network gives none. */
  const canHaveAddress = ({ kind, state: now, method }) =>
    now === "connected" ? method : kind === "cable" && !["unavailable", "unusable"].includes(now);

  function wifiLine(wifi) {
    const { name, strength_percent, security, known, in_use } = wifi;
    const isOpen = security === "open";
    const parts = [isOpen && t("network.open"), t("network.strength", { percent: strength_percent }), in_use ? t("way.connected") : known && t("network.known")];
    return h("li", null,
      h("span", null, h("b", null, name), " ", h("small", null, !isOpen && [icon("lock"),
        h("span", { class: "unseen" }, t("network.locked"))], " ", listed(parts))),
      h("span", { class: "row" }, known && button("network.forget", () => forget(name), name),
        // Its form has the same key.
        !in_use && at !== `wifi ${name}` && button("network.join", () => join(wifi), name)), at === `wifi ${name}` && area);
  }

  /** Wi-Fis that are known and not in reach. */
  const elsewhere = () => state.known.filter((name) => !state.wifis.some((one) => one.name === name)).map((name) =>
    h("li", null, h("span", null, h("b", null, name), " ", h("small", null, t("network.away"))),
      button("network.forget", () => forget(name), name), at === `wifi ${name}` && area));

  /** Shows something beside what was tapped. */
  function put(place, ...content) {
    at = place;
    drawn = null;
    waits = 0;
    say(said, "");
    say(problem, "");
    fill(area, ...content);
    paint();
  }

  /** Shows a form. `make` makes its change; it is closed when the box has done that. */
  function show(place, name, content, make, label) {
    opener = called(document.activeElement);
    say(submit, label);
    submit.disabled = false;
    put(place, h("form", { class: "stack narrow", noValidate: true, "aria-label": name, onsubmit: (event) => {
      event.preventDefault();
      make();
    } }, content, said, problem, h("div", { class: "row" }, submit,
      h("button", { class: "button", type: "button", onclick: close }, t("common.cancel")))));
    area.querySelector("input, select, button").focus();
    area.scrollIntoView({ block: "nearest" });
  }

  function close() {
    put(null);
    [...node.querySelectorAll("button")].find((one) => called(one) === opener)?.focus();
  }

  /** Says in the form why it was not done. A known Wi-Fi may have another password by now. */
  function fail(text) {
    say(said, "");
    say(problem, text);
    submit.disabled = false;
    for (const one of area.querySelectorAll(".field")) one.hidden = false;
    problem.scrollIntoView({ block: "nearest" });
  }

  /** Joins a Wi-Fi of the list, or one that is not in it. */
  function join({ name, security, known } = {}) {
    const text = (type) => h("input", { type, autocomplete: "off", spellcheck: false, autocapitalize: "off" });
    const [other, password] = [text("text"), text("password")];
    const secret = security !== "open" && withEye(field(t("password.yours"), password, { help: !name && t("network.rule") }),
      password, [t("password.show"), t("password.hide")]);
    if (known && secret) secret.hidden = true;
    const make = () => {
      const wifi = name ?? other.value;
      return send("POST", "/api/network/wifi/join", { name: wifi, password: password.value, hidden: !name },
        cuts() && t("network.moves", { wifi, box: page.session.name }));
    };
    show(`wifi ${name ?? ""}`, name ?? t("network.other"), [!name && field(t("network.name"), other), secret,
      !secret && h("p", { class: "help" }, t("network.open_text"))], make, t("network.join"));
    if (known) make();
  }

  /** Whether whoever reads this may be in the Wi-Fi that the box leaves for another. */
  const cuts = () => state.ways.some((way) => way.kind === "wifi" && ["connected", "hotspot"].includes(way.state));

  async function turn(on) {
    const left = state.ways.find((way) => way.kind === "wifi" && way.state === "connected");
    const { name: wifi, url: place, secured } = state.hotspot;
    const text = (left ? `${t("network.leaves", { wifi: left.wifi })} ` : "")
      + t("network.hotspot_text", { wifi, place, how: t(secured ? "network.hotspot_secured" : "network.hotspot_open") });
    if (on && !await ask(t("network.hotspot_on"), text, t("network.hotspot_on"), t("common.cancel"))) return;
    act("own", "POST", "/api/network/hotspot", { on });
  }

  const forget = async (name) => await ask(t("network.forget_title", { name }), t("network.forget_text"),
    t("network.forget"), t("common.cancel")) && act(`wifi ${name}`, "POST", "/api/network/wifi/forget", { name });

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
    show(way.interface, nameOf(way), [field(t("network.method"), method), fixed], () => {
      // Nearly every network at home has this size.
      const rest = method.value === "dhcp" ? {} : { address: ip.value.trim().replace(/^[\d.]+$/, "$&/24"), gateway: gateway.value.trim(),
        dns: dns.value.split(/[\s,]+/).filter(Boolean) };
      const place = rest.address?.split("/")[0];
      return send("PUT", "/api/network/address", { interface: way.interface, method: method.value, ...rest },
        place && t("network.new_place", { place }));
    }, t("form.save_short"));
  }

  /** Makes the request of the form. */
  async function send(method, path, body, next) {
    const place = at;
    submit.disabled = true;
    say(problem, "");
    before = state.change?.number ?? 0;
    try {
      const { sentence: text } = await request(method, path, body);
      if (at !== place) return;
      say(said, [text, next].filter(Boolean).join(" "));
      // Whoever reads this has to know what to do when the page is cut off.
      said.scrollIntoView({ block: "nearest" });
      waits = -1;
      look();
    } catch (refusal) {
      if (at === place) fail(because(refusal));
    }
  }

  /** Makes a request without a form. */
  async function act(place, method, path, body) {
    if (at === place) put(null);
    try {
      toast((await request(method, path, body)).sentence);
    } catch (refusal) {
      put(place, problem);
      say(problem, because(refusal));
    }
    look();
  }

  /** Tells in the form how its change has ended. */
  function follow() {
    const { number, state: now, sentence: text } = state.change ?? {};
    if (waits < 0 && number > before) waits = number;
    if (!waits || number !== waits || !/done|failed|undone/.test(now)) return;
    waits = 0;
    if (now !== "done") return fail(text);
    toast(joint([at.replace(/^wifi /, "") || area.querySelector("input").value, t("way.connected")]));
    close();
  }

  async function look() {
    clearTimeout(timer);
    if (life.aborted) return;
    if (!document.hidden) {
      try {
        state = await get("/api/network");
        if (state.change?.state === "unconfirmed") confirm(state.change.number);
        follow();
        paint();
      } catch {
        // The banner tells when the box is gone.
      }
    }
    clearTimeout(timer);
    timer = setTimeout(look, waits ? SOON_MS : AGAIN_MS);
  }

  const node = h("div", { class: "stack network" }, sentence, last, ways, state.hotspot && h("h3", null, t("network.wifis")),
    wifis, own);
  paint();
  timer = setTimeout(look, AGAIN_MS);
  life.addEventListener("abort", () => clearTimeout(timer));
  return node;
}
