// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Before there is a session: the first password, or the login.

import { request } from "./api.js";
import { field, h, icon, say } from "./dom.js";
import { look } from "./look.js";
import { t } from "./words.js";

export function view(page) {
  const { session } = page;
  const isFirst = !session.set_up;
  const password = h("input", {
    type: "password", autofocus: true, required: true, maxLength: 200, minLength: isFirst ? 8 : 1,
    autocomplete: isFirst ? "new-password" : "current-password", spellcheck: false, autocapitalize: "off",
  });
  const code = isFirst && session.needs_code
    ? h("input", { type: "text", required: true, maxLength: 64, autocomplete: "off", spellcheck: false,
      autocapitalize: "characters", placeholder: "XXXX-XXXX" })
    : null;
  const eye = h("button", { type: "button", class: "eye", onclick: () => reveal(password.type === "password") },
    icon("eye"));
  const reveal = (on) => {
    password.type = on ? "text" : "password";
    eye.setAttribute("aria-pressed", String(on));
    eye.setAttribute("aria-label", t("password.show"));
    eye.title = t(on ? "password.hide" : "password.show");
  };
  reveal(false);
  const wrapped = h("div", { class: "with-eye" });
  const passwordField = field(t(isFirst ? "password.choose" : "password.yours"), password,
    { help: isFirst ? t("password.rule") : undefined });
  password.replaceWith(wrapped);
  wrapped.append(password, eye);
  const codeField = code && field(t("password.code"), code, { help: t("password.code_help") });
  const button = h("button", { class: "key go" }, t(isFirst ? "password.set" : "welcome.again"));

  async function submit(event) {
    event.preventDefault();
    passwordField.problem("");
    codeField?.problem("");
    if (isFirst && password.value.length < 8) {
      passwordField.problem(t("password.rule"));
      return password.focus();
    }
    button.disabled = true;
    button.classList.add("working");
    try {
      const body = { password: password.value };
      if (code) body.code = code.value;
      const session = await request("POST", isFirst ? "/api/setup" : "/api/login", body);
      await page.enter(session);
    } catch (refusal) {
      const text = refusal.status === 0 ? t("banner.lost_short") : refusal.message || t("error.other");
      (codeField && /code/.test(refusal.code ?? "") ? codeField : passwordField).problem(text);
      if (refusal.retryAfter) countdown(refusal.retryAfter);
      else button.disabled = false;
      if (refusal.code === "already_set_up") page.leave();
      password.select();
    }
    button.classList.remove("working");
  }

  function countdown(seconds) {
    say(button, t("password.wait", { seconds }));
    if (seconds <= 0) {
      button.disabled = false;
      return say(button, t("welcome.again"));
    }
    setTimeout(() => countdown(seconds - 1), 1_000);
  }

  return h("div", { class: "gate" },
    h("div", { class: "gate-mark", "aria-hidden": "true" }, h("span", null), h("i", null)),
    h("p", { class: "gate-name" }, session.name),
    h("h1", null, t(isFirst ? "welcome.first" : "welcome.again")),
    isFirst && h("p", { class: "lead" }, t("welcome.text")),
    h("form", { class: "stack", onsubmit: submit, noValidate: true },
      h("input", { type: "text", name: "username", autocomplete: "username", value: "onair", class: "unseen",
        tabindex: "-1", "aria-hidden": "true", readOnly: true }),
      passwordField, codeField, button),
    !isFirst && h("p", { class: "help" }, t("welcome.forgotten")),
    look(page));
}
