// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The page: who may use it, which view is shown, and what stands above all views.

import { access, get } from "./api.js";
import { box } from "./box.js";
import { announce, ask, fill, h, icon, say } from "./dom.js";
import { confirm } from "./network.js";
import { hasLamp, heardSource, load, setting, sourceOf } from "./settings.js";
import { left, reading, timeOf, title, view, what } from "./state.js";
import { why } from "./why.js";
import { helpPage, loadWords, sentences, speak, t } from "./words.js";

const VIEWS = ["broadcast", "picture", "sound", "recordings", "guests", "schedule", "setup", "engineer"];
/** A narrow screen shows the others under "More". */
const NEAR = 4;
const AGAIN_MS = 2_000;
const main = document.getElementById("main");
const top = document.getElementById("top");
const banner = document.getElementById("banner");
const skip = document.querySelector(".skip");

/** The views that somebody may use: who only operates has nothing to set up. */
const views = () => (page.session?.scope === "operate" ? ["broadcast", "guests"] : VIEWS);

/** What the views share. */
const page = { session: null, show, go, enter, leave, changeLanguage };

let current = null;
let life = null;
let isFirst = true;
/** Counts the views that were asked for: only the last one is shown. */
let asked = 0;
/** Why the key for the pause did not work; "" if it did. */
let refused = "";
/** Whether the view that was asked for could not be loaded. */
let isMissing = false;
/** Why there is no session any more: the name of a text; "" while there is one, or where a person has asked for that. */
let goneBy = "";

/** Shows a view by its name, or a part of it, and leaves the one before as soon as the new one is there. */
async function show(name, part) {
  const number = ++asked;
  const next = new AbortController();
  let module, content;
  try {
    module = await import(`./${name}.js`);
    content = await module.view(page, next.signal, part);
  } catch (error) {
    next.abort();
    // Whoever is no longer logged in is led to the login.
    if (number === asked && error.status !== 401) showAgain(name, part, number, Boolean(module));
    return;
  }
  if (number !== asked) return next.abort();
  life?.abort();
  // A question of the view before would be answered for this one.
  for (const one of document.querySelectorAll("dialog")) one.close();
  life = next;
  current = name;
  document.body.dataset.view = name;
  isMissing = false;
  warn();
  fill(main, content);
  frame();
  window.scrollTo(0, 0);
  main.querySelector("[data-here]")?.scrollIntoView();
  // Who uses a keyboard or a screen reader goes on in the new view; the first view has its own focus.
  if (!isFirst) (main.querySelector("[autofocus]") ?? main).focus({ preventScroll: true });
  else main.querySelector("[autofocus]")?.focus();
  isFirst = false;
  performance.mark("view");
  document.title = VIEWS.includes(name) ? `${t(`nav.${name}`)} · ${page.session.name}` : page.session.name;
}

/** Tries again to show a view that could not be loaded. The one before stays, and goes on. */
async function showAgain(name, part, number, hasModule) {
  isMissing = true;
  warn();
  // Whether the box answers at all, `warn` tells then.
  box.refresh();
  await new Promise((done) => setTimeout(done, AGAIN_MS));
  // Browsers keep the failure of an import: only a new page asks for the file again.
  const isThere = hasModule || (await get("/api/session").then(() => true, () => false));
  if (number !== asked) return;
  if (hasModule) show(name, part);
  // A pause that waits for the box would be forgotten.
  else if (isThere && !box.owes) location.reload();
  else showAgain(name, part, number, hasModule);
}

/** What cannot wait: the box does not answer, or a view could not be loaded. */
function warn() {
  const isLost = box.link === "lost" && box.status;
  // The broadcast says it in its own place.
  const lost = isLost && current !== "broadcast"
    ? sentences([t("state.no_answer"), box.owes ? t("live.kept", { keys: t("live.pause") }) : view(box.status, hasLamp())]) : "";
  const text = lost || refused || (box.link === "busy" ? t("banner.busy")
    : isMissing ? t(isLost ? "banner.view_lost" : "banner.view") : goneBy && t(goneBy));
  banner.classList.toggle("shown", text !== "");
  say(banner, text);
}

