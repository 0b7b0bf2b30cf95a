// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Before there is a session: the first password, or the login.

import { request } from "./api.js";
import { field, h, say, withEye } from "./dom.js";
import { look } from "./look.js";
import { steps } from "./steps.js";
import { why } from "./why.js";
import { helpPage, t } from "./words.js";

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
  const passwordField = withEye(field(t(isFirst ? "password.choose" : "password.yours"), password,
    { help: isFirst ? t("password.rule") : undefined }), password, [t("password.show"), t("password.hide")]);
  const codeField = code && field(t("password.code"), code,
    { help: t(session.password_lost ? "password.lost_help" : "password.code_help") });
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
      (codeField && /code/.test(refusal.code ?? "") ? codeField : passwordField).problem(why(refusal));
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
    isFirst && steps("password"),
    h("div", { class: "gate-mark", "aria-hidden": "true" }, h("span", null), h("i", null)),
    h("p", { class: "gate-name" }, t("welcome.name", { name: session.name })),
    h("h1", null, t(isFirst ? "welcome.first" : "welcome.again")),
    isFirst && h("p", { class: "lead" }, t("welcome.text")),
    h("form", { class: "stack", onsubmit: submit, noValidate: true },
      h("input", { type: "text", name: "username", autocomplete: "username", value: "onair", class: "unseen",
        tabindex: "-1", "aria-hidden": "true", readOnly: true }),
      passwordField, codeField, button),
    !isFirst && h("p", { class: "help" }, t("welcome.forgotten"), " ",
      h("a", { class: "in-text", href: `${helpPage()}#lost-password` }, t("welcome.forgotten_link"))),
    look(page));
}
