// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Testing

@testable import Access

@Suite struct SealedTextTests {
  private let text = "publish.key = \"geheim\"\n# Größe\n"

  private func opened(_ sealed: String, _ passphrase: String) throws -> String? {
    try SealedText.open(SealedText.Parts(sealed), passphrase)
  }

  @Test func comesBackWithItsPassphraseAlone() throws {
    let sealed = try SealedText.seal(text, "three plain words")
    #expect(SealedText.isSealed(sealed) && !SealedText.isSealed(text))
    #expect(!sealed.contains("geheim") && !sealed.contains("publish"))
    #expect(sealed.split(separator: "\n").allSatisfy { $0.utf8.count <= 76 })
    #expect(try opened(sealed, "three plain words") == text)
    for other in ["three plain word", "Three plain words", ""] {
      #expect(try opened(sealed, other) == nil)
    }
    // An editor of Windows has saved it.
    #expect(try opened(sealed.replacing("\n", with: "\r\n"), "three plain words") == text)
    #expect(try SealedText.seal(text, "three plain words") != sealed, "another salt and nonce")
    #expect(try opened(SealedText.seal("", "three plain words"), "three plain words") == "")
  }

  /// The format is a contract: this file was made with the reference implementation of argon2 and with OpenSSL.
  @Test func anEarlierFileIsRead() throws {
    let sealed = """
      onair-sealed-1 m=64,t=1,p=1 AAECAwQFBgcICQoLDA0ODw
      EBESExQVFhcYGRob23q52XREUBVQNpU0sTxiZWCvNt7YnbO7fQL/GyE0/A
      """
    #expect(try opened(sealed, "correct horse") == "video.fps = 25\n")
  }

  /// One letter of the head or of the body is another one.
  @Test func aChangedFileIsRefused() throws {
    let sealed = try SealedText.seal(text, "three plain words")
    let letters = Array(sealed)
    for place in [40, 45, 60, 90, 120] where letters[place].isLetter {
      var changed = letters
      changed[place] = letters[place] == "A" ? "B" : "A"
      let result = try? opened(String(changed), "three plain words")
      #expect((result ?? nil) == nil, "\(place)")
    }
  }

  /// What a stranger could hand in must cost neither memory nor time.
  @Test(arguments: [
    "", "onair-sealed-1", "onair-sealed-1 ",
    "onair-sealed-2 m=64,t=1,p=1 AAECAwQFBgcICQoLDA0ODw\nAAAA",
    "onair-sealed-1 m=4000000,t=1,p=1 AAECAwQFBgcICQoLDA0ODw\n" + String(repeating: "A", count: 80),
    "onair-sealed-1 m=64,t=1000,p=1 AAECAwQFBgcICQoLDA0ODw\n" + String(repeating: "A", count: 80),
    "onair-sealed-1 m=64,t=1,p=1 AAECAw\n" + String(repeating: "A", count: 80),
    "onair-sealed-1 m=64,t=1,p=1 AAECAwQFBgcICQoLDA0ODw\nAAAA",
    "onair-sealed-1 m=64,t=1,p=1 AAECAwQFBgcICQoLDA0ODw\n" + String(repeating: "?", count: 80),
    "onair-sealed-1 m=64,t=1,p=1 AAECAwQFBgcICQoLDA0ODw\n" + String(repeating: "A", count: 300_000),
  ]) func whatIsNoSealedTextIsRefused(_ text: String) {
    #expect(throws: SealedTextError.unreadable) { try SealedText.Parts(text) }
  }
}
