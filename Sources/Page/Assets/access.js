// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Who may use the box: the password, tokens for scripts, and the end of the session; and the factory reset.

import { get, post, request } from "./api.js";
import { field, fill, h, say, ask, toast, withEye } from "./dom.js";
import { why } from "./why.js";
import { sentences, t } from "./words.js";

export function accessPart(page, life) {
  const problem = h("p", { class: "problem", role: "alert" });
  const leave = async () => {
    say(problem, "");
    try {
      await post("/api/logout");
      page.leave();
    } catch (refusal) {
      // Whoever is no longer logged in has been led out already.
      if (refusal.status === 401) return;
      say(problem, sentences([why(refusal), t("access.still_in")]));
    }
  };
  return h("div", { class: "stack" },
    h("details", { class: "quiet" }, h("summary", null, t("access.change")), passwordForm(page)),
    h("details", { class: "quiet" }, h("summary", null, t("operator.title")), operatorForm(page)),
    h("div", { class: "row" }, h("button", { class: "button", onclick: leave }, t("access.leave"))), problem,
    h("details", { class: "quiet" }, h("summary", null, t("access.tokens")), tokens(life)));
}

const password = (label, autocomplete, options) => {
  const input = h("input", { type: "password", autocomplete, maxLength: 200, spellcheck: false, autocapitalize: "off" });
  const one = withEye(field(label, input, options), input, [t("password.show"), t("password.hide")]);
  return { input, one };
};

function passwordForm(page) {
  const old = password(t("access.old"), "current-password");
  const fresh = password(t("password.choose"), "new-password", { help: t("password.rule") });
  const clears = h("input", { type: "checkbox", class: "switch-box", role: "switch", checked: true });
  const clearsLine = h("label", { class: "switch-line", hidden: true }, clears, h("span", null,
    t("access.clears_tokens")));
  const look = () => get("/api/tokens").then((all) => {
    clearsLine.hidden = !all.length && !page.session.has_operator_password;
  }, () => {});
  look();
  addEventListener("tokens", () => clearsLine.isConnected && look());

  async function submit(event) {
    event.preventDefault();
    old.one.problem("");
    fresh.one.problem(fresh.input.value.length < 8 ? t("password.rule") : "");
    if (fresh.input.value.length < 8) return fresh.input.focus();
    const clearsAll = !clearsLine.hidden && clears.checked;
    try {
      await post("/api/password", { old: old.input.value, new: fresh.input.value, remove_tokens: clearsAll });
      if (clearsAll) page.session.has_operator_password = false;
      old.input.value = fresh.input.value = "";
      toast(t("access.changed"));
      dispatchEvent(new Event("tokens"));
    } catch (refusal) {
      (/wrong_password|too_many/.test(refusal.code) ? old : fresh).one.problem(why(refusal));
    }
  }
  return h("form", { class: "stack narrow", onsubmit: submit, noValidate: true }, old.one, fresh.one, clearsLine,
    h("div", { class: "row" }, h("button", { class: "button" }, t("access.change"))));
}

/** A second password, with which one may only operate. It needs the owner's. */
function operatorForm(page) {
  const yours = password(t("password.yours"), "current-password");
  const fresh = password(t("operator.title"), "off", { help: t("password.rule") });
  const remove = h("button", { type: "button", class: "button", hidden: !page.session.has_operator_password,
    onclick: () => send(null) }, t("operator.remove"));
  addEventListener("tokens", () => (remove.hidden = !page.session.has_operator_password));
  async function send(value) {
    fresh.one.problem("");
    yours.one.problem(yours.input.value ? "" : t("factory.no_password"));
    if (!yours.input.value) return yours.input.focus();
    try {
      await post("/api/operator_password", { new: value, password: yours.input.value });
      page.session.has_operator_password = value !== null;
      yours.input.value = fresh.input.value = "";
      dispatchEvent(new Event("tokens"));
      toast(t(value === null ? "operator.removed" : "operator.set"));
    } catch (refusal) {
      (/wrong_password|too_many/.test(refusal.code) ? yours : fresh).one.problem(why(refusal));
    }
  }
  function submit(event) {
    event.preventDefault();
    fresh.one.problem(fresh.input.value.length < 8 ? t("password.rule") : "");
    if (fresh.input.value.length < 8) return fresh.input.focus();
    send(fresh.input.value);
  }
  return h("form", { class: "stack narrow", onsubmit: submit, noValidate: true },
    h("p", { class: "help" }, t("operator.text")), yours.one, fresh.one,
    h("div", { class: "row" }, h("button", { class: "button" }, t("operator.do")), remove));
}

/** The factory reset: one key, which asks for the password. */
export function resetPart() {
  return h("div", { class: "row" }, h("button", { class: "button danger", type: "button", onclick: reset },
    t("factory.do")));
}

function reset() {
  const { input, one } = password(t("password.yours"), "current-password");
  const button = h("button", { class: "button danger solid" }, t("factory.do"));
  const dialog = h("dialog", { class: "dialog", "aria-label": t("factory.title") },
    h("form", { class: "stack", noValidate: true, onsubmit: submit },
      h("h2", null, t("factory.ask")), h("p", null, t("factory.text")), one,
      h("div", { class: "row end" },
        h("button", { class: "button", type: "button", onclick: () => dialog.close() }, t("common.cancel")), button)));
  async function submit(event) {
    event.preventDefault();
    one.problem(input.value ? "" : t("factory.no_password"));
    if (!input.value) return input.focus();
    button.disabled = true;
    try {
      await post("/api/factory_reset", { confirm: "reset", password: input.value });
      dialog.close();
      toast(t("factory.done"));
    } catch (refusal) {
      one.problem(why(refusal));
      button.disabled = false;
      input.focus();
    }
  }
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  input.focus();
}

function tokens(life) {
  const list = h("ul", { class: "lines" });
  const made = h("div", { role: "status" });
  const name = h("input", { type: "text", maxLength: 32, autocomplete: "off", spellcheck: false,
    autocapitalize: "off" });
  const scope = h("select", null, ["read", "operate", "control", "admin"].map((one) => h("option", { value: one },
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
      fill(list, h("li", { class: "problem" }, why(refusal)));
    }
  }

  async function remove(which) {
    if (!(await ask(t("token.remove_title", { name: which }), t("token.remove_text"), t("token.remove"),
      t("common.cancel")))) return;
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
      nameField.problem(why(refusal));
    }
  }

  load();
  // Another password may have removed them.
  addEventListener("tokens", load, { signal: life });
  return h("div", { class: "stack narrow" }, h("p", { class: "help" }, t("token.text")), list,
    h("form", { class: "stack", onsubmit: submit, noValidate: true }, nameField, field(t("token.scope"), scope),
      h("div", { class: "row" }, h("button", { class: "button" }, t("token.make")))), made);
}
