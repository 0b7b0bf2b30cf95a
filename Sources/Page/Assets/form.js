// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// All settings as a form, made from the list that the box gives.

import { box } from "./box.js";
import { h, fill, say, toast } from "./dom.js";
import { control } from "./control.js";
import { agrees } from "./platforms.js";
import { change, check, load, onUndone } from "./settings.js";
import { labelOf, problemText, savedText, why } from "./why.js";
import { joint, t, tryWord } from "./words.js";

const CHECK_AFTER_MS = 400;

/** The search, and a group for each section. */
export function formPart(life) {
  const groups = h("div", { class: "groups" });
  const nothing = h("p", { class: "help", hidden: true }, t("form.nothing"));
  const search = h("input", { type: "search", placeholder: t("form.search"), "aria-label": t("form.search"),
    oninput: find });
  let all = [];

  async function paint() {
    const list = (await load()).filter((one) => !hasOwnPart(one));
    const sections = Map.groupBy ? Map.groupBy(list, sectionOf) : grouped(list);
    all = [...sections].map(([name, settings]) => group(name, settings, life));
    fill(groups, all.map((one) => one.node));
  }

  function find() {
    const text = search.value.trim().toLowerCase();
    let count = 0;
    // What a setting is called comes before what is said of it.
    for (const where of ["label", "text"]) if (!count) for (const one of all) count += one.find(text, where);
    nothing.hidden = count > 0;
    groups.append(...ranked(all, (one) => one.rank()).map((one) => one.node));
  }

  paint();
  box.on("event", async (event) => {
    if (event.code !== "settings_changed" || !box.isNew(event)) return;
    const list = await load(true).catch(() => []);
    if (!life.aborted) for (const one of all) one.follow(list);
  }, life);
  onUndone(life, async (keys, sentence) => {
    const list = await load();
    for (const one of all) one.undo(list.filter(({ key }) => keys.includes(key)), sentence);
  });
  return h("div", { class: "stack" }, search, nothing, groups);
}

/** How well a title fits what is sought, the best first: it begins with it, has the word, or a word that begins with it. */
export function rankOf(title, sought) {
  const text = title.toLowerCase();
  const words = text.split(/[^\p{L}\p{N}]+/u);
  return !sought || text.startsWith(sought) ? 0 : words.includes(sought) ? 1
    : words.some((one) => one.startsWith(sought)) ? 2 : 3;
}

/** The same as a number to sort by: of two that fit alike, the shorter one comes first. */
const orderOf = (title, sought) => (sought ? rankOf(title, sought) + title.length / 1000 : 0);

/** A list by rank; those of one rank stay in their order. */
const ranked = (list, rank) => list.map((one) => [rank(one), one]).sort(([a], [b]) => a - b).map(([, one]) => one);

const sectionOf = (setting) => setting.key.split(".")[0];
/** Relays have a part of their own; layers, tracks and guests have views. */
const hasOwnPart = (setting) => /^(relay|overlay|filter|track|guest|layout)$/.test(sectionOf(setting));

function grouped(list) {
  const map = new Map();
  for (const one of list) map.set(sectionOf(one), [...(map.get(sectionOf(one)) ?? []), one]);
  return map;
}

