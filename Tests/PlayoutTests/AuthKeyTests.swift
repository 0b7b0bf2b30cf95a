// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Testing

@testable import Playout

struct AuthKeyTests {
  private let secret = Secret("0123456789abcdef")
  /// printf %s /live/programme.flv-2000000000-r4nd-7-0123456789abcdef | md5sum
  private let hash = "5c5c4f9ca7d0ff1787b354f8618651cb"
  private var text: String { "2000000000-r4nd-7-\(hash)" }

  private func opens(
    _ text: String, _ path: String = "/live/programme.flv", now: Int64 = 1_999_999_999
  ) -> Bool {
    AuthKey(text)?.opens(path, secret: secret, now: now) ?? false
  }

  @Test func aKeyOpensItsOwnPathUntilItExpires() {
    #expect(opens(text))
    #expect(opens("2000000000-r4nd-7-\(hash.uppercased())"))
    #expect(!opens(text, now: 2_000_000_000), "expired")
    #expect(!opens(text, "/live/programme.m3u8"))
    let other = Secret("0123456789abcdeF")
    #expect(AuthKey(text)?.opens("/live/programme.flv", secret: other, now: 0) == false)
  }

  @Test(arguments: ["2000000001-r4nd-7-", "2000000000-r4nd-8-", "2000000000-R4nd-7-"])
  func whatIsSignedCannotBeChanged(_ start: String) { #expect(!opens(start + hash)) }

  /// A hash that is wrong in any one digit is refused.
  @Test func eachDigitOfTheHashCounts() {
    for index in 0..<32 {
      var digits = Array(hash.utf8)
      digits[index] = digits[index] == 48 ? 49 : 48
      #expect(!opens("2000000000-r4nd-7-" + String(decoding: digits, as: UTF8.self)))
    }
  }

  /// What would change the playlist that names the key, or is no key, is refused before anything is computed.
  @Test func otherTextsAreNoKeys() {
    for text in [
      "", "-", "---", "2000000000", "2000000000-r-7", "2000000000-r-7-\(hash)0", "x-r-7-\(hash)",
      "-1-r-7-\(hash)", "+1-r-7-\(hash)", "2000000000-\"-7-\(hash)", "2000000000-r-\n-\(hash)",
      "2000000000-r-é-\(hash)", "9999999999999-r-7-\(hash)",
      "2000000000-\(String(repeating: "r", count: 65))-7-\(hash)", "2000000000-r-7-\(hash)-",
    ] {
      #expect(AuthKey(text) == nil, "\(text)")
    }
    #expect(AuthKey("2000000000---\(hash)") != nil, "RAND and UID may be empty")
  }
}
