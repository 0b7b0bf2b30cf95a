// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Testing

@testable import Access

/// Logging in, and changing the password.
struct PasswordTests {
  private let box = Box()

  private func logIn(_ access: Access, _ text: String, _ caller: Caller) async -> AccessError? {
    await failure { try await access.logIn(password: text, from: caller) }
  }

  @Test func onlyThePasswordLogsIn() async throws {
    let (access, session) = try await box.startSetUp()
    for text in ["", "correct hors", "correct horse ", "Correct horse", "\(password)\0"] {
      #expect(await logIn(access, text, .owner) == .wrongPassword)
    }
    let other = try await access.logIn(password: password, from: stranger).session.reveal()
    #expect(other != session)
    #expect(access.scope(ofSession: other) == .admin)
    // A session is no token.
    #expect(access.scope(ofToken: other) == nil)
  }

  @Test func wrongPasswordsTakeTimeForThatClientOnly() async throws {
    let (access, session) = try await box.startSetUp()
    for _ in 0..<5 { #expect(await logIn(access, "wrong horse", stranger) == .wrongPassword) }
    #expect(await logIn(access, password, stranger) == .tooManyAttempts(seconds: 1))
    #expect(await logIn(access, password, neighbour) == nil)
    #expect(access.scope(ofSession: session) == .admin)
    box.advance(seconds: 1)
    #expect(await logIn(access, "wrong horse", stranger) == .wrongPassword)
    #expect(await logIn(access, password, stranger) == .tooManyAttempts(seconds: 2))
    box.advance(seconds: 2)
    #expect(await logIn(access, password, stranger) == nil)
    #expect(await logIn(access, "wrong horse", stranger) == .wrongPassword)
  }

  @Test func whatCannotBeExaminedIsNotWrong() async throws {
    let (access, _) = try await box.startSetUp()
    let gate = Signal()
    for _ in 0...Passwords.mostWaiting {
      #expect(access.passwords.thread.submit { _ = gate.wait(until: .now() + .seconds(60)) })
    }
    for _ in 0..<20 { #expect(await logIn(access, password, stranger) == .busy) }
    for _ in 0...Passwords.mostWaiting { gate.signal() }
    var answer: AccessError? = .busy
    while answer == .busy { answer = await logIn(access, password, stranger) }
    #expect(answer == nil)
  }

  @Test func aChangeEndsAllOtherSessions() async throws {
    let (access, session) = try await box.startSetUp()
    let other = try await access.logIn(password: password, from: stranger).session.reveal()
    let token = try await access.makeToken(name: "script", scope: .read).secret.reveal()
    try await access.changePassword(
      from: password, to: "battery staple", keeping: session, from: neighbour)
    for access in [access, box.start()] {
      #expect(access.scope(ofSession: session) == .admin)
      #expect(access.scope(ofSession: other) == nil)
      #expect(access.scope(ofToken: token) == .read)
      #expect(await logIn(access, password, .owner) == .wrongPassword)
      #expect(await logIn(access, "battery staple", .owner) == nil)
    }
    #expect(box.reports.last == .passwordChanged(from: address("192.168.1.20")))
  }

  @Test func aChangeNeedsTheOldPassword() async throws {
    let (access, session) = try await box.startSetUp()
    func change(_ old: String) async -> AccessError? {
      await failure {
        try await access.changePassword(
          from: old, to: "battery staple", keeping: session, from: neighbour)
      }
    }
    for _ in 0..<5 { #expect(await change("wrong horse") == .wrongPassword) }
    #expect(await change(password) == .tooManyAttempts(seconds: 1))
    #expect(await logIn(access, password, .owner) == nil)
  }

  /// A seed file says its password at each start.
  @Test func thePasswordThatIsThereAlreadyChangesNothing() async throws {
    let new = box.start()
    #expect(try await new.adoptPassword(password))
    let session = try await new.logIn(password: password, from: .owner).session.reveal()
    #expect(try await !new.adoptPassword(password))
    #expect(new.scope(ofSession: session) == .admin)
    #expect(try await new.adoptPassword("battery staple"))
    #expect(new.scope(ofSession: session) == nil)
    #expect(await failure { _ = try await new.adoptPassword("short") } == .unfitPassword)
  }

  @Test func theOwnerNeedsNoOldPassword() async throws {
    let (access, session) = try await box.startSetUp()
    try await access.changePassword(to: "battery staple")
    #expect(access.scope(ofSession: session) == nil)
    #expect(await logIn(access, "battery staple", neighbour) == nil)
    #expect(box.reports.contains(.passwordChanged(from: nil)))
  }

  /// The limit for all together does not count for those who have a session, but naming one that does not exist is no
  /// way around it.
  @Test func aSessionThatDoesNotExistHelpsNobody() async throws {
    let (access, session) = try await box.startSetUp()
    func change(_ session: String, from host: Int) async -> AccessError? {
      await failure {
        // Too short to be the password, so nothing is hashed.
        try await access.changePassword(
          from: "wrong", to: "battery staple", keeping: session,
          from: .remote(address("198.51.100.\(host)"), isForwarded: false))
      }
    }
    for host in 0..<60 { #expect(await change("nonsense", from: host) == .wrongPassword) }
    #expect(await change("nonsense", from: 60) == .tooManyAttempts(seconds: 5))
    #expect(await change(session, from: 61) == .wrongPassword)
  }

  @Test func manyWrongAttemptsAreReported() async throws {
    let (access, _) = try await box.startSetUp()
    for _ in 0..<30 { _ = await logIn(access, "wrong", stranger) }
    let told = box.reports.filter { if case .wrongAttempts = $0 { true } else { false } }
    #expect(told == [.wrongAttempts(count: 10, last: address("203.0.113.7"))])
  }

  @Test func aResetForgetsEverything() async throws {
    let (access, session) = try await box.startSetUp()
    let token = try await access.makeToken(name: "script", scope: .admin).secret.reveal()
    try await access.reset()
    for access in [access, box.start()] {
      #expect(!access.isSetUp)
      #expect(access.scope(ofSession: session) == nil)
      #expect(access.scope(ofToken: token) == nil)
      #expect(access.tokens == [])
    }
    #expect(box.bytes.isEmpty)
    // The first start, the reset, the last start.
    #expect(box.codes.count == 3 && Set(box.codes).count == 3)
    #expect(box.reports.contains(.reset))
    _ = try await access.setUp(password: "battery staple", code: box.codes[1], from: stranger)
    #expect(await logIn(access, password, neighbour) == .wrongPassword)
  }

  /// A login that was examined before a reset or a change must not count after it.
  @Test func aLoginDoesNotOutliveItsPassword() async throws {
    let (access, _) = try await box.startSetUp()
    let gate = Signal()
    #expect(access.diskThread.submit { _ = gate.wait(until: .now() + .seconds(60)) })
    async let reset: Void = access.reset()
    // The reset waits for the disk; the login is queued behind it.
    while access.diskThread.unfinished < 2 { await Task.yield() }
    async let login = logIn(access, password, neighbour)
    while access.diskThread.unfinished < 3 { await Task.yield() }
    gate.signal()
    try await reset
    #expect(await login == .notSetUp)
    #expect(!access.isSetUp && box.bytes.isEmpty)
  }
}
