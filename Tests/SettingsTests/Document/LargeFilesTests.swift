// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
import Settings
import TestSupport
import Testing

/// Reading any TOML file terminates with bounded memory and without a crash, and each problem has a position.
struct LargeFilesTests {
  /// In a process of its own: other tests run beside this one.
  @Test func memoryIsBounded() async {
    await #expect(processExitsWith: .success) {
      let before = LargeFilesTests.peakMB
      LargeFilesTests.readRandomDocuments()
      for (start, piece, end) in LargeFilesTests.large {
        let lines = complaints(LargeFilesTests.text(start, piece, end))
        #expect(lines.count <= 102, "\(start)\(piece)\(end)")
      }
      LargeFilesTests.readManyKeys()
      #expect(LargeFilesTests.peakMB - before < 256)
    }
  }

  /// Peak memory of this process in MB (getrusage(2), `ru_maxrss` is in KiB).
  private static var peakMB: Int {
    var usage = rusage()
    _ = unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return usage.ru_maxrss / 1_024
  }

  private static func pick(_ choices: [String], _ random: inout SplitMix64) -> String {
    choices.randomElement(using: &random) ?? ""
  }

  private static let scalars = [
    "0", "-9223372036854775808", "9223372036854775807", "9223372036854775808", "1_000", "0x_1",
    "0xDEADBEEF", "0o777", "0b1010", "1e400", "-1e-400", "6.626e-34", "inf", "-nan", "+inf", "true",
    "1979-05-27", "1979-05-27T07:32:00Z", "1979-05-27 07:32:00.123456789-07:00", "23:59:60",
    "2023-02-29", "0000-00-00", "07:32:00.999", "9999-12-31T23:59:59+23:59", "'a\u{301}'",
    "\"\\U0010FFFF\"", "\"\\uD800\"", "\"\\x41\"", "'\u{FE70}'", "\"\"\"\\\n \u{FE70}\"\"\"",
    "\u{FE70}", "'\u{FEFF}'", "\"\"\"a\"\"\"\"\"", "'''a'''''", "\"\u{85}\"", "'👩‍👩‍👧'", "'\u{7F}'",
  ]

  private static let names = [
    "a", "\"\"", "''", "video", "fps", "\"é\"", "é", "1", "-", "\"a.b\"", "'x y'", "\u{FEFF}",
    "true",
    "1979-05-27", "\"\\u0000\"",
  ]

  private static func value(_ depth: Int, _ random: inout SplitMix64) -> String {
    switch Int.random(in: 0..<(depth > 0 ? 4 : 2), using: &random) {
    case 2:
      let items = (0..<3).map { _ in value(depth - 1, &random) }
      return "[\(items.joined(separator: pick([",", " , ", ",\n"], &random)))]"
    case 3:
      return "{ \(key(&random)) = \(value(depth - 1, &random)), b = \(value(depth - 1, &random)) }"
    default: return pick(scalars, &random)
    }
  }

  private static func key(_ random: inout SplitMix64) -> String {
    (0..<Int.random(in: 1...4, using: &random)).map { _ in pick(names, &random) }
      .joined(separator: pick([".", " . "], &random))
  }

  private static func readRandomDocuments() {
    var wrong = 0
    for seed in 1_000..<1_500 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let lines = (0..<Int.random(in: 1...20, using: &random)).map { _ in
        switch Int.random(in: 0..<8, using: &random) {
        case 0: "[\(Self.key(&random))]"
        case 1: "[[\(Self.key(&random))]]"
        case 2: "# \(Self.pick(Self.scalars, &random))"
        default: "\(Self.key(&random)) = \(Self.value(4, &random))"
        }
      }
      let text = lines.joined(separator: Self.pick(["\n", "\r\n", "\n\n"], &random))
      let problems = complaints(text)
      wrong += problems.isEmpty ? 0 : 1
      #expect(problems.allSatisfy { $0.hasPrefix("onair.toml:") }, "seed \(seed)")
    }
    #expect(wrong > 400)
  }

  private static let large: [(String, String, String)] = [
    ("a = [", "1,", "]"), ("a = [", "{},", "]"), ("a = [", "[],", "]"), ("a = '", "x", "'"),
    ("a = \"", "\\u00e9", "\""), ("", "[[a]]\n", ""), ("", "x=1\n", ""), ("", "a.", "b = 1"),
    ("a = [", "[", "]"), ("a = ", "{a=", "1}"), ("[", "a.", "b]"), ("", "'a'.", "b = 1"),
    ("a = 1", "0", ""), ("a = 0.", "1", ""), ("a = '''", "\n", "'''"),
    ("a = \"\"\"", "\"\"x", "\"\"\""),
    ("# ", "é", ""), ("a = [", "1979-05-27,", "]"), ("", "\r\n", ""), ("", "\t", "a = 1"),
  ]

  /// Nearly 1 MiB.
  private static func text(_ start: String, _ piece: String, _ end: String) -> String {
    let count = ((1 << 20) - start.utf8.count - end.utf8.count) / piece.utf8.count
    return start + String(repeating: piece, count: count) + end
  }

  private static func readManyKeys() {
    let lines = complaints((0..<60_000).map { "k\($0) = \($0)\n" }.joined())
    #expect(lines.count == 101)
    #expect(lines.last == "onair.toml:60000:1: and 59900 more unknown keys")
  }
}
