// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Testing

@testable import Access

/// Sessions, their ends, and what of them survives a restart.
struct SessionsTests {
  private static let day = Int64(86_400)

  @Test func theOneUnusedForLongestGoes() {
    let time = VirtualClock()
    let digests = (0..<33).map { Digest(of: "\($0)") }
    var sessions = Sessions()
    for digest in digests.prefix(32) {
      sessions.add(digest, at: time.now)
      time.advance(by: .seconds(1))
    }
    #expect(sessions.use(digests[0], at: time.now)?.isDue == false)
    sessions.add(digests[32], at: time.now)
    #expect(sessions.list.count == 32)
    #expect(sessions.use(digests[0], at: time.now) != nil)
    #expect(sessions.use(digests[1], at: time.now) == nil)
    #expect(sessions.use(digests[2], at: time.now) != nil)
  }

  @Test func aSessionEndsThirtyDaysAfterTheLastUse() async throws {
    let box = Box()
    let (access, session) = try await box.startSetUp()
    box.advance(seconds: 29 * Self.day)
    #expect(access.scope(ofSession: session) == .admin)
    box.advance(seconds: 30 * Self.day - 1)
    #expect(access.scope(ofSession: session) == .admin)
    box.advance(seconds: 30 * Self.day)
    #expect(access.scope(ofSession: session) == nil)
    #expect(access.scope(ofSession: session) == nil)
  }

  @Test func aSessionSurvivesARestart() async throws {
    let box = Box()
    let (_, session) = try await box.startSetUp()
    box.advance(seconds: 20 * Self.day)
    let access = box.start()
    #expect(access.scope(ofSession: session) == .admin)
    // The use of now is on the disk, so another 29 days are possible.
    try await box.settle(access)
    box.advance(seconds: 29 * Self.day)
    #expect(box.start().scope(ofSession: session) == .admin)
    box.advance(seconds: Self.day)
    #expect(box.start().scope(ofSession: session) == nil)
  }

  @Test func aUseIsWrittenOnceADay() async throws {
    let box = Box()
    let (access, session) = try await box.startSetUp()
    let first = box.bytes
    for _ in 0..<23 {
      box.advance(seconds: 3_600)
      #expect(access.scope(ofSession: session) == .admin)
    }
    try await box.settle(access)
    #expect(box.bytes == first)
    box.advance(seconds: 3_600)
    #expect(access.scope(ofSession: session) == .admin)
    try await box.settle(access)
    let second = box.bytes
    #expect(second != first)
    box.advance(seconds: 3_600)
    #expect(access.scope(ofSession: session) == .admin)
    try await box.settle(access)
    #expect(box.bytes == second)
  }

  @Test func settingTheClockEndsNoSession() async throws {
    let box = Box()
    let (access, session) = try await box.startSetUp()
    // The board has started in 2026, and learns from the network that it is 2036.
    box.setWallClock(by: 3_650 * Self.day)
    #expect(access.scope(ofSession: session) == .admin)
    box.advance(seconds: Self.day)
    #expect(access.scope(ofSession: session) == .admin)
    try await box.settle(access)
    #expect(box.start().scope(ofSession: session) == .admin)
    // And back: the last use is in the future.
    box.setWallClock(by: -7_300 * Self.day)
    let restarted = box.start()
    #expect(restarted.scope(ofSession: session) == .admin)
    box.advance(seconds: 30 * Self.day)
    #expect(restarted.scope(ofSession: session) == nil)
  }

  @Test func aLogoutEndsOneSessionForGood() async throws {
    let box = Box()
    let (access, first) = try await box.startSetUp()
    let second = try await access.logIn(password: password, from: neighbour).session.reveal()
    #expect(first != second)
    #expect(try await access.logOut(session: first))
    let bytes = box.bytes
    for none in [first, "nonsense", RandomSecret().reveal()] {
      #expect(try await !access.logOut(session: none))
    }
    #expect(box.bytes == bytes)
    for access in [access, box.start()] {
      #expect(access.scope(ofSession: first) == nil)
      #expect(access.scope(ofSession: second) == .admin)
    }
  }

  @Test func thirtyTwoAreLoggedInAtMost() async throws {
    let box = Box()
    let (access, first) = try await box.startSetUp()
    for _ in 0..<32 {
      box.advance(seconds: 1)
      _ = try await access.logIn(password: password, from: neighbour)
    }
    #expect(access.scope(ofSession: first) == nil)
    #expect(try access.record().sessions.list.count == 32)
    #expect(try box.start().record().sessions.list.count == 32)
  }

  @Test(arguments: [
    "", "a", String(repeating: "A", count: 43), String(repeating: "A", count: 100_000), "\0",
  ])
  func noSession(_ secret: String) async throws {
    let (access, _) = try await Box().startSetUp()
    #expect(access.scope(ofSession: secret) == nil)
    #expect(access.scope(ofToken: secret) == nil)
  }
}
