// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Finds boxes in MP4 data (ISO/IEC 14496-12).
public enum MP4Box {
  /// The range of bytes with the content of the first box of a type at the outermost level; `nil` if there is none.
  public static func contents(of type: String, in bytes: [UInt8]) -> Range<Int>? {
    var at = 0
    while at + 8 <= bytes.count {
      let length = bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
      guard length >= 8, length <= bytes.count - at else { return nil }
      if bytes[at + 4..<at + 8].elementsEqual(type.utf8) { return at + 8..<at + length }
      at += length
    }
    return nil
  }
}
