// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Where the broadcast goes: a platform, its address, and the stream key. For the first server and for relays.

import { box } from "./box.js";
import { ask, field, h, say, withEye } from "./dom.js";
import { change, hostIn, keyPlace, serverIn, setting, videoKbps, withScheme } from "./settings.js";
import { blame, known } from "./why.js";
import { language, number, sentences, t } from "./words.js";

let platforms = null;

/** The list of platforms.json. */
export async function loadPlatforms() {
  platforms ??= await (await fetch("platforms.json")).json();
  known.isOwn = (url) => Boolean(url) && platformOf(url).id === "own";
  return platforms;
}

/** The platform of an address; the one for other servers if it is none of the list. */
export function platformOf(url) {
  const host = hostIn(url);
  return platforms.find((one) => one.hosts.some((end) => host === end || host.endsWith(`.${end}`))) ?? platforms.at(-1);
}

/** What a platform is called. */
export const nameOf = (platform) => platform.name ?? t("platform.own");

/** What the server of an address is called: the platform, or its host. */
export const serverName = (url) => platformOf(url).name ?? hostIn(url);

/** The first letter of a platform, as its mark. */
export const mark = (text) => h("i", { class: "mark-tile", "aria-hidden": "true" }, text);

const tile = (id, letter, name, hint, chosen, onclick) =>
  h("li", null, h("button", { type: "button", class: "tile", data: { platform: id },
    "aria-pressed": chosen === undefined ? undefined : String(chosen), onclick },
  mark(letter), h("span", null, h("b", null, name), hint && h("small", null, hint))));

/** Tiles to choose from. `unsure`: what happens if somebody does not know yet. */
export const tiles = (choose, chosen, unsure) =>
  h("ul", { class: "tiles" },
    platforms.map((one) => tile(one.id, one.name?.[0] ?? "⌂", nameOf(one),
      one.id === "own" && t("platform.own_hint"), chosen && chosen === one, () => choose(one))),
    unsure && tile("unsure", "?", t("platform.unsure"), t("platform.unsure_hint"), undefined, unsure));

/**
 * The video bit rate that a platform takes in place of one, and a sentence about that; null if it takes that one.
 */
export function fitting(platform, kbps) {
  const [least, most] = platform.kbps ?? [0, Infinity];
  if (kbps >= least && kbps <= most) return null;
  const limit = kbps > most ? most : least;
  const text = t(kbps > most ? "platform.most" : "platform.least",
    { platform: nameOf(platform), kbps: number(limit) });
  return { kbps: limit, text };
}

/** What to do on the platform's page; its address there is a link. */
function where(platform) {
  const text = platform.where[language()] ?? platform.where.en;
  const page = platform.page?.replace(/^https:../, "");
  const at = page ? text.indexOf(page) : -1;
  const note = platform.note && h("p", { class: "help" }, platform.note[language()] ?? platform.note.en);
  return h("div", { class: "where" }, h("p", null, at < 0 ? text : [text.slice(0, at),
    h("a", { href: platform.page, target: "_blank", rel: "noopener noreferrer" }, page),
    text.slice(at + page.length)]), note);
}

/** Asks before a change that viewers notice. Resolves to whether it may be made. */
export async function agrees(changes) {
  const has = (keys) => Object.keys(changes).some((key) => keys.test(key));
  const state = box.status?.destinations.find(({ name }) => name === "main")?.state;
  const text = !/^(publishing|delivering)$/.test(state) ? null
    : has(/^publish\.(url|key|user|password)$/) ? "platform.live_text" : has(/^video\.(size|fps)$/) ? "quality.live_text" : null;
  return !text || ask(t("quality.live_title"), t(text), t("quality.live_yes"), t("common.cancel"));
}

/** A field for a stream key. */
export const keyField = (key, options) => withEye(field(t("key.key"), key, options), key,
  [t("key.show"), t("key.hide")]);

/**
 * Whether no key is missing beside an address, as RTMPAddress.swift has it: its last part is the key, or its query says who
 * sends. The box shows what may be secret as ***, and says itself what is wrong with what is no address.
 */
function namesStream(url) {
  const [, path, query] = /^rtmps?:\/\/[^/?]*\/?([^?]*)\??(.*)$/i.exec(url) ?? [];
  const parts = path?.split("/").filter(Boolean).length;
  return path === undefined || parts > 1
    || parts === 1 && (query === "***" || /(^|&)[^=&]*(user|pass|token|key|sig|secret|auth|jwt|stream)[^=&]*=[^&]/i.test(query));
}

