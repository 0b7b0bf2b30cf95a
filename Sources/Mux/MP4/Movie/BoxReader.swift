// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Reads big-endian numbers and MP4 boxes from bytes that may be damaged: what does not fit is `nil`.
struct BoxReader {
  /// A box: its type, and a reader of its content.
  struct Box {
    let type: String
    var content: BoxReader
  }

  private let bytes: [UInt8]
  private var at: Int
  private let end: Int

  init(_ bytes: [UInt8]) { self.init(bytes, 0..<bytes.count) }

  private init(_ bytes: [UInt8], _ range: Range<Int>) {
    (self.bytes, at, end) = (bytes, range.lowerBound, range.upperBound)
  }

  /// The bytes that are left.
  var count: Int { end - at }

  mutating func take8() -> Int? { number(1) }
  mutating func take16() -> Int? { number(2) }
  mutating func take32() -> Int? { number(4) }
  /// Numbers beyond those of `Int` are refused.
  mutating func take64() -> Int? {
    guard let high = take32(), let low = take32(), high < 1 << 31 else { return nil }
    return high << 32 | low
  }

  /// The next bytes.
  mutating func take(_ count: Int) -> [UInt8]? {
    guard count >= 0, count <= self.count else { return nil }
    defer { at += count }
    return Array(bytes[at..<at + count])
  }

  /// Skips bytes.
  /// - Returns: `nil` if there are not that many.
  mutating func skip(_ count: Int) -> Void? {
    guard count >= 0, count <= self.count else { return nil }
    at += count
    return ()
  }

  /// The next box; `nil` at the end, or if the box does not fit into what is left.
  mutating func box() -> Box? {
    guard let size = take32(), let type = take(4), size >= 8, size - 8 <= count else { return nil }
    defer { at += size - 8 }
    return Box(
      type: String(decoding: type, as: UTF8.self), content: BoxReader(bytes, at..<at + size - 8))
  }

  /// A reader of the first box on a path of types below this one: `box(at: "mdia", "mdhd")`.
  func box(at path: String...) -> BoxReader? {
    var found = self
    for type in path {
      var rest = found
      var next: BoxReader?
      while next == nil, let box = rest.box() {
        if box.type == type { next = box.content }
      }
      guard let next else { return nil }
      found = next
    }
    return found
  }

  private mutating func number(_ size: Int) -> Int? {
    guard size <= count else { return nil }
    var value = 0
    for index in at..<at + size { value = value << 8 | Int(bytes[index]) }
    at += size
    return value
  }
}
