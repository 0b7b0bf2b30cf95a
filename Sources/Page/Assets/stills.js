// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The images that viewers see in a pause, without a camera, and on a poor network.

import { Refusal, request } from "./api.js";
import { field, h, say, toast } from "./dom.js";
import { load, setting } from "./settings.js";
import { why } from "./why.js";
import { joint, t } from "./words.js";

const MOST_ZOOM = 4;

/** Three cards, each with its image. */
export function stillsPart() {
  return h("ul", { class: "stills" }, ["pause", "camera", "network"].map((name) => h("li", null, card(name))));
}

/** The setting that names each still. */
const KEYS = { pause: "pause.image", camera: "slate.camera_image", network: "slate.network_image" };
/** A still is kept in the largest size of the video: it stays sharp if the video becomes larger. */
const [MOST_WIDTH, MOST_HEIGHT] = [1_920, 1_080];

/** Width and height of a still: the shape of the video, as large as it can become. */
function shape() {
  const [width, height] = (setting("video.size")?.value ?? "1280x720").split("x").map(Number);
  const scale = Math.min(MOST_WIDTH / (width || MOST_WIDTH), MOST_HEIGHT / (height || MOST_HEIGHT));
  return { width: Math.round((width || MOST_WIDTH) * scale), height: Math.round((height || MOST_HEIGHT) * scale) };
}

function card(name) {
  const image = h("img", { alt: t(`still.${name}`), loading: "lazy", decoding: "async" });
  const problem = h("p", { class: "problem", role: "alert" });
  const file = h("input", { type: "file", accept: "image/png,image/jpeg,image/webp", class: "unseen",
    tabindex: "-1", "aria-hidden": "true", onchange: pick });
  const { width, height } = shape();
  const frame = h("div", { class: "still" }, image);
  frame.style.aspectRatio = `${width} / ${height}`;
  const reload = () => {
    image.src = `/api/stills/${name}?at=${Date.now()}`;
    // Only what was uploaded here can be removed here.
    taken.hidden = setting(KEYS[name])?.origin !== "run time";
  };
  const done = async () => {
    await load(true).catch(() => {});
    reload();
    toast(t("form.saved"));
  };

  async function pick() {
    const chosen = file.files[0];
    file.value = "";
    if (!chosen) return;
    say(problem, "");
    try {
      const blob = await crop(await createImageBitmap(chosen));
      if (!blob) return;
      await request("PUT", `/api/stills/${name}`, blob, blob.type);
      await done();
    } catch (error) {
      const isRefused = error instanceof Refusal;
      say(problem, isRefused ? why(error) : t("still.unreadable"));
    }
  }

  async function remove() {
    say(problem, "");
    try {
      await request("DELETE", `/api/stills/${name}`);
      await done();
    } catch (refusal) {
      say(problem, why(refusal));
    }
  }

  const title = t(`still.${name}`);
  const taken = h("button", { class: "link", onclick: remove, "aria-label": joint([title, t("still.remove")]) },
    t("still.remove"));
  reload();
  return h("div", { class: "stack" }, frame, h("div", null, h("h3", null, title), h("p", { class: "help" },
    t(`still.${name}_text`))),
    problem, file,
    h("div", { class: "row" },
      h("button", { class: "button", onclick: () => file.click(), "aria-label": joint([title, t("still.choose")]) },
        t("still.choose")),
      taken));
}

/** Lets a person place an image in the shape of the video. Resolves to a JPEG, or null. */
function crop(bitmap) {
  const { width, height } = shape();
  const canvas = h("canvas", { width, height, class: "crop", tabindex: "0", role: "img",
    "aria-label": t("crop.canvas") });
  const context = canvas.getContext("2d");
  const zoom = h("input", { type: "range", min: "0", max: "1", step: "0.01", value: "0.3", oninput: () => draw() });
  const fits = Math.min(width / bitmap.width, height / bitmap.height);
  const fills = Math.max(width / bitmap.width, height / bitmap.height);
  let [x, y] = [0.5, 0.5];

  function draw() {
    // From the whole image, over one without bars, to four times that.
    const value = Number(zoom.value);
    const scale = value < 0.3
      ? fits + (fills - fits) * (value / 0.3)
      : fills * (1 + ((value - 0.3) / 0.7) * (MOST_ZOOM - 1));
    const [w, v] = [bitmap.width * scale, bitmap.height * scale];
    const place = (size, room, at) => (size <= room ? (room - size) / 2 : (room - size) * at);
    context.fillStyle = "#000";
    context.fillRect(0, 0, width, height);
    context.drawImage(bitmap, place(w, width, x), place(v, height, y), w, v);
    return { w, v };
  }

  function move(dx, dy) {
    const { w, v } = draw();
    const limit = (value) => Math.max(0, Math.min(1, value));
    if (w > width) x = limit(x - dx / (w - width));
    if (v > height) y = limit(y - dy / (v - height));
    draw();
  }

  canvas.addEventListener("pointerdown", (event) => canvas.setPointerCapture(event.pointerId));
  canvas.addEventListener("pointermove", (event) => {
    const ratio = width / canvas.clientWidth;
    if (event.buttons) move(event.movementX * ratio, event.movementY * ratio);
  });
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [-24, 0], ArrowRight: [24, 0], ArrowUp: [0, -24], ArrowDown: [0, 24] }[event.key];
    if (!step) return;
    event.preventDefault();
    move(...step);
  });
  draw();

  return new Promise((resolve) => {
    const dialog = h("dialog", { class: "dialog big", "aria-label": t("crop.title") },
      h("h2", null, t("crop.title")), h("p", { class: "help" }, t("crop.text")), canvas,
      field(t("crop.zoom"), zoom),
      h("div", { class: "row end" },
        h("button", { class: "button", onclick: () => dialog.close("") }, t("common.cancel")),
        h("button", { class: "button solid", autofocus: true, onclick: () => dialog.close("yes") }, t("crop.use"))));
    dialog.addEventListener("close", () => {
      dialog.remove();
      if (dialog.returnValue !== "yes") return resolve(null);
      canvas.toBlob(resolve, "image/jpeg", 0.92);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
