// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The settings as a file, and back.

import { Refusal, download, request, stamp } from "./api.js";
import { ask, field, h, say, toast, withEye } from "./dom.js";
import { blame, savedText } from "./why.js";
import { t } from "./words.js";

const secretField = (label, autocomplete, help) => {
  const input = h("input", { type: "password", autocomplete, maxLength: 200, spellcheck: false });
  return { input, node: withEye(field(label, input, { help }), input, [t("password.show"), t("password.hide")]) };
};

/** The part. `reload`: shows the view anew, with other settings. */
export function backupPart(reload) {
  const problem = h("p", { class: "problem", role: "alert" });
  const phrase = secretField(t("backup.phrase"), "new-password", t("backup.phrase_help"));
  const own = secretField(t("password.yours"), "current-password");
  const opening = secretField(t("backup.phrase"), "off", t("backup.opening_help"));
  opening.node.hidden = true;
  const file = h("input", { type: "file", accept: ".toml,.txt", class: "unseen", tabindex: "-1", "aria-hidden": "true",
    onchange: pick });
  const again = h("button", { class: "button", type: "button", hidden: true, onclick: () => take() },
    t("backup.open"));
  let chosen = "";

  async function save(event) {
    event.preventDefault();
    for (const { node } of [phrase, own]) node.problem("");
    if (phrase.input.value.length < 8) return phrase.node.problem(t("password.rule")), phrase.input.focus();
    try {
      const response = await fetch("/api/settings/export", { method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ passphrase: phrase.input.value, password: own.input.value }) });
      if (!response.ok) throw new Refusal(response.status, await response.json().catch(() => undefined));
      download(await response.blob(), `onair-settings-secret-${stamp()}.txt`);
      phrase.input.value = own.input.value = "";
      toast(t("backup.saved"));
    } catch (error) {
      const refusal = error instanceof Refusal ? error : new Refusal(0);
      (/password/.test(refusal.code) ? own : phrase).node.problem(blame(refusal, {}));
    }
  }

  async function pick() {
    const [one] = file.files;
    file.value = "";
    if (!one) return;
    chosen = await one.text();
    opening.input.value = "";
    take();
  }

  async function take() {
    say(problem, "");
    opening.node.problem("");
    const body = { text: chosen };
    if (opening.input.value) body.passphrase = opening.input.value;
    try {
      await request("POST", "/api/settings/import?check=true", body);
      if (!(await ask(t("backup.ask"), t("backup.ask_text"), t("backup.take"), t("common.cancel")))) return;
      const { changes } = await request("POST", "/api/settings/import", body);
      toast(savedText(changes));
      reload();
    } catch (refusal) {
      if (/passphrase/.test(refusal.code)) {
        opening.node.hidden = again.hidden = false;
        if (opening.input.value) opening.node.problem(t("backup.wrong_phrase"));
        return opening.input.focus();
      }
      say(problem, blame(refusal, {}));
    }
  }

  return h("div", { class: "stack" },
    h("div", { class: "row" },
      h("a", { class: "button", href: "/api/settings/export", download: "onair-settings.toml" }, t("backup.plain")),
      file, h("button", { class: "button", type: "button", onclick: () => file.click() }, t("backup.load"))),
    h("div", { class: "stack narrow" }, opening.node, again), problem,
    h("details", { class: "quiet" }, h("summary", null, t("backup.secret")),
      h("form", { class: "stack narrow", onsubmit: save, noValidate: true },
        h("p", { class: "help" }, t("backup.secret_text")), phrase.node, own.node,
        h("div", { class: "row" }, h("button", { class: "button" }, t("backup.secret"))))));
}
