// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Fragmented MP4 (ISO/IEC 14496-12) as it comes from the box: cut into initialization segments and fragments.

const HEADER = 8;

const typeAt = (bytes, at) => String.fromCharCode(bytes[at + 4], bytes[at + 5], bytes[at + 6], bytes[at + 7]);
const sizeAt = (bytes, at) => new DataView(bytes.buffer, bytes.byteOffset + at, 4).getUint32(0);

/** Cuts a stream of bytes into pieces that Media Source can take: "ftyp" with "moov", and "moof" with "mdat". */
export class Cutter {
  #rest = new Uint8Array(0);
  #piece = [];

  /** Takes bytes; returns the pieces that are complete: lists of {start: whether it is an initialization segment,
    bytes}. */
  take(bytes) {
    let all = bytes;
    if (this.#rest.length) {
      all = new Uint8Array(this.#rest.length + bytes.length);
      all.set(this.#rest);
      all.set(bytes, this.#rest.length);
    }
    const pieces = [];
    let at = 0;
    while (all.length - at >= HEADER) {
      const size = sizeAt(all, at);
      if (size < HEADER) throw new Error("not MP4");
      if (all.length - at < size) break;
      const type = typeAt(all, at);
      // A new header ends whatever came before it incomplete.
      if (type === "ftyp") this.#piece = [];
      this.#piece.push(all.slice(at, at + size));
      at += size;
      if (type === "moov" || type === "mdat") {
        pieces.push({ start: type === "moov", bytes: joined(this.#piece) });
        this.#piece = [];
      }
    }
    this.#rest = all.slice(at);
    return pieces;
  }
}

function joined(list) {
  const all = new Uint8Array(list.reduce((sum, bytes) => sum + bytes.length, 0));
  let at = 0;
  for (const bytes of list) {
    all.set(bytes, at);
    at += bytes.length;
  }
  return all;
}

/** The codecs of an initialization segment as RFC 6381 names them: "avc1.64001f,mp4a.40.2". */
export function codecsOf(bytes) {
  const codecs = [];
  const video = find(bytes, "avcC");
  if (video >= 0) {
    // AVCDecoderConfigurationRecord: version, profile, compatibility, level.
    const hex = [...bytes.subarray(video + 5, video + 8)].map((b) => b.toString(16).padStart(2, "0"));
    codecs.push(`avc1.${hex.join("")}`);
  }
  if (find(bytes, "mp4a") >= 0) codecs.push("mp4a.40.2");
  return codecs.join(",");
}

/** Where the four letters of a box stand, or -1. */
function find(bytes, name) {
  const codes = [...name].map((letter) => letter.charCodeAt(0));
  for (let at = 0; at + 4 <= bytes.length; at++) {
    if (codes.every((code, i) => bytes[at + i] === code)) return at;
  }
  return -1;
}
