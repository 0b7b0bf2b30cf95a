// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Camera and microphone: lists of what is plugged in; a choice counts at once.

import { get } from "./api.js";
import { field, h } from "./dom.js";
import { change, setting } from "./settings.js";
import { t } from "./words.js";

/** The two lists. `said` gets what cannot be done. */
export function sources(life) {
  const node = h("div", { class: "pair" });
  let devices = { cameras: [], microphones: [] };

  function list(key, found, label, first) {
    const current = setting(key)?.value ?? first;
    const select = h("select", {
      onchange: async () => {
        select.disabled = true;
        try {
          await change({ [key]: select.value });
          box.problem("");
        } catch (refusal) {
          box.problem(refusal.message || t("error.other"));
          select.value = current;
        }
        select.disabled = false;
        select.focus();
      },
    });
    const options = [];
    // The one that "camera" chooses is the first of the list.
    if (found.length) options.push([first, t("source.first", { name: found[0].name })]);
    else options.push([first, t("source.nothing")]);
    found.forEach(({ value, name }) => options.push([value, name]));
    const others = key === "video.source" ? ["pattern"] : ["silence", "tone"];
    others.forEach((name) => options.push([name, t(`source.${name}`)]));
    if (!options.some(([value]) => value === current)) options.push([current, current]);
    select.append(...options.map(([value, text]) => h("option", { value }, text)));
    select.value = current;
    const box = field(label, select);
    if (!found.length && current === first) box.problem(t("source.plug"));
    return box;
  }

  function paint() {
    node.replaceChildren(
      list("video.source", devices.cameras, t("source.camera"), "camera"),
      list("audio.source", devices.microphones, t("source.microphone"), "microphone"));
  }

  async function look() {
    try {
      const found = await get("/api/devices");
      const isSame = JSON.stringify(found) === JSON.stringify(devices);
      devices = found;
      if (!isSame && !life.aborted && !node.contains(document.activeElement)) paint();
    } catch {
      // The lists stay as they are; the banner tells when the box is gone.
    }
  }

  paint();
  look();
  // What is plugged in meanwhile appears by itself.
  const timer = setInterval(() => !document.hidden && look(), 5_000);
  life.addEventListener("abort", () => clearInterval(timer));
  return node;
}
