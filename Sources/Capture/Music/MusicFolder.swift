// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Posix

/// Lists the music in a folder.
enum MusicFolder {
  /// The most files of a folder that are played.
  static let maxFiles = 2_000

  private static let endings: Set<String> = [
    "aac", "ac3", "aif", "aifc", "aiff", "ape", "au", "caf", "flac", "m4a", "m4b", "mka", "mp2",
    "mp3", "mpga", "oga", "ogg", "opus", "tta", "voc", "w64", "wav", "weba", "wma", "wv",
  ]

  /// Whether a file's name has the ending of a sound. Films and pictures in the same folder are not played.
  static func isSound(_ name: String) -> Bool {
    name.split(separator: ".", omittingEmptySubsequences: false).dropFirst().last
      .map { endings.contains($0.lowercased()) } ?? false
  }

  /// The paths of the sounds in a folder, in natural order ("2" before "10"). Hidden files, symbolic links and folders
  /// in it are left out: nothing leads out of the folder.
  static func sounds(in folder: String) -> [String] {
    File.names(in: folder)
      .filter { !$0.hasPrefix(".") && isSound($0) && File.isRegular("\(folder)/\($0)") }
      .sorted(by: comesBefore).prefix(maxFiles).map { "\(folder)/\($0)" }
  }

  /// Whether a name comes before another one in natural order: numbers in it count by their value, and upper and lower
  /// case are the same.
  static func comesBefore(_ one: String, _ other: String) -> Bool {
    let (left, right) = (parts(one), parts(other))
    for (a, b) in zip(left, right) where a != b {
      if case .number(let x, let digits) = a, case .number(let y, let others) = b {
        return x == y ? digits < others : x < y
      }
      if case .text(let x) = a, case .text(let y) = b { return x < y }
      if case .number = a { return true }
      return false
    }
    return left.count == right.count ? one < other : left.count < right.count
  }

  private enum Part: Equatable {
    case number(UInt64, digits: Int)
    case text(String)
  }

  private static func parts(_ name: String) -> [Part] {
    var parts: [Part] = []
    var rest = name.lowercased()[...]
    while !rest.isEmpty {
      let digits = rest.prefix { "0123456789".contains($0) }
      if let number = UInt64(digits) {
        parts.append(.number(number, digits: digits.count))
        rest = rest.dropFirst(digits.count)
      } else {
        // More than nineteen digits are text.
        let text = digits.isEmpty ? rest.prefix { !"0123456789".contains($0) } : digits
        parts.append(.text(String(text)))
        rest = rest.dropFirst(text.count)
      }
    }
    return parts
  }

  /// Puts pieces into a random order whose first is not the last one of the order before.
  /// - Parameter last: the piece that was played last; `nil` if none was.
  static func shuffled(
    _ paths: [String], after last: String?, using random: inout some RandomNumberGenerator
  ) -> [String] {
    var order = paths.shuffled(using: &random)
    if order.count > 1, order.first == last {
      order.swapAt(0, Int.random(in: 1..<order.count, using: &random))
    }
    return order
  }
}