/** One section: its settings, what is changed and not saved, and the button. */
function group(name, settings, life) {
  const changed = new Map();
  const count = h("span", { class: "count" });
  const save = h("button", { class: "button solid", disabled: true }, t("form.save", { count: 0 }));
  const drop = h("button", { type: "button", class: "link", onclick: () => paint() }, t("form.drop"));
  const answer = h("div", { class: "answer", role: "status" });
  const foot = h("div", { class: "group-foot", hidden: true }, save, drop);
  const body = h("div", { class: "fields" });
  const form = h("form", { onsubmit: submit, noValidate: true }, body, foot, answer);
  const node = h("details", { class: "group" },
    h("summary", null, h("b", null, tryWord(`section.${name}`, name)), count), form);
  let fields = new Map();
  let sought = "";
  let where = "label";
  let timer = null;
  let serial = 0;

  /** Fields that are hidden come last. */
  const rank = (one) => (one.node.hidden ? 9 : orderOf(one.label, sought));
  const make = (one) => control(one, (value, isAsItWas) => touch(one.key, value, isAsItWas));

  function paint() {
    changed.clear();
    fields = new Map(settings.map((one) => [one.key, make(one)]));
    fill(body, [...fields.values()].map((one) => one.node));
    sift();
    show();
  }

  /** Shows only the fields that hold what is sought; returns how many. */
  function sift() {
    let count = 0;
    for (const [key, one] of fields) {
      const fits = !sought || `${key} ${one[where]} ${tryWord(`seek.${key}`, "")}`.toLowerCase().includes(sought);
      one.node.hidden = !fits;
      if (fits) count++;
    }
    return count;
  }

  function touch(key, value, isAsItWas) {
    if (isAsItWas) changed.delete(key);
    else changed.set(key, value);
    if (isAsItWas) fields.get(key).problem("");
    fill(answer);
    show();
    clearTimeout(timer);
    timer = setTimeout(test, CHECK_AFTER_MS);
  }

  function show() {
    foot.hidden = !changed.size;
    save.disabled = !changed.size;
    say(save, t("form.save", { count: changed.size }));
    say(count, changed.size ? t("form.unsaved", { count: changed.size }) : "");
  }

  function blame(problems) {
    for (const [key, one] of fields) {
      const found = problems.find((problem) => problem.key === key);
      one.problem(found ? problemText(found) : "");
    }
    const others = problems.filter((problem) => !fields.has(problem.key));
    fill(answer, others.map((problem) => h("p", { class: "problem" },
      joint([problem.key && labelOf(problem.key), problemText(problem)]))));
  }

  async function test() {
    if (!changed.size || life.aborted) return;
    const mine = ++serial;
    try {
      await check(Object.fromEntries(changed));
      if (mine === serial) blame([]);
    } catch (refusal) {
      if (mine === serial) blame(refusal.problems);
    }
  }

  async function submit(event) {
    event.preventDefault();
    clearTimeout(timer);
    serial++;
    if (!(await agrees(Object.fromEntries(changed)))) return;
    save.disabled = true;
    const [first] = changed.keys();
    try {
      const changes = await change(Object.fromEntries(changed));
      settings = (await load()).filter((one) => sectionOf(one) === name);
      paint();
      toast(savedText(changes));
      node.querySelector("summary").focus({ preventScroll: true });
      fields.get(first)?.node.scrollIntoView({ block: "nearest" });
    } catch (refusal) {
      blame(refusal.problems);
      if (!refusal.problems.length) fill(answer, h("p", { class: "problem" }, why(refusal)));
      save.disabled = false;
      body.querySelector("[aria-invalid=true]")?.focus();
    }
  }

  /** Makes the fields of these settings anew. */
  function take(mine) {
    for (const one of mine) {
      const old = fields.get(one.key);
      const field = make(one);
      field.node.hidden = old.node.hidden;
      old.node.replaceWith(field.node);
      fields.set(one.key, field);
      changed.delete(one.key);
    }
    settings = settings.map((old) => mine.find(({ key }) => key === old.key) ?? old);
  }

  paint();
  return {
    node,
    /** Takes the values of settings whose change was taken back, and says so. What is not saved yet stays. */
    undo(fresh, sentence) {
      const mine = fresh.filter(({ key }) => fields.has(key));
      take(mine);
      if (mine.length) fill(answer, h("p", { class: "problem", lang: "en" }, sentence));
      show();
    },
    /** Takes the values that are others now, by another part of the page or somebody else. */
    follow(fresh) {
      take(fresh.filter((one) => fields.has(one.key) && !changed.has(one.key)
        && JSON.stringify(one) !== JSON.stringify(settings.find(({ key }) => key === one.key))));
    },
    /** Shows only the settings that hold `text` there: in the "label", or also in the help ("text"); returns how many. */
    find(text, place) {
      [sought, where] = [text, place];
      const count = sift();
      node.hidden = !count;
      node.open = text ? count > 0 : node.open && Boolean(changed.size);
      body.append(...ranked([...fields.values()], rank).map((one) => one.node));
      return count;
    },
    /** The best rank of what is shown. */
    rank: () => Math.min(...[...fields.values()].map(rank)),
  };
}