/** What the address of a server of no platform lacks: a name of a text; "" for nothing. */
const ownProblem = (url) => (!/^rtmps?:\/\//i.test(url) ? "problem.own_scheme" : !/^rtmps?:\/\/[^/?]+\/+[^/?]/i.test(url) ? "problem.own_path" : "");

/** An address, as the box shows it, without the key that it ends with: a key that is typed takes its place. */
const withoutKey = (url) => (/\/(\*{3}|\?)/.test(url) ? url.replace(/\?.*$/, "").replace(/\/(\*{3})?$/, "") : url);

/**
 * The form for address and key of a platform.
 * `now`: { url, hasKey } of the server that is changed; `save({ url, key })` keeps both, with an undefined key for the
 * present one, and throws a Refusal; `extra`: what stands before the button.
 */
export function serverForm(platform, now, save, buttonText, extra) {
  const isCurrent = Boolean(now.url) && platformOf(now.url) === platform;
  const isOwn = platform.id === "own";
  const address = h("input", {
    type: "url", inputMode: "url", spellcheck: false, autocapitalize: "off", autocomplete: "off",
    placeholder: platform.example ?? "rtmps://", value: isCurrent ? now.url : (platform.address ?? ""),
    autofocus: !platform.address,
  });
  const key = h("input", {
    type: "password", autocomplete: "off", spellcheck: false, autocapitalize: "off",
    autofocus: Boolean(platform.address),
  });
  const fields = { url: field(t("key.address"), address),
    key: keyField(key, { help: t(isOwn ? "key.secret_own" : "key.secret") }) };
  const button = h("button", { class: "key go" }, buttonText);
  const general = h("p", { class: "problem", role: "alert" });
  const keyHelp = fields.key.querySelector(".help");
  const scheme = /^\w+/.exec(platform.address ?? platform.example)?.[0];
  const typed = () => withScheme((address.value || platform.address || "").trim(), isOwn ? undefined : scheme);
  const hadKey = isCurrent && now.hasKey;
  const hasOne = isCurrent && (hadKey || namesStream(now.url));
  // The box gives no server the key of another one, and an address that ends with a key of its own needs none of before.
  const keepsKey = (url) => hadKey && serverIn(url) === serverIn(now.url)
    && (url === now.url || !isOwn || !namesStream(url) || namesStream(now.url));
  const needsKey = (url) => !keepsKey(url) && (!namesStream(url) || url === platform.address);

  /** What becomes of a key field that stays empty. */
  function tell() {
    const url = typed();
    const isOther = hadKey && needsKey(url);
    const stays = hasOne && url === now.url || keepsKey(url);
    key.placeholder = stays ? t("key.stays") : isOther ? t("key.of_other") : isOwn && !ownProblem(url) && namesStream(url) ? t("key.if_in_address") : "";
    const text = t(isOther ? "problem.key_of_other_server" : !isOwn ? "key.secret" : hasOne ? "key.stays_own" : "key.secret_own");
    if (keyHelp.textContent === text) return;
    fields.key.problem("");
    say(keyHelp, text);
  }
  address.addEventListener("input", tell);
  // What was left out is filled in where it is seen.
  address.addEventListener("change", () => address.value && (address.value = typed()));
  tell();
  const more = platform.address &&
    h("details", { class: "quiet" }, h("summary", null, t("key.address_change")), fields.url);

  async function submit(event) {
    event.preventDefault();
    for (const one of Object.values(fields)) one.problem("");
    say(general, "");
    const url = typed();
    const secret = key.value.trim();
    if (url !== now.url && url.includes("***")) return fields.url.problem(t("key.masked")), address.focus();
    if (!url) return fields.url.problem(t(isOwn ? "problem.own_address" : "problem.address_missing")), address.focus();
    if (address.value) address.value = url;
    const wrong = isOwn && ownProblem(url);
    if (wrong) return fields.url.problem(t(wrong)), address.focus();
    if (!secret && needsKey(url)) {
      const ofOther = hadKey && "problem.key_of_other_server";
      return fields.key.problem(t(ofOther || (isOwn ? "key.no_own_key" : "problem.key_missing"))), key.focus();
    }
    button.disabled = true;
    try {
      // The key of one server must not reach another: an empty one stands for none.
      await save({ url: secret && hasOne && !hadKey && url === now.url ? withoutKey(url) : url,
        key: secret || !keepsKey(url) ? secret : undefined });
    } catch (refusal) {
      if (more && refusal.problems?.some((one) => one.key?.endsWith("url"))) more.open = true;
      say(general, blame(refusal, fields, isOwn));
    }
    button.disabled = false;
  }

  return h("form", { class: "stack narrow", onsubmit: submit, noValidate: true },
    where(platform), more || fields.url, fields.key, extra, general, button);
}

/** The form for the first server. `done` is called when it is kept, with a sentence if that changed the bit rate. */
export function keyForm(platform, done, buttonText) {
  const now = { url: setting("publish.url")?.value, hasKey: keyPlace() === "key.is_set" };
  return serverForm(platform, now, async ({ url, key }) => {
    // An address that is shown masked stays as it is.
    const changes = url === now.url ? {} : { "publish.url": url };
    if (key || key === "" && url !== now.url) changes["publish.key"] = key;
    const backup = url === platform.address ? (platform.backup ?? "") : "";
    if ((setting("publish.backup_url")?.value ?? "") !== backup) changes["publish.backup_url"] = backup;
    if (platform.keyframes && setting("video.gop_seconds")?.value !== platform.keyframes) {
      changes["video.gop_seconds"] = platform.keyframes;
    }
    const rate = fitting(platform, videoKbps());
    if (rate) changes["video.bitrate_kbps"] = rate.kbps;
    if (!(await agrees(changes))) return;
    await change(changes);
    done(rate && sentences([rate.text, t("platform.rate_set")]));
  }, buttonText);
}
