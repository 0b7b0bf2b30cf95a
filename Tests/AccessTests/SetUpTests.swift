// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Testing

@testable import Access

/// The first password.
struct SetUpTests {
  private let box = Box()

  @Test func theLocalNetworkNeedsNoCode() async throws {
    let access = box.start()
    #expect(!access.isSetUp)
    #expect(!access.needsCode(from: neighbour))
    let session = try await access.setUp(password: password, from: neighbour).session
    #expect(access.isSetUp)
    #expect(access.scope(ofSession: session.reveal()) == .admin)
    _ = try await access.logIn(password: password, from: stranger)
    #expect(box.reports.last == .setUp(from: address("192.168.1.20")))
  }

  @Test func theOwnerNeedsNoCode() async throws {
    _ = try await box.start().setUp(password: password, from: .owner)
    #expect(box.start().isSetUp)
  }

  @Test(arguments: [stranger, .remote(address("127.0.0.1"), isForwarded: true)])
  func othersNeedTheCode(_ caller: Caller) async throws {
    let access = box.start()
    #expect(access.needsCode(from: caller))
    #expect(
      await failure { try await access.setUp(password: password, from: caller) } == .codeNeeded)
    #expect(
      await failure { try await access.setUp(password: password, code: "ABCD-EFGH", from: caller) }
        == .wrongCode)
    #expect(!access.isSetUp && box.bytes.isEmpty)
    let code = try #require(box.codes.last)
    _ = try await access.setUp(password: password, code: code.lowercased(), from: caller)
    #expect(access.isSetUp && !access.needsCode(from: caller))
  }

  @Test func thereIsOneFirstPassword() async throws {
    let (access, _) = try await box.startSetUp()
    for caller in [neighbour, stranger, .owner] {
      #expect(
        await failure {
          try await access.setUp(password: "another one", code: box.codes[0], from: caller)
        } == .alreadySetUp)
    }
    _ = try await access.logIn(password: password, from: neighbour)
  }

  @Test func oneOfTwoAtOnceWins() async throws {
    let access = box.start()
    async let first = failure { try await access.setUp(password: "password 1", from: neighbour) }
    async let second = failure { try await access.setUp(password: "password 2", from: neighbour) }
    let failures = await [first, second]
    #expect(failures.contains(nil) && failures.contains(.alreadySetUp))
    let winner = failures[0] == nil ? "password 1" : "password 2"
    _ = try await access.logIn(password: winner, from: neighbour)
  }

  @Test func theCodeChangesAtEachStart() async throws {
    _ = box.start()
    let access = box.start()
    let codes = box.codes
    #expect(codes.count == 2 && codes[0] != codes[1])
    #expect(
      await failure { try await access.setUp(password: password, code: codes[0], from: stranger) }
        == .wrongCode)
  }

  @Test func thereIsNoCodeOnceThereIsAPassword() async throws {
    _ = try await box.startSetUp()
    _ = box.start()
    #expect(box.codes.count == 1)
  }

  @Test func wrongCodesSpendTheCodeAndTakeTime() async throws {
    let access = box.start()
    func attempt(_ code: String) async -> AccessError? {
      await failure { try await access.setUp(password: password, code: code, from: stranger) }
    }
    for _ in 0..<5 { #expect(await attempt("WRONGONE") == .wrongCode) }
    #expect(box.codes.count == 2)
    #expect(await attempt(box.codes[1]) == .tooManyAttempts(seconds: 1))
    box.advance(seconds: 1)
    #expect(await attempt(box.codes[0]) == .wrongCode)
    box.advance(seconds: 2)
    #expect(await attempt(box.codes[1]) == nil)
  }

  @Test(arguments: ["", "1234567", String(repeating: "x", count: 201), "🐎🐎🐎🐎🐎🐎🐎"])
  func unfitPasswords(_ text: String) async throws {
    let access = box.start()
    #expect(
      await failure { try await access.setUp(password: text, from: .owner) } == .unfitPassword)
    #expect(!access.isSetUp)
    _ = try await access.setUp(password: password, from: .owner)
    #expect(await failure { try await access.changePassword(to: text) } == .unfitPassword)
    _ = try await access.logIn(password: password, from: .owner)
  }

  /// What everybody tries first is refused, wherever a password is chosen.
  @Test(arguments: [
    "password", "Password", "PASSWORD123", "Password1!", "passwort", "qwertyui", "QWERTZUIOP",
    "1q2w3e4r", "12345678", "87654321", "abcdefgh", "aaaaaaaa", "12121212", "🐎🐎🐎🐎🐎🐎🐎🐎",
    "raspberry", "onaironair",
  ])
  func simplePasswords(_ text: String) async throws {
    let access = box.start()
    #expect(
      await failure { try await access.setUp(password: text, from: .owner) } == .simplePassword)
    #expect(!access.isSetUp)
    _ = try await access.setUp(password: password, from: .owner)
    #expect(await failure { try await access.changePassword(to: text) } == .simplePassword)
  }

  @Test(arguments: [
    "12345679", String(repeating: "xyz ", count: 50), "🐎🔋📎🐎🔋📎🐎🔋", "passwords are old",
    "not a password1",
  ])
  func fitPasswords(_ text: String) async throws {
    let access = box.start()
    _ = try await access.setUp(password: text, from: neighbour)
    _ = try await access.logIn(password: text, from: neighbour)
  }

  @Test func nothingElseWorksBefore() async throws {
    let access = box.start()
    #expect(
      await failure { try await access.logIn(password: password, from: neighbour) } == .notSetUp)
    #expect(await failure { try await access.makeToken(name: "a", scope: .read) } == .notSetUp)
    #expect(await failure { try await access.removeToken(name: "a") } == .notSetUp)
    #expect(await failure { try await access.changePassword(to: password) } == .notSetUp)
    #expect(access.tokens == [])
    try await access.reset()
    #expect(box.reports.count == 1)
  }
}