/** The bar above the views: the box and its state, and the ways to the views. */
function frame() {
  skip.textContent = t("nav.skip");
  skip.hidden = false;
  if (!VIEWS.includes(current)) return void fill(top);
  const state = h("a", { class: "tally", href: "#broadcast" }, h("i", { class: "lamp" }), h("span", null));
  const links = views().map((name, i) =>
    h("a", { href: `#${name}`, "aria-current": name === current && "page", class: i >= NEAR && "far" }, icon(name), h("span", null,
      t(`nav.${name}`))));
  const more = h("button", { type: "button", class: `more-views${VIEWS.indexOf(current) < NEAR ? "" : " here"}`, hidden: links.length <= NEAR },
    icon("more"), h("span", null, t("extra.more")));
  const nav = h("nav", { "aria-label": t("nav.name") }, links, more);
  const open = (isOpen) => {
    nav.classList.toggle("open", isOpen);
    more.setAttribute("aria-expanded", String(isOpen));
  };
  open(false);
  // A tap anywhere else closes it.
  document.addEventListener("click", ({ target }) => open(more.contains(target) && !nav.classList.contains("open")), { signal: life.signal });
  nav.addEventListener("keydown", ({ key }) => key === "Escape" && (open(false), more.focus()));
  // The broadcast has a larger one.
  const pause = h("button", { type: "button", class: "key pause-key", hidden: true, onclick: () => hold(pause) });
  fill(top,
    h("p", { class: "box-name" }, h("b", null, "OnAir"), h("span", null, page.session.name)),
    nav, state, pause,
    h("a", { class: "link", href: helpPage() }, t("nav.help")));
  const update = () => {
    if (!box.status) return;
    state.dataset.colour = reading(box.status).colour;
    const { broadcast } = box.status.intent;
    pause.hidden = current === "broadcast" || broadcast === "off";
    pause.classList.toggle("paused", broadcast === "paused");
    say(pause, t(broadcast === "paused" ? "live.resume" : "live.pause"));
    say(state.lastChild, `${title(box.status)} ${timeOf(box.status, box.elapsed())}`.trim());
  };
  update();
  box.on("status", update, life.signal);
  box.on("tick", update, life.signal);
}

/** Pauses from another view than the broadcast, or goes back to live: nobody opens a room by a slip. */
async function hold(key) {
  const { intent, presence } = box.status;
  const name = intent.broadcast === "paused" ? "resume" : "pause";
  const text = t(presence.audience === "nobody" ? "live.pause_text" : "view.all",
    { what: what(...left(intent, sourceOf("video"), heardSource())) });
  if (name === "resume" && !await ask(t("live.resume"), text, t("live.resume"), t("common.cancel"))) return;
  refused = "";
  key.disabled = true;
  // Without an answer it is kept, and said.
  const timer = setTimeout(warn, 1_500);
  try {
    const done = box.command(name);
    warn();
    await done;
  } catch (refusal) {
    refused = why(refusal);
  }
  clearTimeout(timer);
  key.disabled = false;
  warn();
}

/** Goes to one of the views, or a part of it, so that the browser's way back leads here. */
function go(name, part) {
  const place = part ? `${name}/${part}` : name;
  if (location.hash === `#${place}`) show(name, part);
  else location.hash = place;
}

/** Goes where the address says. */
function route() {
  const [name, part] = location.hash.slice(1).split("/");
  if (views().includes(name)) show(name, part);
  else show("broadcast");
}

/** Begins with a session: the guide if nothing is set up yet, else the view of the address. */
async function enter(session) {
  page.session = session;
  goneBy = "";
  box.open();
  await Promise.all([load(true), box.refresh()]);
  const url = setting("publish.url");
  if (url && !url.value && session.scope !== "operate") show("guide");
  else route();
}

/** Goes back to the login, without a session. `isAsked`: a person has logged out. */
async function leave(isAsked = true) {
  box.close();
  const before = page.session;
  page.session = await get("/api/session").catch(() => ({ ...before, logged_in: false }));
  goneBy = before.set_up && !page.session.set_up ? "banner.reset" : isAsked ? "" : "banner.logged_out";
  show("welcome");
}

async function changeLanguage(name) {
  if (await speak(name)) show(current);
}

let hasSignal = false;

/** While it is recorded off the air, the camera is open: each view says so. */
function signal({ record }) {
  if (hasSignal || !record?.off_air) return;
  hasSignal = true;
  import("./record.js").then((record) => record.signal(), () => (hasSignal = false));
}

function watch() {
  let linkBefore = "good";
  box.on("link", (link) => {
    warn();
    if (linkBefore === "lost" && link === "good" && box.status) announce(t("banner.back"));
    linkBefore = link;
  });
  box.on("status", signal);
  box.on("session", () => leave(false));
  access.addEventListener("ended", () => page.session?.logged_in && leave(false));
  // A state is announced where its sentence is not shown.
  let before = null;
  box.on("status", (status) => {
    const { sentence } = reading(status);
    // The one before is not true any more.
    if (before !== null && before !== sentence) announce(current === "broadcast" ? "" : t(sentence));
    before = sentence;
  });
  window.addEventListener("hashchange", () => page.session?.logged_in && route());
  skip.addEventListener("click", (event) => {
    event.preventDefault();
    main.focus();
  });
}

async function begin() {
  watch();
  const both = Promise.all([loadWords(), get("/api/session")]);
  try {
    const [, session] = await both;
    page.session = session;
    confirm(session.network_change);
    if (session.logged_in) await enter(session);
    else show("welcome");
  } catch {
    await loadWords().catch(() => {});
    banner.classList.add("shown");
    say(banner, t("banner.lost"));
    setTimeout(() => location.reload(), 3_000);
  }
}

begin();
