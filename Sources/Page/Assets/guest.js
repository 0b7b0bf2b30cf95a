// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// One guest: picture, level, state, and what can be done with them.

import { OWN, patch, request } from "./api.js";
import { box } from "./box.js";
import { ask, fill, h, icon, say } from "./dom.js";
import { menu, sayOf } from "./dress.js";
import { nameOf } from "./lobby.js";
import { share, zone } from "./meter.js";
import { fader } from "./strip.js";
import { why } from "./why.js";
import { joint, t, tryWord } from "./words.js";

/** A picture comes this often; where the box refuses it, it is asked for after so much longer. */
const [PICTURE_MS, REFUSED_MS] = [500, 5_000];
/** Between two looks for whether a picture is wanted. */
const LEAST_MS = 100;
const PATIENCE_MS = 5_000;
/** Requests for pictures at a time. A browser has six connections to the box: on a slow line a command must not wait for pictures. */
const MOST_AT_ONCE = 2;
/** Time in which a guest who was deleted can be brought back. */
const UNDO_MS = 15_000;
const DOTS = { on_air: "good", waiting: "weak", lost: "poor" };
/** Whether there may be picture and sound of a guest. */
export const isThere = ({ state }) => /^(waiting|on_air|lost)$/.test(state);

/** Requests for pictures that have no answer yet, of all guests. */
let underway = 0;

/**
 * The moving picture of a guest: the next one is asked for when the one before has come, and only while somebody can see it.
 * `isWanted` tells whether there is one.
 */
function moving(name, image, isWanted) {
  let isOver = false;
  let isSeen = false;
  let asking = null;
  const watch = new IntersectionObserver(([one]) => (isSeen = one.isIntersecting));
  watch.observe(image.parentNode);

  const drop = () => {
    URL.revokeObjectURL(image.src);
    image.removeAttribute("src");
    image.hidden = true;
  };

  /** Shows the newest one. Returns how long to wait for the next one. */
  async function show() {
    asking = new AbortController();
    const { signal } = asking;
    const timer = setTimeout(() => asking.abort(), PATIENCE_MS);
    underway++;
    try {
      const answer = await fetch(`/api/guests/${name}/picture`, { headers: OWN, cache: "no-store", signal });
      if (!answer.ok) {
        drop();
        return answer.status === 404 ? PICTURE_MS : REFUSED_MS;
      }
      const old = image.src;
      image.src = URL.createObjectURL(await answer.blob());
      image.hidden = false;
      URL.revokeObjectURL(old);
      return PICTURE_MS;
    } catch {
      return REFUSED_MS;
    } finally {
      clearTimeout(timer);
      underway--;
    }
  }

  async function run() {
    while (!isOver) {
      const began = performance.now();
      let wait = PICTURE_MS;
      if (!isWanted()) drop();
      else if (isSeen && !document.hidden && box.link !== "lost") {
        wait = underway < MOST_AT_ONCE ? await show() : 0;
      }
      await new Promise((done) => setTimeout(done, Math.max(wait - (performance.now() - began), LEAST_MS)));
    }
    watch.disconnect();
    drop();
  }

  run();
  return () => {
    isOver = true;
    asking?.abort();
  };
}

/**
 * The card of a guest. `act` gives one of the commands for them, `change` changes fields, `edit` opens the form, `look` asks for
 * the list again, and `problem` is where a refusal is told.
 */
