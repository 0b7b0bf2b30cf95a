// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Where the broadcast goes: a platform, its address, and the stream key.

import { field, h, say } from "./dom.js";
import { change, hasKey, setting, videoKbps } from "./settings.js";
import { language, number, t } from "./words.js";

let platforms = null;

/** The list of platforms.json. */
export async function loadPlatforms() {
  platforms ??= await (await fetch("platforms.json")).json();
  return platforms;
}

const hostOf = (url) => /^rtmps?:\/\/([^/:?]+)/.exec(url ?? "")?.[1] ?? "";

/** The platform of an address; the one for other servers if it is none of the list. */
export function platformOf(url) {
  const host = hostOf(url);
  return platforms.find((one) => one.hosts.some((end) => host === end || host.endsWith(`.${end}`))) ?? platforms.at(-1);
}

/** What a platform is called. */
export const nameOf = (platform) => platform.name ?? t("platform.own");

/** Tiles to choose from. */
export const tiles = (choose, chosen) =>
  h("ul", { class: "tiles" }, platforms.map((platform) =>
    h("li", null, h("button", {
      type: "button", class: "tile", data: { platform: platform.id },
      "aria-pressed": chosen ? String(chosen === platform) : undefined, onclick: () => choose(platform),
    }, h("b", null, nameOf(platform)), platform.id === "own" && h("span", null, t("platform.own_hint"))))));

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

/** The form for address and key. `done` is called when both are kept, with a sentence if that changed the bit rate. */
export function keyForm(platform, done, buttonText) {
  const isCurrent = platformOf(setting("publish.url")?.value) === platform && setting("publish.url")?.value;
  const address = h("input", {
    type: "url", inputMode: "url", spellcheck: false, autocapitalize: "off", autocomplete: "off",
    placeholder: platform.example ?? "rtmps://",
      value: isCurrent ? setting("publish.url").value : (platform.address ?? ""),
  });
  const key = h("input", {
    type: "password", autocomplete: "off", spellcheck: false, autocapitalize: "off",
      autofocus: Boolean(platform.address),
    placeholder: isCurrent && hasKey() ? t("key.is_set") : "",
  });
  if (!platform.address) address.autofocus = true;
  const addressField = field(t("key.address"), address);
  const keyField = field(t("key.key"), key, { help: t("key.secret") });
  const button = h("button", { class: "key go" }, buttonText);
  const general = h("p", { class: "problem", role: "alert" });

  async function submit(event) {
    event.preventDefault();
    for (const one of [addressField, keyField]) one.problem("");
    say(general, "");
    const url = (address.value || platform.address || "").trim();
    const secret = key.value.trim();
    if (!url) return addressField.problem(t("key.no_address")), address.focus();
    const isOwn = platform.id === "own";
    const keepsKey = isCurrent && hasKey() && (!isOwn || hostOf(url) === hostOf(setting("publish.url").value));
    if (!secret && !keepsKey && !isOwn) return keyField.problem(t("key.no_key")), key.focus();
    const changes = { "publish.url": url };
    // The key of one server must not reach another: an empty one stands for none.
    if (secret || !keepsKey) changes["publish.key"] = secret;
    const backup = url === platform.address ? (platform.backup ?? "") : "";
    if ((setting("publish.backup_url")?.value ?? "") !== backup) changes["publish.backup_url"] = backup;
    if (platform.keyframes && setting("video.gop_seconds")?.value !== platform.keyframes) {
      changes["video.gop_seconds"] = platform.keyframes;
    }
    const rate = fitting(platform, videoKbps());
    if (rate) changes["video.bitrate_kbps"] = rate.kbps;
    button.disabled = true;
    try {
      await change(changes);
      done(rate && `${rate.text} ${t("platform.rate_set")}`);
    } catch (refusal) {
      for (const problem of refusal.problems) {
        if (problem.key === "publish.url") addressField.problem(problem.sentence);
        else if (problem.key === "publish.key") keyField.problem(problem.sentence);
        else say(general, problem.sentence);
      }
      if (!refusal.problems.length) say(general, refusal.message || t("banner.lost_short"));
      button.disabled = false;
    }
  }

  const help = platform.where[language()] ?? platform.where.en;
  return h("form", { class: "stack", onsubmit: submit, noValidate: true },
    h("p", { class: "where" }, help),
    platform.address
      ? h("details", { class: "quiet" }, h("summary", null, t("key.address_change")), addressField)
      : addressField,
    keyField, general, button);
}
