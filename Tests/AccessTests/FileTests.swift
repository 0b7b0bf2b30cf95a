// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Glibc
import Posix
import TestSupport
import Testing

@testable import Access

/// The file: what is in it, and what happens when it cannot be used or written.
struct FileTests {
  private let box = Box()

  /// Neither the file nor its absence may open a box that has a password, except to whoever resets it.
  private func expectClosed(_ access: Access, _ what: String) async throws {
    #expect(access.isSetUp, "\(what)")
    for caller in [neighbour, stranger, .owner] {
      let setUp = await failure { try await access.setUp(password: password, from: caller) }
      let logIn = await failure { try await access.logIn(password: password, from: caller) }
      #expect(setUp?.code == "access_unreadable", "\(what)")
      #expect(logIn?.code == "access_unreadable", "\(what)")
    }
    let change = await failure { try await access.changePassword(to: password) }
    let token = await failure { try await access.makeToken(name: "b", scope: .admin) }
    #expect(change?.code == "access_unreadable", "\(what)")
    #expect(token?.code == "access_unreadable", "\(what)")
  }

  @Test func theFileIsPrivateAndHasNoSecrets() async throws {
    let (access, session) = try await box.startSetUp()
    let token = try await access.makeToken(name: "script", scope: .control).secret.reveal()
    let text = String(decoding: box.bytes, as: UTF8.self)
    for secret in [password, session, token, box.codes[0]] { #expect(!text.contains(secret)) }
    #expect(text.contains("\"password\":\"$argon2id$v=19$m=19456,t=2,p=1$"))
    #expect(text.contains("\"last_use\":1769860800"))
    var status = stat()
    #expect(unsafe stat(box.path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
  }

  @Test func secretsAreNotShown() async throws {
    let (access, session) = try await box.startSetUp()
    let token = try await access.makeToken(name: "script", scope: .control).secret.reveal()
    _ = await failure { try await access.logIn(password: "wrong horse", from: stranger) }
    var shown = "\(access) \(box.reports) \(box.reports.map(\.sentence))"
    dump(access, to: &shown)
    dump(try access.record(), to: &shown)
    for secret in [password, "wrong horse", session, token, "argon2id$v"] {
      #expect(!shown.contains(secret))
    }
  }

  @Test func aDamagedFileNeverOpensTheBox() async throws {
    let (first, session) = try await box.startSetUp()
    let token = try await first.makeToken(name: "script", scope: .read).secret.reveal()
    let good = box.bytes
    var random = SplitMix64(seed: 42)
    for round in 0..<200 {
      var bytes = good
      if round % 2 == 0 {
        bytes.removeLast(Int.random(in: 1...good.count, using: &random))
      } else {
        for _ in 0..<Int.random(in: 1...3, using: &random) {
          bytes[Int.random(in: bytes.indices, using: &random)] ^=
            1 << UInt8.random(in: 0..<8, using: &random)
        }
        // Two flips may undo each other.
        if bytes == good { continue }
      }
      box.bytes = bytes
      let access = box.start()
      try await expectClosed(access, "round \(round): \(String(decoding: bytes, as: UTF8.self))")
      #expect(access.scope(ofSession: session) == nil)
      #expect(access.scope(ofToken: token) == nil)
      #expect(access.tokens == [])
    }
    #expect(box.codes.count == 1)
    box.bytes = good
    #expect(box.start().scope(ofSession: session) == .admin)
  }

  @Test(arguments: [
    "", " ", "null", "{}", "[]", "{\"version\":1}", "\u{FEFF}{}",
    #"{"version":1,"checksum":"","access":{"password":"","sessions":[],"tokens":[]}}"#,
    String(repeating: "[", count: 60_000), String(repeating: " ", count: 70_000),
  ])
  func aForeignFileNeverOpensTheBox(_ text: String) async throws {
    box.bytes = Array(text.utf8)
    try await expectClosed(box.start(), text)
  }

  @Test func neitherDoesALinkOrAFolder() async throws {
    unsafe symlink("/nowhere", box.path)
    try await expectClosed(box.start(), "link")
    unsafe unlink(box.path)
    unsafe mkdir(box.path, 0o700)
    let access = box.start()
    try await expectClosed(access, "folder")
    try await access.reset()
    _ = try await access.setUp(password: password, from: neighbour)
    #expect(box.start().isSetUp)
  }

  @Test func aNewerFormIsNotGuessed() async throws {
    _ = try await box.startSetUp()
    let text = String(decoding: box.bytes, as: UTF8.self)
    let parts = text.split(separator: "\"version\":1", omittingEmptySubsequences: false)
    #expect(parts.count == 2)
    box.bytes = Array("\(parts[0])\"version\":2\(parts[1])".utf8)
    try await expectClosed(box.start(), "version 2")
  }

  @Test func aResetKeepsTheUnreadableFileAside() async throws {
    _ = try await box.startSetUp()
    let broken = Array(box.bytes.dropLast(20))
    box.bytes = broken
    let access = box.start()
    let error = await failure { try await access.logIn(password: password, from: .owner) }
    #expect(error?.sentence.contains(box.path) == true)
    #expect(error?.sentence.contains("reset") == true)
    #expect(error.map { box.reports.contains(.unreadable($0)) } == true)
    try await access.reset()
    #expect(!access.isSetUp && box.bytes.isEmpty)
    #expect(try File.read("\(box.path).unreadable", limit: 10_000).bytes == broken)
    _ = try await access.setUp(password: "battery staple", from: neighbour)
    _ = try await box.start().logIn(password: "battery staple", from: neighbour)
  }

  /// A power cut while the file was being written leaves a part of the new one under another name.
  @Test func aPowerCutLeavesTheOldFile() async throws {
    let (access, session) = try await box.startSetUp()
    let part = Array(box.bytes.dropLast(50))
    try File.replace("\(AccessFile.name).new", in: box.directory, with: part)
    let restarted = box.start()
    #expect(restarted.scope(ofSession: session) == .admin)
    _ = try await restarted.makeToken(name: "script", scope: .read)
    #expect(box.start().tokens.count == 1)
    // Also when it was the first one.
    try await access.reset()
    try File.replace("\(AccessFile.name).new", in: box.directory, with: part)
    _ = try await box.startSetUp()
  }

  @Test func aFileThatSomebodyHasRemovedCanBeReset() async throws {
    let (access, session) = try await box.startSetUp()
    try File.remove(AccessFile.name, in: box.directory)
    #expect(access.scope(ofSession: session) == .admin)
    try await access.reset()
    #expect(!access.isSetUp)
  }

  @Test func onAFullDiskALoginWorks() async throws {
    let (access, session) = try await box.startSetUp()
    let before = box.bytes
    box.fillDisk()
    let new = try await access.logIn(password: password, from: neighbour).session.reveal()
    #expect(access.scope(ofSession: new) == .admin)
    _ = try await access.logIn(password: password, from: neighbour)
    #expect(box.bytes == before)
    let told = box.reports.filter { if case .notSaved = $0 { true } else { false } }
    #expect(told.count == 1)
    // Once there is room, a later request saves it.
    box.freeDisk()
    #expect(access.scope(ofSession: session) == .admin)
    try await box.settle(access)
    #expect(box.bytes == before)
    box.advance(seconds: 60)
    #expect(access.scope(ofSession: session) == .admin)
    try await box.settle(access)
    #expect(box.reports.last == .saved)
    #expect(box.start().scope(ofSession: new) == .admin)
  }

  @Test func onAFullDiskALogoutCounts() async throws {
    let (access, session) = try await box.startSetUp()
    let token = try await access.makeToken(name: "script", scope: .read).secret.reveal()
    box.fillDisk()
    #expect(try await access.logOut(session: session))
    try await access.removeToken(name: "script")
    #expect(access.scope(ofSession: session) == nil)
    #expect(access.scope(ofToken: token) == nil)
    box.freeDisk()
    _ = try await access.logIn(password: password, from: neighbour)
    let restarted = box.start()
    #expect(restarted.scope(ofSession: session) == nil)
    #expect(restarted.scope(ofToken: token) == nil)
  }

  @Test func onAFullDiskNothingNewIsPromised() async throws {
    let (access, session) = try await box.startSetUp()
    let other = try await access.logIn(password: password, from: neighbour).session.reveal()
    let before = box.bytes
    box.fillDisk()
    let change = await failure {
      try await access.changePassword(
        from: password, to: "battery staple", keeping: session, from: neighbour)
    }
    let token = await failure { try await access.makeToken(name: "script", scope: .read) }
    #expect(change?.code == "not_saved" && token?.code == "not_saved")
    #expect(change?.sentence.contains(box.directory) == true)
    #expect(access.tokens == [])
    #expect(access.scope(ofSession: other) == .admin)
    _ = try await access.logIn(password: password, from: neighbour)
    #expect(box.bytes == before)
    #expect(
      !box.reports.contains {
        switch $0 {
        case .passwordChanged, .tokenMade: true
        default: false
        }
      })
  }

