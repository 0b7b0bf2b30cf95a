// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// The names of recordings.
enum RecordingName {
  /// The ending of each recording's name.
  static let ending = ".mp4"
  /// Most bytes of a name, so that it can be used on every file system and sent by other programs.
  static let mostBytes = 120
  /// The file that will be the next part of a running recording.
  static let next = ".onair-next.mp4"
  /// The file with the lengths, the marks and what is to be kept.
  static let book = ".onair-recordings"
  /// What begins the name of a deleted recording, until it is removed for good.
  static let deleted = ".deleted "
  /// What begins the name of a recording that was made before the clock was set.
  static let beforeClock = "before-clock-"

  /// Whether a file of this name can be a recording.
  static func isVisible(_ name: String) -> Bool { name.hasSuffix(ending) && !name.hasPrefix(".") }

  /// Whether a name begins and ends as those that `make` gives.
  static func isMade(_ name: String) -> Bool {
    guard isVisible(name) else { return false }
    let shape = name.prefix(19).map { $0.isASCII && $0.isNumber ? "0" : $0 }
    return name.hasPrefix(beforeClock) || String(shape) == "0000-00-00_00-00-00"
  }

  /// The name of a file without its ending.
  static func shown(_ name: String) -> String {
    name.hasSuffix(ending) ? String(name.dropLast(ending.count)) : name
  }

  /// 16 hexadecimal digits made of a name: FNV-1a with 64 bits.
  static func id(of name: String) -> String {
    let hash = name.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { hash, byte in
      (hash ^ UInt64(byte)) &* 0x100_0000_01b3
    }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }

  /// The name of a recording that begins now: "2026-11-25_19-01-29 Service.mp4", with "-2" and so on if it is taken.
  /// - Parameters:
  ///   - milliseconds: the local time as milliseconds since 1970-01-01; `nil` if the clock is not set.
  ///   - isTaken: whether a recording has this name.
  static func make(
    title: String, at milliseconds: Int64?, isTaken: (String) -> Bool
  ) -> String {
    guard let milliseconds else {
      var number = 1
      while isTaken(beforeClock + padded(number) + ending) { number += 1 }
      return beforeClock + padded(number) + ending
    }
    let time = WallClock.text(milliseconds).prefix(19)
      .map { $0 == "T" ? "_" : $0 == ":" ? "-" : String($0) }.joined()
    let title = safe(title)
    let base = title.isEmpty ? time : "\(time) \(title)"
    var (name, number) = (base, 1)
    repeat {
      let suffix = (number > 1 ? "-\(number)" : "") + ending
      name = cut(base, to: mostBytes - suffix.utf8.count) + suffix
      number += 1
    } while isTaken(name)
    return name
  }

  /// A text as the name of a recording, with its ending; `nil` if nothing of it can be used.
  static func asked(_ text: String) -> String? {
    var text = safe(text)
    if text.lowercased().hasSuffix(ending) { text = safe(String(text.dropLast(ending.count))) }
    let name = cut(text, to: mostBytes - ending.utf8.count)
    return name.isEmpty ? nil : name + ending
  }

  /// A text without what file systems refuse: control characters, `:"*<>?|\/`, and dots or blanks at its ends.
  static func safe(_ text: String) -> String {
    let kept = text.onOneLine.map { #":"*<>?|\/"#.contains($0) ? " " : $0 }
    let words = String(kept).split(separator: " ").joined(separator: " ")
    return trimmed(words)
  }

  private static func trimmed(_ text: String) -> String {
    var rest = text[...]
    while let last = rest.last, last == "." || last == " " { rest.removeLast() }
    while let first = rest.first, first == "." || first == " " { rest.removeFirst() }
    return String(rest)
  }

  /// The longest beginning of a text that has at most so many bytes.
  private static func cut(_ text: String, to bytes: Int) -> String {
    var rest = text[...]
    while rest.utf8.count > bytes { rest.removeLast() }
    return trimmed(String(rest))
  }

  private static func padded(_ number: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 6 - digits.utf8.count)) + digits
  }
}
