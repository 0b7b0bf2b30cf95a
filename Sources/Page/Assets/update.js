// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The system of a box that was made from an image: its version, and updates.

import { get, post, request } from "./api.js";
import { box } from "./box.js";
import { field, h, say } from "./dom.js";
import { why } from "./why.js";
import { t } from "./words.js";

const AGAIN_MS = 3_000;
/** For a large file over a slow Wi-Fi. */
const UPLOAD_MS = 1_200_000;

/** The part; null on other systems. */
export async function updatePart(life) {
  let state = await get("/api/update").catch(() => null);
  if (!state?.available) return null;
  let timer = null;
  const now = h("p", { role: "status" });
  const said = h("p", { class: "help", lang: "en", role: "status" });
  const problem = h("p", { class: "problem", role: "alert" });
  const file = h("input", { type: "file", accept: ".raucb", class: "unseen", tabindex: "-1", "aria-hidden": "true",
    onchange: pick });
  const older = h("input", { type: "checkbox", class: "switch-box", role: "switch" });
  const plain = h("p", { class: "help", role: "status" });
  const address = h("input", { type: "url", maxLength: 1_000, autocomplete: "off", spellcheck: false,
    placeholder: "https://",
    oninput: () => say(plain, /^\s*http:/i.test(address.value) ? t("update.plain") : "") });
  const live = h("p", { class: "help" });
  const forms = h("div", { class: "stack" },
    h("div", { class: "row" }, file, h("button", { class: "button", onclick: () => file.click() }, t("update.file"))), live,
    h("form", { class: "stack narrow", noValidate: true, onsubmit: fetchIt }, field(t("update.address"), address), plain,
      h("div", { class: "row" }, h("button", { class: "button" }, t("update.fetch")))),
    h("label", { class: "switch-line" }, older, h("span", null, t("update.older"))),
    h("p", { class: "help" }, t("update.older_help")));

  function paint() {
    const { version } = state;
    say(now, [box.status && t("update.version", box.status), version && t("update.system", { version }),
      state.state !== "idle" && t(`update.${state.state}`)].filter(Boolean).join(" "));
    say(said, state.sentence ?? "");
    forms.hidden = state.state !== "idle";
    const isLive = Boolean(box.status && box.status.intent.broadcast !== "off");
    for (const one of forms.querySelectorAll("button, input")) one.disabled = isLive;
    say(live, isLive ? t("refused.on_air") : "");
  }

  async function pick() {
    const chosen = file.files[0];
    file.value = "";
    if (!chosen) return;
    await send("receiving", () => request("PUT", `/api/update?older=${Number(older.checked)}`, chosen, "application/octet-stream", UPLOAD_MS),
      !/\.raucb$/i.test(chosen.name));
  }

  async function fetchIt(event) {
    event.preventDefault();
    await send("waiting", () => post("/api/update", { url: address.value.trim(), older: older.checked }));
    older.checked = false;
  }

  /** Makes a request, whose state is shown before the box tells it. `isOther`: the file's name is not that of an update. */
  async function send(begun, ask, isOther) {
    say(problem, "");
    state = { ...state, state: begun, sentence: "" };
    paint();
    try {
      await ask();
    } catch (refusal) {
      say(problem, isOther && refusal.code === "no_bundle" ? t("update.name") : why(refusal));
    }
    look();
  }

  async function look() {
    clearTimeout(timer);
    if (life.aborted) return;
    if (!document.hidden) {
      try {
        state = await get("/api/update");
        paint();
      } catch {
        // The banner tells when the box is gone.
      }
    }
    timer = setTimeout(look, AGAIN_MS);
  }

  paint();
  box.on("status", paint, life);
  timer = setTimeout(look, AGAIN_MS);
  life.addEventListener("abort", () => clearTimeout(timer));
  return h("div", { class: "stack" }, now, said, forms, problem);
}
