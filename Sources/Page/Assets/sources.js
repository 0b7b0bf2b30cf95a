// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Camera and microphone: lists of what is plugged in; a choice counts at once.

import { get } from "./api.js";
import { box } from "./box.js";
import { announce, field, h, say, toast } from "./dom.js";
import { change, load, onUndone, setting } from "./settings.js";
import { savedText, why } from "./why.js";
import { sentences, t, tryWord } from "./words.js";

/** What a source is called that is no first device. `devices`: of the box, if they are known. */
export const sourceName = (key, value, devices) => tryWord(`choice.${key}.${value}`,
  [devices?.cameras, devices?.microphones].flat().find((one) => one?.value === value)?.name ?? value.replace(/^\w+:(.*\/)?/, ""));

/** The camera whose sound a microphone is. */
const cameraOf = (devices, { value }) => devices?.cameras.find(({ microphone }) => microphone === value);

/** What a microphone is called, whether it is the first, and which camera it comes with. */
export function microphoneName(devices, one) {
  const camera = cameraOf(devices, one);
  return [one.name, one.first && t("source.is_first"), camera && t("source.comes_with", { name: camera.name })].filter(Boolean).join(" · ");
}

/** The two lists, each with what is wrong beneath it. `toldDevices`: is given the devices of the box as they change. */
export function sources(life, toldDevices) {
  const node = h("div", { class: "pair" });
  let devices = null;
  let lists = [];
  /** Why the last change of a list does not count. */
  const refused = {};

  function list(key, found, label, first) {
    const current = () => setting(key)?.value ?? first;
    const select = h("select", {
      onchange: async () => {
        select.disabled = true;
        delete refused[key];
        try {
          toast(savedText(await change({ [key]: select.value })));
        } catch (refusal) {
          refused[key] = why(refusal);
          select.value = current();
        }
        select.disabled = false;
        select.focus();
        for (const one of lists) one.tell();
      },
    });
    const usable = found.find((one) => !one.problem);
    const options = [[first, usable ? t("source.first", { name: usable.name }) : t("source.nothing")]];
    const isCamera = key === "video.source";
    const nameOf = (one) => (!isCamera ? microphoneName(devices, one)
      : one.microphone ? `${one.name} · ${t("source.with_sound")}` : one.name);
    found.forEach((one) => options.push([one.value, nameOf(one)]));
    const others = isCamera ? ["pattern"] : ["silence", "tone"];
    others.forEach((name) => options.push([name, t(`choice.${key}.${name}`)]));
    if (!options.some(([value]) => value === current())) options.push([current(), sourceName(key, current())]);
    select.append(...options.map(([value, text]) => h("option", { value }, text)));
    select.value = current();
    const result = field(label, select);
    const sound = h("p", { class: "help" });
    result.append(sound);
    const tell = () => {
      const isFirst = select.value === first;
      const chosen = isFirst ? (usable ?? found[0]) : found.find((one) => one.value === select.value);
      const texts = [refused[key], chosen?.problem, isFirst && !usable && devices
        && t(isCamera ? "source.plug" : "source.plug_or_silence")];
      result.problem(sentences(texts));
      say(sound, isCamera && chosen ? soundOf(chosen) : "");
      sound.hidden = !sound.textContent;
    };
    tell();
    return Object.assign(result, { tell });
  }

  /** Whether the sound of a camera comes along. */
  function soundOf({ microphone }) {
    const one = devices.microphones.find(({ value }) => value === microphone);
    if (!one) return t("source.no_sound");
    const heard = setting("audio.source")?.value;
    const isHeard = heard === one.value || heard === "microphone" && one.first;
    return t(isHeard ? "source.sound_heard" : "source.sound_unheard", { name: one.name });
  }

  function paint() {
    const { cameras, microphones } = devices ?? { cameras: [], microphones: [] };
    lists = [
      list("video.source", cameras, t("source.camera"), "camera"),
      list("audio.source", microphones, t("source.microphone"), "microphone")];
    const focused = [...node.querySelectorAll("select")].indexOf(document.activeElement);
    node.replaceChildren(...lists);
    if (focused >= 0) node.querySelectorAll("select")[focused].focus();
  }

  async function look() {
    try {
      const found = await get("/api/devices");
      const isSame = JSON.stringify(found) === JSON.stringify(devices);
      devices = found;
      if (!isSame && !life.aborted) toldDevices?.(found);
      if (!isSame && !life.aborted && !node.contains(document.activeElement)) paint();
    } catch {
      // The lists stay as they are; the banner tells when the box is gone.
    }
  }

  paint();
  look();
  onUndone(life, (keys, sentence) => {
    for (const key of keys) refused[key] = sentence;
    paint();
    announce(sentence);
  });
  // A file of the box may be chosen as source elsewhere.
  box.on("event", async (event) => {
    if (event.code !== "settings_changed" || !box.isNew(event)) return;
    await load(true).catch(() => {});
    if (!life.aborted && !node.contains(document.activeElement)) paint();
  }, life);
  // What is plugged in meanwhile appears by itself.
  const timer = setInterval(() => !document.hidden && look(), 5_000);
  life.addEventListener("abort", () => clearInterval(timer));
  return node;
}