  @Test func onAFullDiskThereIsNoFirstPassword() async throws {
    let access = box.start()
    box.fillDisk()
    let error = await failure {
      try await access.setUp(password: password, code: box.codes[0], from: stranger)
    }
    #expect(error?.code == "not_saved")
    #expect(!access.isSetUp)
    box.freeDisk()
    // The code has not been spent.
    _ = try await access.setUp(password: password, code: box.codes[0], from: stranger)
  }

  @Test func aResetNeedsNoRoom() async throws {
    let (access, _) = try await box.startSetUp()
    box.fillDisk()
    try await access.reset()
    #expect(!access.isSetUp && !box.start().isSetUp)
  }

  @Test func eachErrorHasACodeAndASentence() {
    let errors: [(AccessError, String)] = [
      (.wrongPassword, "wrong_password"), (.tooManyAttempts(seconds: 1), "too_many_attempts"),
      (.alreadySetUp, "already_set_up"), (.codeNeeded, "code_needed"), (.wrongCode, "wrong_code"),
      (.unfitPassword, "unfit_password"), (.busy, "busy"), (.notSetUp, "not_set_up"),
      (.unreadable(directory: "/d", reason: "is damaged"), "access_unreadable"),
      (.notSaved(directory: "/d", reason: "No space left on device"), "not_saved"),
      (.unknownToken, "unknown_token"), (.tokenExists, "token_exists"),
      (.tooManyTokens, "too_many_tokens"), (.unfitTokenName, "unfit_token_name"),
    ]
    for (error, code) in errors {
      #expect(error.code == code)
      #expect(error.sentence.hasSuffix("."))
    }
    #expect(AccessError.tooManyAttempts(seconds: 1).sentence.contains("in 1 second. "))
    #expect(AccessError.tooManyAttempts(seconds: 8).sentence.contains("in 8 seconds. "))
    #expect(AccessError.unfitPassword.sentence == "A password must have 8 to 200 characters.")
  }
}
