// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Testing

@testable import Access

struct TokensTests {
  private let box = Box()

  @Test(arguments: Scope.allCases)
  func aTokenHasItsScope(_ scope: Scope) async throws {
    let (access, _) = try await box.startSetUp()
    let made = try await access.makeToken(name: "Home_Assistant-2", scope: scope)
    #expect(
      made.token
        == Token(name: "Home_Assistant-2", scope: scope, made: "2026-01-31T12:00:00.000Z"))
    for access in [access, box.start()] {
      #expect(access.tokens == [made.token])
      #expect(access.scope(ofToken: made.secret.reveal()) == scope)
      // A token is no session.
      #expect(access.scope(ofSession: made.secret.reveal()) == nil)
    }
    #expect(box.reports.contains(.tokenMade(name: "Home_Assistant-2", scope: scope)))
  }

  @Test func aRemovedTokenDoesNotCount() async throws {
    let (access, _) = try await box.startSetUp()
    let first = try await access.makeToken(name: "first", scope: .read)
    let second = try await access.makeToken(name: "second", scope: .control)
    try await access.removeToken(name: "first")
    #expect(await failure { try await access.removeToken(name: "first") } == .unknownToken)
    for access in [access, box.start()] {
      #expect(access.tokens == [second.token])
      #expect(access.scope(ofToken: first.secret.reveal()) == nil)
      #expect(access.scope(ofToken: second.secret.reveal()) == .control)
    }
  }

  @Test func aNameIsUsedOnce() async throws {
    let (access, _) = try await box.startSetUp()
    let first = try await access.makeToken(name: "a", scope: .read)
    #expect(await failure { try await access.makeToken(name: "a", scope: .admin) } == .tokenExists)
    #expect(access.scope(ofToken: first.secret.reveal()) == .read)
    _ = try await access.makeToken(name: "A", scope: .read)
    try await access.removeToken(name: "a")
    let again = try await access.makeToken(name: "a", scope: .control)
    #expect(access.scope(ofToken: first.secret.reveal()) == nil)
    #expect(access.scope(ofToken: again.secret.reveal()) == .control)
  }

  @Test func thereAreThirtyTwoAtMost() async throws {
    let (access, _) = try await box.startSetUp()
    for index in 0..<32 { _ = try await access.makeToken(name: "t\(index)", scope: .read) }
    #expect(await failure { try await access.makeToken(name: "t", scope: .read) } == .tooManyTokens)
    #expect(box.start().tokens.map(\.name) == (0..<32).map { "t\($0)" })
  }

  @Test(arguments: ["", "a b", "ä", "a/b", "a\n", "\0", "a.b", String(repeating: "x", count: 33)])
  func unfitNames(_ name: String) async throws {
    let (access, _) = try await box.startSetUp()
    #expect(
      await failure { try await access.makeToken(name: name, scope: .read) } == .unfitTokenName)
    #expect(access.tokens == [])
  }
}
