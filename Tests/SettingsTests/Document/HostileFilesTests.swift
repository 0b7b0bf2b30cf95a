// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Settings
import TestSupport
import Testing

/// Randomly damaged files: loading them terminates, and each problem has a valid position and contains no secret.
@Suite struct HostileFilesTests {
  private static let marker = "K3y9X7q2Zw8Pv5"

  private static let seeds = [
    """
    # OnAir
    [video]
    source = "camera:/dev/video0"  # the first
    size = "640x360"
    fps = 25
    gop_seconds = 1.5
    rotate = 90
    mirror = true
    [audio]
    source = 'tone'
    gain_db = -3.5
    delay_ms = +20
    [publish]
    url = "rtmp://live.example.com:1935/app/part?auth_key=K3y9X7q2Zw8Pv5&x=1"
    key = "K3y9X7q2Zw8Pv5"
    autostart = "never"
    [log]
    level = "debug"

    """,
    """
    publish = { url = "rtmp://[::1]/app?K3y9X7q2Zw8Pv5", "key" = 'K3y9X7q2Zw8Pv5' }
    video.fps = 0x1e
    video."bitrate_kbps" = 2_000
    state.'directory' = \"\"\"
    /tmp/\\
       onair\"\"\"
    audio = { source = "silence", channels = 1 }\r
    unknown.list = [ 1, [2, "]"], { a = 'K3y9X7q2Zw8Pv5' }, # c
     1979-05-27T07:32:00Z, 07:32:00, nan, -inf, 1e9 ]
    [[things.more]]
    "\\u00fcber" = '''K3y9X7q2Zw8Pv5'''
    [things.more.inner]
    x.y.z = false

    """,
  ]

  private static let tokens = [
    "[", "]", "[[", "]]", "{", "}", "=", ".", ",", "\"", "'", "\"\"\"", "'''", "#", "\n", "\r\n",
    "\r",
    "\\", "\\u0000", "\\uD800", "\\U0010FFFF", "\u{FEFF}", "\u{0}", "\u{7F}", "\u{2028}", "é", "👩‍👩‍👧",
    "-", "+", "_", "0x", "0b2", "1e", "nan", "inf", "true", "2024-02-30", "25:61:00", "07:32",
    "1979-05-27T00:32:00.999999999999-07:00", "9223372036854775808", "1e400", "key", "publish",
    "[publish]", "key = ", "video.", "= 1\n", "K3y9X7q2Zw8Pv5", "\t", "  ",
  ].map { Array($0.utf8) }

