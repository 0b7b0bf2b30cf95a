// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The control of one setting, by its type, choices and range.

import { field, h, withEye } from "./dom.js";
import { plain, rule } from "./why.js";
import { number, t, tryWord } from "./words.js";

const USUAL_SIZES = ["640x360", "854x480", "960x540", "1280x720", "1920x1080"];
/** Settings whose name says their unit already. */
const SAID = ["video.fps", "slate.fps", "audio.channels"];
/** Ranges with more steps than this get no slider: a finger could not place it. */
const MOST_STEPS = 400;

/**
 * Makes the field of a setting. `touch(value, isAsItWas)` is called at each change; a value of null goes back to the
 * file's value or the default.
 */
export function control(setting, touch) {
  const { key, type, unit, choices, minimum, maximum, secret } = setting;
  const label = tryWord(`set.${key}`, key.split(".")[1].replaceAll("_", " "));
  const was = setting.value;
  const ownHelp = tryWord(`help.${key}`, null);
  let read, main, more = [];
  const tell = () => {
    const value = read();
    touch(value, secret ? value === "" : value === was);
  };

  if (secret) {
    main = h("input", { type: "password", autocomplete: "off", spellcheck: false,
      placeholder: t(setting.is_set ? "key.is_set" : "key.is_not_set"), oninput: tell });
    read = () => main.value;
  } else if (type === "boolean") {
    main = h("input", { type: "checkbox", class: "switch-box", role: "switch", checked: was === true, onchange: tell });
    read = () => main.checked;
  } else if (choices.length) {
    ({ main, more, read } = choiceOf(setting, tell));
  } else if (type === "integer" || type === "number") {
    ({ main, more, read } = numberOf(setting, tell));
  } else {
    main = h("input", { type: "text", value: was ?? "", spellcheck: false, autocapitalize: "off",
      autocomplete: "off", oninput: tell });
    read = () => main.value;
    if (key === "video.size") {
      const id = "usual-sizes";
      more = [h("datalist", { id }, USUAL_SIZES.map((value) => h("option", { value })))];
      main.setAttribute("list", id);
    }
  }

  const allowed = rule(setting);
  const hasRule = type !== "boolean" && !choices.length;
  const node = field(label, main, {
    help: helpOf(setting), helpLanguage: ownHelp ? undefined : "en",
    note: unit && !SAID.includes(key) ? tryWord(`unit.${unit}`, unit) : "",
  });
  node.classList.add("setting");
  if (secret) withEye(node, main, [t("key.show"), t("key.hide")]);
  if (more.length) main.after(...more);
  // What was never set comes from nowhere.
  const isEmpty = secret && !setting.is_set;
  const back = setting.origin === "run time" && !isEmpty &&
    h("button", { type: "button", class: "link", onclick: () => {
      touch(null, false);
      node.classList.add("goes-back");
    } }, t("form.back"));
  // What is so for nearly all is not told.
  const told = [setting.effect !== "immediate" && t(`effect.${setting.effect}`),
    !isEmpty && setting.origin !== "default" && t(`origin.${setting.origin}`)].map((text) => text && h("span", null, text));
  const ruled = hasRule && (allowed ? h("span", null, allowed)
    : h("span", null, t("form.allowed"), " ", h("span", { lang: "en" }, setting.allowed)));
  node.append(h("p", { class: "fine" }, ruled,
    h("code", null, key), told,
    setting.origin !== "default" && !secret && setting.default !== "" && h("span", null, t("form.default",
      { value: String(setting.default) })),
    setting.pending && h("b", null, t("form.pending")), back,
    key === "audio.gain_db" && h("a", { class: "link", href: "#sound" }, t("loudness.listen"))));
  // The text of a mistake says the rule, too.
  const problem = (text) => {
    node.problem(text);
    if (ruled) ruled.hidden = Boolean(text);
  };
  return { node, problem, label, text: [label, ownHelp, setting.help, ...choices.map((one) => choiceName(key, one))].join(" ") };
}

/** What a choice of a setting is called. */
const choiceName = (key, choice) => tryWord(`${key === "log.level" ? "level" : `choice.${key}`}.${choice}`, choice);

/** The help of a setting, with its choices as they are called in the list. */
export const helpOf = ({ key, choices, help }) => choices.reduce((text, one) =>
  text.replace(new RegExp(`"${one}${one.endsWith(":") ? "[A-Z]+" : ""}"`, "g"), `“${choiceName(key, one).replace(" …", "")}”`),
plain(tryWord(`help.${key}`, help)));

/** Names to choose from; a name that ends with ":" takes a free part. */
function choiceOf({ key, type, choices, value: was, allowed }, tell) {
  const free = choices.filter((one) => one.endsWith(":"));
  const text = String(was);
  const start = choices.includes(text) ? text : (free.find((one) => text.startsWith(one)) ?? text);
  const all = choices.includes(start) ? choices : [start, ...choices];
  const main = h("select", { onchange: () => {
    rest.hidden = !main.value.endsWith(":");
    tell();
  } }, all.map((one) => h("option", { value: one }, choiceName(key, one))));
  main.value = start;
  const rest = h("input", {
    type: "text", spellcheck: false, autocapitalize: "off", autocomplete: "off", oninput: tell,
      hidden: !start.endsWith(":"),
    value: start.endsWith(":") ? text.slice(start.length) : "", "aria-label": allowed,
  });
  const read = () => {
    const value = main.value.endsWith(":") ? main.value + rest.value : main.value;
    return type === "integer" || type === "number" ? Number(value) : value;
  };
  return { main, more: free.length ? [rest] : [], read };
}

/** A number, with a slider where that helps. */
function numberOf({ type, minimum, maximum, value: was }, tell) {
  const step = type === "integer" ? 1 : (maximum - minimum) / 0.5 <= MOST_STEPS ? 0.5 : 1;
  const main = h("input", { type: "text", inputMode: type === "integer" && minimum >= 0 ? "numeric" : "text",
    value: String(was), class: "short", autocomplete: "off" });
  const read = () => (main.value.trim() === "" || Number.isNaN(Number(main.value)) ? main.value : Number(main.value));
  const span = minimum !== null && maximum !== null ? maximum - minimum : 0;
  const hasSlider = span > 1 && span / step <= MOST_STEPS;
  main.addEventListener("input", () => {
    if (slider && typeof read() === "number") slider.value = read();
    tell();
  });
  const slider = hasSlider && h("input", { type: "range", min: minimum, max: maximum, step, tabindex: "-1",
    "aria-hidden": "true" });
  if (slider) {
    slider.value = was;
    slider.addEventListener("input", () => {
      main.value = slider.value;
      tell();
    });
  }
  return { main, more: slider ? [slider] : [], read };
}
