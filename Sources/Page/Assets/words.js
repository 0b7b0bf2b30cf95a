// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The page's texts in the language of the reader. Sentences of the box are shown as they come.

let words = {};
/** The parts of the page whose own texts were loaded. */
const parts = new Set();

/** "en" or "zh". */
export const language = () => (document.documentElement.lang.startsWith("zh") ? "zh" : "en");

/** The help in the language of the reader. */
export const helpPage = () => (language() === "zh" ? "help-zh.html" : "help.html");

/** The answer to a request that first.js has made, once; null if there is none. */
export async function takeEarly(name) {
  const answer = globalThis.early?.[name];
  if (answer) globalThis.early[name] = null;
  const response = await answer;
  return response?.ok ? response : null;
}

/** The texts of an answer by their names: "group.name". */
async function read(answer) {
  if (!answer.ok) throw new Error("no texts");
  const groups = Object.entries(await answer.json());
  return Object.fromEntries(groups.flatMap(([group, texts]) => Object.entries(texts).map(([name, text]) => [`${group}.${name}`, text])));
}

/** Loads the texts of a language. */
export async function loadWords(name = language()) {
  const early = await takeEarly("words");
  const answers = [early ?? fetch(`${name}.json`), ...[...parts].map((part) => fetch(`${part}-${name}.json`))];
  words = Object.assign({}, ...await Promise.all(answers.map(async (one) => read(await one))));
}

/** Loads the texts of a part of the page, which the first view does not need. */
export async function loadWordsOf(part) {
  if (parts.has(part)) return;
  Object.assign(words, await read(await fetch(`${part}-${language()}.json`)));
  parts.add(part);
}

/** Chooses a language, and keeps the choice. Returns whether its texts could be loaded. */
export async function speak(name) {
  try {
    await loadWords(name);
  } catch {
    return false;
  }
  document.documentElement.lang = name === "zh" ? "zh-Hans" : "en";
  keep("onair.language", name);
  return true;
}

/** The text called `key`, with values for its {names}. */
export function t(key, values) {
  const text = words[key] ?? key;
  return values ? text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "") : text;
}

/** The text called `key`, or `other` if there is none. */
export const tryWord = (key, other) => words[key] ?? other;

const segmenter = globalThis.Intl?.Segmenter && new Intl.Segmenter("zh", { granularity: "word" });

/** A text in large letters. A line of Chinese ends between two words, where the style forbids other ends. */
export function large(text) {
  if (language() !== "zh" || !segmenter) return text;
  return [...segmenter.segment(text)].map(({ segment }) => segment).join("\u200b").replace(/\u200b(?=[，。：；？！、）])/g, "");
}

/** Parts of a line, without those that are empty. */
export const listed = (parts) => parts.filter(Boolean).join(language() === "zh" ? "，" : ", ");

/** Sentences one after the other, without those that are empty. */
export const sentences = (parts) => parts.filter(Boolean).join(language() === "zh" ? "" : " ");

/** What something is called, and what is said of it. */
export const joint = (parts) => parts.filter(Boolean).join(language() === "zh" ? "：" : ": ");

/** A number with the language's separators. */
export function number(value, digits = 0) {
  if (value === undefined || value === null) return "–";
  return value.toLocaleString(language(), { maximumFractionDigits: digits, minimumFractionDigits: digits });
}

/** Seconds as 1:02:03 or 2:03. */
export function clock(seconds) {
  const two = (n) => String(n).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return (hours ? `${hours}:${two(minutes)}` : minutes) + ":" + two(Math.floor(seconds) % 60);
}

/** The local time of day of an ISO time. */
export const timeOfDay = (time) => new Date(time).toLocaleTimeString(language(), { hourCycle: "h23" });

/** A choice that was kept in this browser; null if there is none. */
export function keptHere(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** Keeps a choice in this browser, where it allows that. */
export function keep(name, value) {
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch {
    // It counts until the page is closed.
  }
}
