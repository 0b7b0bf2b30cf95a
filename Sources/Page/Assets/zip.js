// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// A ZIP file of files that are stored as they are (PKWARE APPNOTE 6.3, sections 4.3.7 and 4.3.12).

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  for (let i = 0; i < 8; i++) byte = byte & 1 ? 0xedb88320 ^ (byte >>> 1) : byte >>> 1;
  return byte;
});

function crc32(bytes) {
  let sum = ~0;
  for (const byte of bytes) sum = TABLE[(sum ^ byte) & 255] ^ (sum >>> 8);
  return ~sum >>> 0;
}

/** Makes the file from a list of {name, bytes}; names are ASCII. */
export function zip(files) {
  const parts = [];
  const directory = [];
  let offset = 0;
  const now = new Date();
  const time = (now.getHours() << 11) | (now.getMinutes() << 5) | (now.getSeconds() >> 1);
  const day = ((now.getFullYear() - 1980) << 9) | ((now.getMonth() + 1) << 5) | now.getDate();
  for (const { name, bytes } of files) {
    const letters = new TextEncoder().encode(name);
    const sum = crc32(bytes);
    const common = [[20, 2], [0, 2], [0, 2], [time, 2], [day, 2], [sum, 4], [bytes.length, 4], [bytes.length, 4],
      [letters.length, 2], [0, 2]];
    const head = record([[0x04034b50, 4], ...common]);
    parts.push(head, letters, bytes);
    directory.push(record([[0x02014b50, 4], [20, 2], ...common, [0, 2], [0, 2], [0, 2], [0, 4], [offset, 4]]), letters);
    offset += head.length + letters.length + bytes.length;
  }
  const size = directory.reduce((total, part) => total + part.length, 0);
  const count = files.length;
  const end = record([[0x06054b50, 4], [0, 2], [0, 2], [count, 2], [count, 2], [size, 4], [offset, 4], [0, 2]]);
  return new Blob([...parts, ...directory, end], { type: "application/zip" });
}

/** Little-endian numbers, each with its width in bytes. */
function record(fields) {
  const view = new DataView(new ArrayBuffer(fields.reduce((total, [, width]) => total + width, 0)));
  let at = 0;
  for (const [value, width] of fields) {
    if (width === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += width;
  }
  return new Uint8Array(view.buffer);
}
