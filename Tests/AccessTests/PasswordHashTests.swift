// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import CArgon2
import Testing

@testable import Access

struct PasswordHashTests {
  /// From test.c of the reference implementation.
  @Test(arguments: [
    "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
    "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
    "$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc",
  ])
  func knownHashes(_ text: String) throws {
    let hash = try #require(PasswordHash(text: text))
    #expect(hash.text == text)
    #expect(try hash.matches("password"))
    #expect(try !hash.matches("Password"))
    #expect(try !hash.matches(""))
  }

  @Test func theReferenceImplementationReadsTheHash() throws {
    let hash = try PasswordHash(hashing: password)
    #expect(hash.text.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
    #expect(unsafe argon2id_verify(hash.text, password, password.utf8.count) == 0)
    #expect(unsafe argon2id_verify(hash.text, "correct horsf", 13) != 0)
    #expect(PasswordHash(text: hash.text) == hash)
  }

  @Test func eachHashHasASaltOfItsOwn() throws {
    let hashes = try (0..<3).map { _ in try PasswordHash(hashing: password).text }
    #expect(Set(hashes).count == 3)
  }

  @Test(arguments: ["päßwörd!", "нет пароля", "🐎🔋📎🐎🔋📎🐎🔋", "with\0zero", "with \"$\" sign"])
  func anyCharacterCounts(_ text: String) throws {
    let hash = try PasswordHash(hashing: text)
    #expect(try hash.matches(text))
    #expect(try !hash.matches(String(text.dropLast())))
  }

  @Test(arguments: [
    "", "$", "password", "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$",
    "$argon2i$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
    "$argon2id$v=16$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
    "$argon2id$v=19$m=0256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
    "$argon2id$v=19$m=+256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
    "$argon2id$v=19$t=2,m=256,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
    "$argon2id$v=19$m=256,t=2$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
    "$argon2id$v=19$m=7,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
    "$argon2id$v=19$m=4194304,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
    "$argon2id$v=19$m=256,t=4000000,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
    "$argon2id$v=19$m=256,t=2,p=64$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
    "$argon2id$v=19$m=256,t=2,p=1$c29t$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
    "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgL",
    "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/5",
    "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ==$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
    "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4$",
  ])
  func noHash(_ text: String) {
    #expect(PasswordHash(text: text) == nil)
  }

  @Test func theHashIsNotShown() throws {
    let hash = try PasswordHash(hashing: password)
    var dumped = ""
    dump(hash, to: &dumped)
    for shown in ["\(hash)", String(reflecting: hash), dumped, "\(AccessRecord(password: hash))"] {
      #expect(!shown.contains("argon2id"))
    }
  }

  @Test(
    arguments: [
      ([], ""), ([0x66], "Zg"), ([0x66, 0x6F], "Zm8"), ([0x66, 0x6F, 0x6F], "Zm9v"),
      ([0x66, 0x6F, 0x6F, 0x62], "Zm9vYg"), ([0xFB, 0xFF, 0xFE], "+//+"),
    ] as [([UInt8], String)])
  func base64(_ bytes: [UInt8], _ text: String) {
    #expect(Base64.encode(bytes) == text)
    #expect(Base64.decode(text) == bytes)
    let urlSafe = String(text.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
    #expect(Base64.encode(bytes, isURLSafe: true) == urlSafe)
  }

  @Test(arguments: ["Z", "Zg==", "Zh", "Zm9", "Zm9v\n", "Zm 9v", "Zm9vY", "-__-"])
  func noBase64(_ text: String) {
    #expect(Base64.decode(text) == nil)
  }
}
