// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Writes nested MP4 boxes (ISO/IEC 14496-12, 4.2). All numbers are big-endian.
struct BoxWriter {
  /// The boxes written so far.
  private(set) var bytes: [UInt8] = []

  /// Writes a box. `body` writes its content.
  mutating func box(_ type: String, _ body: (inout BoxWriter) -> Void) {
    let start = bytes.count
    put32(0)
    bytes += type.utf8
    body(&self)
    patch32(UInt32(bytes.count - start), at: start)
  }

  /// Writes a full box: one that begins with a version and flags.
  mutating func box(
    _ type: String, version: UInt8, flags: UInt32 = 0, _ body: (inout BoxWriter) -> Void
  ) {
    box(type) { box in
      box.put32(UInt32(version) << 24 | flags)
      body(&box)
    }
  }

  mutating func put8(_ value: UInt8) { bytes.append(value) }
  mutating func put16(_ value: UInt16) { put(value) }
  mutating func put32(_ value: UInt32) { put(value) }
  mutating func put64(_ value: Int64) { put(UInt64(bitPattern: value)) }
  mutating func put(_ more: some Sequence<UInt8>) { bytes += more }
  mutating func putZeros(_ count: Int) { bytes += repeatElement(0, count: count) }

  /// Overwrites the four bytes at an offset.
  mutating func patch32(_ value: UInt32, at offset: Int) {
    for index in 0..<4 {
      bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (24 - 8 * index))
    }
  }

  private mutating func put<Number: FixedWidthInteger & UnsignedInteger>(_ value: Number) {
    for shift in stride(from: Number.bitWidth - 8, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> Number(shift)))
    }
  }
}
