// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Testing

@testable import Access

/// The second password, and browsers in which somebody has logged in before.
struct OperatorTests {
  private let operators = "battery staple"

  @Test func eachPasswordHasItsScope() async throws {
    let box = Box()
    let (access, owner) = try await box.startSetUp()
    #expect(
      await failure { try await access.logIn(password: operators, from: neighbour) }
        == .wrongPassword)
    try await access.setOperatorPassword(operators)
    #expect(access.hasOperatorPassword)
    let logIn = try await access.logIn(password: operators, from: neighbour)
    #expect(logIn.scope == .operate)
    let session = logIn.session.reveal()
    #expect(access.scope(ofSession: session) == .operate)
    #expect(access.scope(ofSession: owner) == .admin)
    #expect(try await access.logIn(password: password, from: neighbour).scope == .admin)
    // It is kept, and an operator stays one.
    let restarted = box.start()
    #expect(restarted.scope(ofSession: session) == .operate)
    #expect(restarted.scope(ofSession: owner) == .admin)
    #expect(try await restarted.logIn(password: operators, from: neighbour).scope == .operate)
    // Another one ends the sessions of the old one, and those alone.
    try await restarted.setOperatorPassword("three green birds")
    #expect(restarted.scope(ofSession: session) == nil)
    #expect(restarted.scope(ofSession: owner) == .admin)
    let other = try await restarted.logIn(password: "three green birds", from: neighbour)
    try await restarted.setOperatorPassword(nil)
    #expect(restarted.scope(ofSession: other.session.reveal()) == nil)
    #expect(!box.start().hasOperatorPassword)
  }

  @Test func theTwoPasswordsAreNotTheSame() async throws {
    let box = Box()
    let (access, _) = try await box.startSetUp()
    #expect(await failure { try await access.setOperatorPassword(password) } == .samePassword)
    #expect(await failure { try await access.setOperatorPassword("short") } == .unfitPassword)
    try await access.setOperatorPassword(operators)
    #expect(await failure { try await access.changePassword(to: operators) } == .samePassword)
    // An operator cannot confirm what only the owner may.
    #expect(
      await failure { try await access.confirm(password: operators, session: nil, from: .owner) }
        == .wrongPassword)
    try await access.confirm(password: password, session: nil, from: .owner)
  }

  /// An update that is undone brings back a program that knows no operators: for it the file is whole, and has none.
  @Test func anOlderProgramTakesNoOperatorForTheOwner() async throws {
    let box = Box()
    let (access, _) = try await box.startSetUp()
    try await access.setOperatorPassword(operators)
    _ = try await access.logIn(password: operators, from: neighbour)
    _ = try await access.makeToken(name: "stage", scope: .operate)
    let file = try #require(
      JSONSerialization.jsonObject(with: Data(box.bytes)) as? [String: Any])
    let old = try #require(file["access"] as? [String: Any])
    #expect(Set(old.keys) == ["password", "sessions", "tokens"])
    #expect((old["sessions"] as? [Any])?.count == 1, "the owner's")
    #expect((old["tokens"] as? [Any])?.isEmpty == true)
    let content = try JSONSerialization.data(
      withJSONObject: old, options: [.sortedKeys, .withoutEscapingSlashes])
    let checksum = try #require(file["checksum"] as? String)
    #expect(Base64.encode(Digest(of: Array(content)).bytes) == checksum)
    #expect(box.start().tokens.map(\.scope) == [.operate])
  }

  /// A bit that is lost makes no operator the owner.
  @Test func damagedAdditionsLetNobodyIn() async throws {
    let box = Box()
    let (access, _) = try await box.startSetUp()
    try await access.setOperatorPassword(operators)
    let text = String(decoding: box.bytes, as: UTF8.self)
    for damaged in [
      text.replacing("operator_tokens\":[]", with: "operator_tokens\":[ ]"),
      text.replacing("additions_checksum", with: "additions_checksun"),
      text.replacing(
        "operator_password\":\"$argon2id$v=19$m=19456",
        with: "operator_password\":\"$argon2id$v=19$m=19457"),
    ] {
      box.bytes = Array(damaged.utf8)
      let isDamaged = damaged != text && !damaged.contains("[ ]")
      if isDamaged { #expect(box.start().tokens.isEmpty && !box.start().hasOperatorPassword) }
    }
  }

  @Test func tokensGoWithAPasswordIfTheOwnerLikes() async throws {
    let box = Box()
    let (access, session) = try await box.startSetUp()
    let token = try await access.makeToken(name: "thief", scope: .admin).secret.reveal()
    try await access.changePassword(
      from: password, to: operators, keeping: session, from: neighbour)
    #expect(access.scope(ofToken: token) == .admin)
    #expect(access.name(ofToken: token) == "thief")
    try await access.changePassword(
      from: operators, to: password, keeping: session, from: neighbour, removesTokens: true)
    #expect(access.scope(ofToken: token) == nil && access.tokens.isEmpty)
    #expect(access.scope(ofSession: session) == .admin)
    #expect(box.reports.last == .tokensRemoved)
    // A thief may have set the operator's password as well.
    try await access.setOperatorPassword(operators)
    let stolen = try await access.logIn(password: operators, from: neighbour).session.reveal()
    try await access.changePassword(to: "three green birds")
    #expect(access.hasOperatorPassword)
    try await access.changePassword(to: password, removesTokens: true)
    #expect(!access.hasOperatorPassword && access.scope(ofSession: stolen) == nil)
    #expect(!box.start().hasOperatorPassword)
    #expect(box.reports.suffix(2) == [.operatorPassword(isSet: false), .tokensRemoved])
  }

  /// Sixty addresses of the owner's own network guess, and go on: the browser that was in before gets in.
  /// Who knows the operator's password cannot try the owner's for ever.
  @Test func theOperatorsPasswordForgivesNoGuess() async throws {
    let box = Box()
    let (access, _) = try await box.startSetUp()
    try await access.setOperatorPassword(operators)
    let device = try #require(try await access.logIn(password: operators, from: neighbour).device)
      .reveal()
    for shown in [nil, device] {
      var refusals = 0
      for _ in 1...4 {
        for guess in ["one guess more", "two guesses more", "three guesses more"] {
          let error = await failure {
            try await access.logIn(password: guess, from: neighbour, device: shown)
          }
          if error != .wrongPassword { refusals += 1 }
        }
        _ = try? await access.logIn(password: operators, from: neighbour, device: shown)
      }
      #expect(refusals > 0)
    }
  }

  @Test func aBrowserThatWasInBeforeGetsIn() async throws {
    let box = Box()
    let (access, _) = try await box.startSetUp()
    let device = try #require(try await access.logIn(password: password, from: neighbour).device)
      .reveal()
    #expect(access.isKnown(device: device))
    for host in 1...61 {
      let caller = Caller.remote(address("192.168.1.\(host)"), isForwarded: false)
      _ = await failure { try await access.logIn(password: "short", from: caller) }
    }
    let fresh = Caller.remote(address("192.168.1.200"), isForwarded: false)
    guard
      case .tooManyAttempts? = await failure(of: {
        try await access.logIn(password: password, from: fresh)
      })
    else {
      Issue.record("the budget is not spent")
      return
    }
    let again = try await access.logIn(password: password, from: fresh, device: device)
    #expect(again.device == nil, "it has one")
    // A secret that is none is no help, and after a restart the right one still is.
    let restarted = box.start()
    #expect(!restarted.isKnown(device: String(repeating: "A", count: 43)))
    #expect(restarted.isKnown(device: device))
  }

  @Test func thirtyTwoBrowsersAreKnown() {
    var devices = KnownDevices()
    for number in 0..<40 { devices.noteLogIn(Digest(of: "\(number)"), .admin) }
    #expect(devices.list.count == KnownDevices.maxCount)
    #expect(!devices.contains(Digest(of: "7")) && devices.contains(Digest(of: "8")))
    devices.noteLogIn(Digest(of: "8"), .admin)
    devices.noteLogIn(Digest(of: "40"), .admin)
    #expect(devices.contains(Digest(of: "8")) && !devices.contains(Digest(of: "9")))
  }

  /// Forty logins of an operator end neither the owner's session nor the place of the owner's browser.
  @Test func operatorsPushOutNobody() async throws {
    let box = Box()
    let (access, _) = try await box.startSetUp()
    try await access.setOperatorPassword(operators)
    let owner = try await access.logIn(password: password, from: neighbour)
    let device = try #require(owner.device?.reveal())
    var sessions: [String] = []
    for _ in 0..<40 {
      sessions.append(try await access.logIn(password: operators, from: neighbour).session.reveal())
      box.advance(seconds: 1)
    }
    for access in [access, box.start()] {
      #expect(access.scope(ofSession: owner.session.reveal()) == .admin)
      #expect(access.isKnown(device: device))
      let operating = sessions.filter { access.scope(ofSession: $0) == .operate }
      #expect(operating.count == Sessions.maxCount && access.scope(ofSession: sessions[0]) == nil)
    }
    // The owner's next browser takes the place of the one whose login is longest ago.
    let next = try await access.logIn(password: password, from: neighbour)
    #expect(access.isKnown(device: try #require(next.device).reveal()))
  }
}
