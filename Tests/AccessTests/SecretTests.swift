// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Testing

@testable import Access

struct SecretTests {
  @Test func aSecretIsLongAndItsOwn() {
    let secrets = (0..<100).map { _ in RandomSecret().reveal() }
    #expect(Set(secrets).count == 100)
    for secret in secrets {
      #expect(secret.utf8.count == RandomSecret.length)
      #expect(secret.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) })
    }
  }

  @Test func aSecretIsNotShown() {
    let secret = RandomSecret()
    let token = NewToken(token: Token(name: "a", scope: .read, made: ""), secret: secret)
    var dumped = ""
    dump(secret, to: &dumped)
    dump(token, to: &dumped)
    for shown in ["\(secret)", String(reflecting: secret), "\(token)", dumped] {
      #expect(!shown.contains(secret.reveal()))
    }
  }

  /// FIPS 180-2, appendix B.1.
  @Test func theDigestIsSHA256() throws {
    let digest = Digest(of: "abc")
    let bytes = try #require(Base64.decode("ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0"))
    #expect(bytes.prefix(4) == [0xBA, 0x78, 0x16, 0xBF])
    #expect(Digest.areEqual(digest.bytes, bytes))
    #expect(digest.matches(Digest(of: "abc")))
    #expect(!digest.matches(Digest(of: "abd")))
    #expect(!Digest.areEqual([1, 2], [1, 2, 3]))
  }

  @Test func aCodeIsReadEasily() {
    for _ in 0..<100 {
      let code = SetUpCode()
      #expect(code.shown.utf8.count == 9)
      #expect(code.shown.split(separator: "-").map(\.count) == [4, 4])
      #expect(!code.shown.contains { "01IO".contains($0) })
    }
  }

  @Test func caseAndDashDoNotMatter() {
    var code = SetUpCode()
    let shown = code.shown
    #expect(code.check(shown) == .right)
    #expect(code.check(shown.lowercased()) == .right)
    #expect(code.check(shown.filter { $0 != "-" }) == .right)
    #expect(code.check(" \(shown.map { "\($0)" }.joined(separator: " ")) ") == .right)
    #expect(code.check("") == .wrong)
    #expect(code.check(String(shown.dropLast())) == .wrong)
    #expect(code.check(shown + "A") == .wrong)
  }

  @Test func fiveWrongAttemptsSpendACode() {
    var code = SetUpCode()
    let first = code.shown
    for _ in 0..<4 { #expect(code.check("WRONGONE") == .wrong) }
    #expect(code.shown == first)
    #expect(code.check("WRONGONE") == .spent)
    #expect(code.shown != first)
    #expect(code.check(first) == .wrong)
    #expect(code.check(code.shown) == .right)
  }
}