export function guestCard(first, { may, life, act, change, edit, problem, look }) {
  let guest = first;
  /** Set while a guest who was deleted can be brought back. */
  let deleting = null;
  const image = h("img", { hidden: true });
  const bare = h("span", { class: "guest-bare", "aria-hidden": "true" }, icon("camera"));
  const level = h("i", { class: "level rms" });
  const bar = h("div", { class: "bar", role: "meter", "aria-valuemin": "-60", "aria-valuemax": "0" }, level, zone());
  const screen = h("div", { class: "guest-screen" }, bare, image);
  const title = h("b", null);
  const dot = h("i", { class: "dot" });
  const state = h("span", null);
  const tracks = h("small", null);
  const wrong = h("p", { class: "problem", role: "status" });
  const reason = h("p", { class: "help" });
  const place = h("div", { class: "guest-menu" });
  const key = (text, onclick, kind = "") => {
    const node = h("button", { type: "button", class: `button ${kind}`, onclick: async () => {
      node.disabled = true;
      await onclick();
      node.disabled = false;
      update(guest, told);
      // Not away from what somebody has reached for meanwhile.
      if (!node.offsetParent && [node, document.body].includes(document.activeElement)) focus();
    } }, t(text));
    return node;
  };
  const admit = key("guests.admit", () => act("admit"), "solid");
  const hide = key("guests.hide", () => act("hide"));
  const kick = key("guests.kick", () => act("remove"));
  const allow = key("guests.allow", () => act("allow"));
  const begin = key("guests.switch_on", () => change({ enabled: true }));
  const mute = h("button", { type: "button", class: "key mute", onclick: () => change({ mute: !guest.mute }) });
  const volume = fader(t("set.music.volume"), (value) => change({ volume: value }));
  const keys = h("div", { class: "row guest-keys" }, admit, hide, kick, allow, begin);
  const sound = h("div", { class: "guest-sound" }, mute, volume.node);
  const content = [screen, h("div", { class: "grow" }, title, h("p", { class: "condition" }, dot, state), tracks), place, bar, wrong, keys, reason, sound];
  const node = h("li", { class: "guest" }, content);
  let told = null;
  let menuOf = "";
  const end = moving(first.name, image, () => guest.has_picture && !deleting);

  /** Gives the focus to what can be done next. */
  const focus = () => [...node.querySelectorAll(".row .button")].find((one) => one.offsetParent && !one.disabled)?.focus();

  /** Why the guest is not there: in the page's words, if it has some. */
  function troubleOf({ cause, sentence }) {
    const own = cause && tryWord(`guests.cause_${cause}`, "");
    return [own || sentence, Boolean(own)];
  }

  /** What can be done with it that is not needed often. */
  function paintMenu() {
    const { state, enabled } = guest;
    const acts = [
      ...may.set ? [[t("guests.settings"), () => edit(guest)]] : [],
      ...may.act && /^(waiting|connecting)$/.test(state) ? [[t("guests.kick"), () => act("remove")]] : [],
      ...may.act && enabled ? [[t("guests.switch_off"), () => change({ enabled: false })]] : [],
      ...may.set ? [[t("media.delete"), () => remove()]] : []];
    const text = acts.map(([one]) => one).join();
    // A menu that is open would close.
    if (text === menuOf || place.querySelector("[open]")) return;
    menuOf = text;
    fill(place, acts.length > 0 && menu(t("relays.menu", { name: nameOf(guest) }), nameOf(guest), acts));
  }

  /** Takes the guest off at once, and deletes the entry unless somebody brings it back. */
  async function remove() {
    const before = guest;
    const name = nameOf(before);
    const isSeen = /^(on_air|lost)$/.test(before.state);
    if (isSeen && !await ask(t("media.delete_title", { name }), t("guests.delete_text"), t("media.delete"), t("common.cancel"))) return;
    const path = `/api/guests/${before.name}`;
    say(problem, "");
    try {
      if (before.enabled) await patch(path, { enabled: false });
    } catch (refusal) {
      return say(problem, why(refusal));
    }
    const finish = () => {
      clearTimeout(deleting);
      life.removeEventListener("abort", finish);
      window.removeEventListener("pagehide", leave);
      return request("DELETE", path).then(look, (refusal) => {
        back();
        say(problem, why(refusal));
      });
    };
    // The request has to outlive the page.
    const leave = () => fetch(path, { method: "DELETE", keepalive: true }).catch(() => {});
    const back = () => {
      clearTimeout(deleting);
      deleting = null;
      life.removeEventListener("abort", finish);
      window.removeEventListener("pagehide", leave);
      node.classList.remove("gone");
      fill(node, content);
      update(guest, told);
    };
    deleting = setTimeout(finish, UNDO_MS);
    life.addEventListener("abort", finish);
    window.addEventListener("pagehide", leave);
    const undo = h("button", { type: "button", class: "button", onclick: async () => {
      back();
      if (before.enabled) await change({ enabled: true });
      place.querySelector("summary")?.focus();
    } }, t("guests.undo"));
    node.classList.add("gone");
    fill(node, h("div", { class: "row" }, h("p", { class: "grow", role: "status" }, t("guests.deleted", { name })), undo));
    undo.focus();
  }

  function update(next, all) {
    [guest, told] = [next, all];
    if (deleting || !all) return;
    const name = nameOf(guest);
    const { state: now, way, tracks: sent, level_db: db } = guest;
    const isHere = isThere(guest);
    screen.hidden = !isHere;
    const isOnAir = now === "on_air" || now === "lost";
    // Let in before being there.
    const isAwaited = now === "connecting" && guest.admitted;
    const isFull = all.on_air >= all.most;
    say(title, name);
    node.dataset.state = now;
    dot.className = `dot ${DOTS[now] ?? "rests"}`;
    say(hide, t(isAwaited ? "guests.not_yet" : "guests.hide"));
    say(state, t(isAwaited ? "guests.awaited" : now === "connecting" ? `guests.connecting_${way === "send" ? "send" : "fetch"}` : `guests.state_${now}`));
    say(tracks, isHere && sent ? [
      sent.video ? `${sent.video.width}×${sent.video.height}` : t("guests.no_video"), sent.audio ? "" : t("guests.no_audio"),
      guest.picture ? "" : t("guests.picture_off"), guest.sound ? "" : t("guests.sound_off")].filter(Boolean).join(" · ") : "");
    sayOf(wrong, .../^(removed|off)$/.test(now) ? ["", true] : troubleOf(guest));
    image.alt = t("guests.picture_of", { name });
    const hears = isHere && Boolean(sent?.audio) && guest.sound;
    bar.hidden = !hears;
    level.style.transform = `scaleX(${share(db ?? -100)})`;
    bar.setAttribute("aria-label", t("guests.level_of", { name }));
    bar.setAttribute("aria-valuenow", String(Math.max(-60, Math.round(db ?? -60))));
    bar.setAttribute("aria-valuetext", t((db ?? -100) > -55 ? "guests.heard" : "meter.silent"));

    admit.hidden = now !== "waiting" && now !== "connecting" || isAwaited;
    hide.hidden = !isOnAir && !isAwaited;
    kick.hidden = !isOnAir;
    allow.hidden = now !== "removed";
    begin.hidden = now !== "off";
    for (const one of [admit, hide, kick, allow, begin]) one.setAttribute("aria-label", joint([one.textContent, name]));
    admit.classList.toggle("solid", now === "waiting");
    admit.disabled = isFull;
    keys.hidden = !may.act;
    say(reason, !may.act ? "" : now === "removed" ? t("guests.removed_text") : now === "off" ? t("guests.off_text")
      : !admit.hidden && isFull ? t("guests.full", { most: all.most }) : now === "connecting" && !isAwaited ? t("guests.early") : "");

    const word = t(guest.mute ? "live.unmute" : "live.mute");
    if (mute.textContent !== word) mute.replaceChildren(icon(guest.mute ? "silent" : "sound"), word);
    mute.setAttribute("aria-label", joint([word, name]));
    mute.classList.toggle("muted", guest.mute);
    volume.node.querySelector("input").setAttribute("aria-label", joint([t("set.music.volume"), name]));
    volume.update(guest.volume);
    sound.hidden = !hears || !may.act;
    paintMenu();
  }

  return { node, update, focus, end };
}
