// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Who may use the box: the password, tokens for scripts, and the end of the session.

import { get, post, request } from "./api.js";
import { field, fill, h, say, ask } from "./dom.js";
import { t } from "./words.js";

export function accessPart(page) {
  const problem = h("p", { class: "problem", role: "alert" });
  const leave = async () => {
    say(problem, "");
    try {
      await post("/api/logout");
      page.leave();
    } catch (refusal) {
      // Whoever is no longer logged in has been led out already.
      if (refusal.status === 401) return;
      say(problem, `${refusal.message || t("banner.lost_short")} ${t("access.still_in")}`);
    }
  };
  return h("div", { class: "stack" },
    h("details", { class: "quiet" }, h("summary", null, t("access.change")), passwordForm()),
    h("details", { class: "quiet" }, h("summary", null, t("access.tokens")), tokens()),
    h("details", { class: "quiet" }, h("summary", null, t("factory.title")), factoryReset()),
    h("div", { class: "row" }, h("button", { class: "button", onclick: leave }, t("access.leave"))), problem);
}

function passwordForm() {
  const old = h("input", { type: "password", autocomplete: "current-password", maxLength: 200 });
  const fresh = h("input", { type: "password", autocomplete: "new-password", maxLength: 200 });
  const oldField = field(t("access.old"), old);
  const freshField = field(t("password.choose"), fresh, { help: t("password.rule") });
  const done = h("p", { class: "done-text", role: "status" });
  async function submit(event) {
    event.preventDefault();
    oldField.problem("");
    freshField.problem(fresh.value.length < 8 ? t("password.rule") : "");
    say(done, "");
    if (fresh.value.length < 8) return fresh.focus();
    try {
      await post("/api/password", { old: old.value, new: fresh.value });
      old.value = fresh.value = "";
      say(done, t("access.changed"));
    } catch (refusal) {
      (refusal.status === 401 ? oldField : freshField).problem(refusal.message || t("banner.lost_short"));
    }
  }
  return h("form", { class: "stack narrow", onsubmit: submit, noValidate: true }, oldField, freshField, done,
    h("div", { class: "row" }, h("button", { class: "button" }, t("access.change"))));
}

/** What has to be typed. */
const WORD = "reset";

function factoryReset() {
  const word = h("input", { type: "text", maxLength: 20, autocomplete: "off", spellcheck: false, autocapitalize: "off" });
  const wordField = field(t("factory.type", { word: WORD }), word);
  const done = h("p", { class: "done-text", role: "status" });
  async function submit(event) {
    event.preventDefault();
    const isMeant = word.value.trim().toLowerCase() === WORD;
    wordField.problem(isMeant ? "" : t("factory.type", { word: WORD }));
    if (!isMeant) return word.focus();
    try {
      await post("/api/factory_reset", { confirm: WORD });
      word.value = "";
      say(done, t("factory.done"));
    } catch (refusal) {
      wordField.problem(refusal.message || t("banner.lost_short"));
    }
  }
  return h("form", { class: "stack narrow", onsubmit: submit, noValidate: true },
    h("p", { class: "help" }, t("factory.text")), wordField, done,
    h("div", { class: "row" }, h("button", { class: "button" }, t("factory.do"))));
}

function tokens() {
  const list = h("ul", { class: "lines" });
  const made = h("div", { role: "status" });
  const name = h("input", { type: "text", maxLength: 32, autocomplete: "off", spellcheck: false,
    autocapitalize: "off" });
  const scope = h("select", null, ["read", "control", "admin"].map((one) => h("option", { value: one },
    t(`scope.${one}`))));
  const nameField = field(t("token.for"), name, { help: t("token.rule") });

  async function load() {
    try {
      const all = await get("/api/tokens");
      fill(list, all.map((token) => h("li", null,
        h("span", null, h("b", null, token.name), " ", h("small", null,
          `${t(`scope.${token.scope}`)}, ${token.made.slice(0, 10)}`)),
        h("button", { class: "link", "aria-label": t("token.remove_named", { name: token.name }),
          onclick: () => remove(token.name) }, t("token.remove")))),
      !all.length && h("li", { class: "help" }, t("token.none")));
    } catch (refusal) {
      fill(list, h("li", { class: "problem" }, refusal.message || t("banner.lost_short")));
    }
  }

  async function remove(which) {
    if (!(await ask(t("token.remove_title", { name: which }), t("token.remove_text"), t("token.remove"),
      t("live.end_no")))) return;
    await request("DELETE", `/api/tokens/${encodeURIComponent(which)}`).catch(() => {});
    load();
  }

  async function submit(event) {
    event.preventDefault();
    nameField.problem("");
    if (!/^[A-Za-z0-9_-]{1,32}$/.test(name.value)) return nameField.problem(t("token.rule")), name.focus();
    try {
      const { token } = await post("/api/tokens", { name: name.value, scope: scope.value });
      const shown = h("code", { class: "token" }, token);
      const copy = h("button", { type: "button", class: "button", onclick: async () => {
        // Without HTTPS a page may not write to the clipboard: then the text is selected to be copied by hand.
        try {
          await navigator.clipboard.writeText(token);
          say(copy, t("token.copied"));
        } catch {
          getSelection().selectAllChildren(shown);
        }
      } }, t("token.copy"));
      fill(made, h("p", null, t("token.once")), shown, copy);
      name.value = "";
      load();
    } catch (refusal) {
      nameField.problem(refusal.message || t("banner.lost_short"));
    }
  }

  load();
  return h("div", { class: "stack narrow" }, h("p", { class: "help" }, t("token.text")), list,
    h("form", { class: "stack", onsubmit: submit, noValidate: true }, nameField, field(t("token.scope"), scope),
      h("div", { class: "row" }, h("button", { class: "button" }, t("token.make")))), made);
}
