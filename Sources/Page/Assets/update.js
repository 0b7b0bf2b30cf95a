// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The system of a box that was made from an image: its version, and updates.

import { get, post, request } from "./api.js";
import { box } from "./box.js";
import { field, h, say } from "./dom.js";
import { why } from "./why.js";
import { language, sentences, t } from "./words.js";

const AGAIN_MS = 3_000;
/** For a large file over a slow Wi-Fi. */
const UPLOAD_MS = 1_200_000;

/** The part; null on other systems. */
export async function updatePart(life) {
  let state = await get("/api/update").catch(() => null);
  if (!state?.available) return null;
  let timer = null;
  const now = h("p", { role: "status" });
  const ended = h("p", { class: "help" });
  const said = h("p", { class: "help", lang: "en", role: "status" });
  /** Each beside its own key. */
  const [problem, addressProblem] = [1, 2].map(() => h("p", { class: "problem", role: "alert" }));
  const file = h("input", { type: "file", accept: ".raucb", class: "unseen", tabindex: "-1", "aria-hidden": "true",
    onchange: pick });
  const older = h("input", { type: "checkbox", class: "switch-box", role: "switch" });
  const plain = h("p", { class: "help", role: "status" });
  const address = h("input", { type: "url", maxLength: 1_000, autocomplete: "off", spellcheck: false,
    placeholder: "https://",
    oninput: () => say(plain, /^\s*http:/i.test(address.value) ? t("update.plain") : "") });
  const live = h("p", { class: "help" });
  const forms = h("div", { class: "stack" }, live,
    h("div", { class: "row" }, file, h("button", { class: "button", onclick: () => file.click() }, t("update.file"))), problem,
    h("form", { class: "stack narrow", noValidate: true, onsubmit: fetchIt }, field(t("update.address"), address), plain,
      h("div", { class: "row" }, h("button", { class: "button" }, t("update.fetch"))), addressProblem),
    h("label", { class: "switch-line" }, older, h("span", null, t("update.older"))),
    h("p", { class: "help" }, t("update.older_help")));

  function paint() {
    const { version } = state;
    say(now, sentences([box.status && t("update.version", box.status), version && t("update.system", { version }),
      state.state !== "idle" && t(`update.${state.state}`)]));
    const sentence = state.sentence ?? "";
    // The box says the reason of a failure in English alone.
    const isDone = sentence.endsWith(" is confirmed: it can stream.");
    const isOver = state.state === "idle" && sentence !== "";
    say(ended, language() === "zh" && isOver ? t(`event.${isDone ? "updated" : "update_failed"}`) : "");
    say(said, language() === "zh" && (isDone || !isOver) ? "" : sentence);
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
      problem, !/\.raucb$/i.test(chosen.name));
  }

  async function fetchIt(event) {
    event.preventDefault();
    await send("waiting", () => post("/api/update", { url: address.value.trim(), older: older.checked }), addressProblem);
    older.checked = false;
  }

  /**
   * Makes a request, whose state is shown before the box tells it. `place` shows why the box refuses. `isOther`: the file's name
   * is not that of an update.
   */
  async function send(begun, ask, place, isOther) {
    say(problem, "");
    say(addressProblem, "");
    state = { ...state, state: begun, sentence: "" };
    paint();
    try {
      await ask();
    } catch (refusal) {
      say(place, isOther && refusal.code === "no_bundle" ? t("update.name") : why(refusal));
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
  return h("div", { class: "stack" }, now, ended, said, forms);
}