  private func mutated(_ random: inout SplitMix64) -> [UInt8] {
    var bytes = Array(Self.seeds[Int.random(in: 0..<Self.seeds.count, using: &random)].utf8)
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      let at = Int.random(in: 0...bytes.count, using: &random)
      let end = min(bytes.count, at + Int.random(in: 0...24, using: &random))
      switch Int.random(in: 0..<8, using: &random) {
      case 0 where at < bytes.count:
        bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 1 where at < bytes.count:
        bytes[at] = UInt8.random(in: .min ... .max, using: &random)
      case 2: bytes.removeSubrange(at..<end)
      case 3: bytes.insert(contentsOf: bytes[at..<end], at: Int.random(in: 0...at, using: &random))
      case 4: bytes.removeSubrange(at...)
      case 5:
        // Swap two lines.
        var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        lines.shuffle(using: &random)
        bytes = Array(lines.joined(separator: [0x0A]))
      default:
        let token = Self.tokens[Int.random(in: 0..<Self.tokens.count, using: &random)]
        bytes.insert(contentsOf: token, at: at)
      }
    }
    return bytes
  }

  /// A random sequence of tokens, or of characters of numbers and dates.
  private func random(_ random: inout SplitMix64) -> [UInt8] {
    if Bool.random(using: &random) {
      let signs = Array("0123456789012345+-_.:eExobTtZz ,infatrues".utf8)
      let letters = (0..<Int.random(in: 1...30, using: &random)).map { _ in
        signs[Int.random(in: 0..<signs.count, using: &random)]
      }
      return Array("[video]\nfps = ".utf8) + letters
    }
    return (0..<Int.random(in: 1...40, using: &random)).flatMap { _ in
      Self.tokens[Int.random(in: 0..<Self.tokens.count, using: &random)]
    }
  }

  @Test func neverACrashAlwaysAPlaceAndNoSecret() {
    // For a longer test: ONAIR_HOSTILE_FILES=100000.
    let wished = ProcessInfo.processInfo.environment["ONAIR_HOSTILE_FILES"]
    var failures = 0
    for seed in 0..<(wished.flatMap(UInt64.init) ?? 300) {
      var generator = SplitMix64(seed: seed)
      let bytes = seed.isMultiple(of: 5) ? random(&generator) : mutated(&generator)
      do throws(ConfigurationError) {
        let configuration = try load(bytes)
        // Only a part of the output: a mutation may have moved the marker to a place where no secret belongs.
        check("\(configuration.settings.publish.key) \(configuration.warnings)", seed)
      } catch {
        failures += 1
        for problem in error.problems { check(problem, in: bytes, seed) }
      }
    }
    // Otherwise the mutations would test nothing.
    #expect(failures > 100)
  }

  private func check(_ problem: Problem, in bytes: [UInt8], _ seed: UInt64) {
    guard case .file("onair.toml", let position) = problem.place else {
      Issue.record("\(problem) has no place, seed \(seed)")
      return
    }
    #expect(
      problem.description.hasPrefix("onair.toml:\(position.line):\(position.column): "))
    let lines = String(decoding: bytes, as: UTF8.self).unicodeScalars
      .split(separator: "\n", omittingEmptySubsequences: false)
    #expect((1...lines.count).contains(position.line), "\(problem), seed \(seed)")
    if lines.indices.contains(position.line - 1) {
      let columns = 1...lines[position.line - 1].count + 1
      #expect(columns.contains(position.column), "\(problem), seed \(seed)")
    }
    #expect(!problem.description.contains("\n"))
    check(problem.description, seed)
  }

  /// Not even four consecutive characters of the secret are shown.
  private func check(_ shown: String, _ seed: UInt64) {
    let letters = Array(Self.marker)
    for start in 0...(letters.count - 4) {
      let piece = String(letters[start..<start + 4])
      #expect(!shown.contains(piece), "seed \(seed)")
    }
  }

  /// TOML's types, and the type of `Declaration` that takes them, if any.
  private static let values: [(text: String, type: Declaration.ValueType?)] = [
    ("\"\"", .text), ("'K3y9X7q2Zw8Pv5'", .text), ("\"\"\"\nK3y9X7q2Zw8Pv5\"\"\"", .text),
    ("\"\\t\\u0001\\U0010FFFF\"", .text), ("'é'", .text), ("'\u{202E}👩‍👩‍👧'", .text),
    ("0", .wholeNumber), ("-1", .wholeNumber), ("9223372036854775807", .wholeNumber),
    ("-9223372036854775808", .wholeNumber), ("0xFF", .wholeNumber), ("0o7", .wholeNumber),
    ("0b1", .wholeNumber), ("1.5", .number), ("-0.0", .number), ("1e308", .number),
    ("inf", .number), ("-inf", .number), ("nan", .number), ("true", .flag), ("false", .flag),
    ("1979-05-27", nil), ("07:32:00", nil), ("1979-05-27T07:32:00", nil),
    ("1979-05-27T07:32:00.5-07:00", nil), ("[]", nil), ("['K3y9X7q2Zw8Pv5']", nil),
    ("[[1], {}]", nil), ("{}", nil), ("{ K3y9X7q2Zw8Pv5 = 'K3y9X7q2Zw8Pv5' }", nil),
  ]

  @Test(arguments: Settings.declarations.map(\.key))
  func everyTypeInEverySetting(_ key: String) throws {
    let declaration = try #require(Settings.declarations.first { $0.key == key })
    let name = key.dropFirst(declaration.section.count + 1)
    for (text, type) in Self.values {
      let isTaken =
        type == declaration.type || (type == .wholeNumber && declaration.type == .number)
      for (toml, place) in [
        ("# é\n\(key) = \(text)\n", "2:1"), ("[\(declaration.section)]\n\t\(name)=\(text)", "2:2"),
        ("\(declaration.section) = { \(name) = \(text) }", "1:\(declaration.section.count + 6)"),
      ] {
        let lines = complaints(toml, environment: [:])
        #expect(lines.count <= 1, "\(lines)")
        if !isTaken { #expect(lines.first?.contains("must be ") == true, "\(toml)") }
        if let line = lines.first {
          // A table in place of a value is reported at the position of its content.
          if !text.hasPrefix("{ ") { #expect(line.hasPrefix("onair.toml:\(place): \(key): ")) }
          #expect(line.contains(" \(key): "))
          check(line, 0)
        }
      }
      for line in complaints("", set: ["\(key)=\(text)"]) {
        #expect(line.hasPrefix("--set \(key): "))
        check(line, 0)
      }
    }
  }
}
