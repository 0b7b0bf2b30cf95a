// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Images for layers: uploaded, and drawn by the page while there is no picture.

import { get, request } from "./api.js";
import { h } from "./dom.js";
import { t } from "./words.js";

/** For a slow Wi-Fi. */
const UPLOAD_MS = 120_000;
/** Pixels of a side: no picture is larger. */
const MOST_PX = 1_920;

/** Images of the box, which they are drawn from while there is no picture: object URLs by the name of the file. */
const images = new Map();

/** The image of an uploaded file. Rejects with what is none, such as a zip. */
async function load(name) {
  const answer = await fetch(`/api/media/${encodeURIComponent(name)}`);
  const url = URL.createObjectURL(await answer.blob());
  await h("img", { src: url }).decode();
  return url;
}

/** An uploaded image; "" if it cannot be shown here. */
export async function imageOf(file) {
  const name = /^media\/(.+)$/.exec(file)?.[1];
  if (!name) return "";
  if (!images.has(name)) {
    images.set(name, load(name).catch(() => ""));
  }
  const url = await images.get(name);
  if (!url) images.delete(name);
  return url;
}

/** An image that the box can show: null if a file is none. Large ones become smaller, and other kinds a PNG. */
async function prepared(file) {
  let bitmap;
  try {
    bitmap = await createImageBitmap(file);
  } catch {
    return null;
  }
  const scale = Math.min(1, MOST_PX / Math.max(bitmap.width, bitmap.height));
  if (scale === 1 && /^image\/(png|jpeg)$/.test(file.type)) return file;
  const canvas = h("canvas", { width: Math.round(bitmap.width * scale), height: Math.round(bitmap.height * scale) });
  canvas.getContext("2d").drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  const type = file.type === "image/jpeg" ? "image/jpeg" : "image/png";
  return new Promise((done) => canvas.toBlob(done, type, 0.92));
}

/**
 * Uploads an image, and returns what settings call it. Throws a Refusal, or an Error with a text for people. `isWhole`: the
 * file is kept as it is, since it moves or is a zip.
 */
export async function upload(file, isWhole) {
  const image = isWhole ? file : await prepared(file);
  if (!image) throw new Error(t("picture.no_image", { name: file.name }));
  const { files } = await get("/api/media");
  const start = file.name.replace(/\.[^.]*$/, "").replace(/[/\p{C}]/gu, "").replace(/^\.+/, "").slice(0, 60) || "image";
  const end = isWhole ? file.name.split(".").at(-1) : image.type === "image/jpeg" ? "jpg" : "png";
  // The image of another layer is not replaced.
  let [name, count] = [`${start}.${end}`, 2];
  while (files.some((one) => one.name === name)) name = `${start}-${count++}.${end}`;
  await request("PUT", `/api/media/${encodeURIComponent(name)}`, image, "application/octet-stream", UPLOAD_MS);
  return `media/${name}`;
}
