// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
import Posix
import Testing

@testable import Access

/// A box that has lost its state directory, with a mark outside of it that there was a password.
struct LostPasswordTests {
  private let box = Box()
  private let marks: String

  init() {
    marks = "\(box.directory)/marks"
    File.makePrivateFolder(marks)
  }

  private var asked: String? {
    (try? File.read("\(box.directory)/\(PasswordMark.requestName)", limit: 100))
      .map { String(decoding: $0.bytes, as: UTF8.self) }
  }

  /// What the image's unit does.
  private func answer() throws {
    let path = "\(marks)/\(PasswordMark.name)"
    switch asked {
    case "set": try File.replace(PasswordMark.name, in: marks, with: [])
    case "removed": _ = unsafe unlink(path)
    default: break
    }
    try File.remove(PasswordMark.requestName, in: box.directory)
  }

  /// A box that had a password, and whose card's file system was made anew.
  private func lose() async throws -> Access {
    _ = try await box.start(marks: marks).setUp(password: password, from: neighbour)
    try answer()
    #expect(unsafe unlink(box.path) == 0)
    return box.start(marks: marks)
  }

  @Test func aNewBoxIsOpenToTheLocalNetwork() async throws {
    let access = box.start(marks: marks)
    #expect(!access.isPasswordLost && !access.needsCode(from: neighbour))
    _ = try await access.setUp(password: password, from: neighbour)
    #expect(asked == "set")
    try answer()
    #expect(File.names(in: marks) == [PasswordMark.name])
    // Asked for once.
    _ = box.start(marks: marks)
    #expect(asked == nil)
  }

  @Test func aLostPasswordNeedsTheCode() async throws {
    let access = try await lose()
    #expect(access.isPasswordLost && !access.isSetUp)
    #expect(box.reports.contains(.lost))
    for caller in [neighbour, stranger] {
      #expect(access.needsCode(from: caller))
      #expect(
        await failure { try await access.setUp(password: "mine, mine", from: caller) }
          == .codeNeeded)
    }
    let code = try #require(box.codes.last)
    // Whoever reads the log learns that it is needed from everywhere.
    let told = try #require(box.reports.last { if case .code = $0 { true } else { false } })
    #expect(told.sentence.contains(code) && told.sentence.contains("hold the main button for 10 s"))
    #expect(!told.sentence.contains("outside the local network"))
    _ = try await access.setUp(password: password, code: code, from: neighbour)
    #expect(!access.isPasswordLost)
    #expect(asked == nil, "the mark is there")
  }

  /// On the box itself: the card's file, and the command.
  @Test func theOwnerNeedsNoCode() async throws {
    let access = try await lose()
    #expect(!access.needsCode(from: .owner))
    _ = try await access.adoptPassword(password)
    #expect(!access.isPasswordLost)
  }

  /// The main button, held for 10 s.
  @Test func aResetMakesItANewBox() async throws {
    let access = try await lose()
    try await access.reset()
    #expect(!access.isPasswordLost && !access.needsCode(from: neighbour))
    #expect(asked == "removed")
    // Also before the image has done it, as after a power cut.
    #expect(!box.start(marks: marks).isPasswordLost)
    try answer()
    #expect(!box.start(marks: marks).isPasswordLost)
    // And from then on a password counts as before.
    _ = try await access.setUp(password: password, from: neighbour)
    #expect(asked == "set")
  }

  @Test func aResetOfAPasswordRemovesTheMark() async throws {
    let access = box.start(marks: marks)
    _ = try await access.setUp(password: password, from: neighbour)
    try answer()
    try await access.reset()
    #expect(asked == "removed")
    #expect(!access.needsCode(from: neighbour))
  }

  /// A box whose image is older than the mark, or whose request a power cut has undone.
  @Test func aPasswordWithoutAMarkGetsOne() async throws {
    _ = try await box.startSetUp()
    _ = box.start(marks: marks)
    #expect(asked == "set")
    try answer()
    try File.replace(PasswordMark.requestName, in: box.directory, with: Array("nonsense".utf8))
    #expect(!box.start(marks: marks).isPasswordLost, "there is a password")
    // A file that cannot be used is a password, too.
    _ = unsafe unlink("\(marks)/\(PasswordMark.name)")
    try answer()
    box.bytes = [0]
    _ = box.start(marks: marks)
    #expect(asked == "set")
  }

  /// On other machines the state directory is lost only with the whole system.
  @Test func withoutAnImageThereIsNoMark() async throws {
    _ = try await box.start().setUp(password: password, from: neighbour)
    #expect(asked == nil)
    #expect(unsafe unlink(box.path) == 0)
    #expect(!box.start().needsCode(from: neighbour))
  }

  /// A folder of marks that cannot be looked into tells of no new box.
  @Test func anUnreadableFolderCountsAsAMark() throws {
    #expect(box.start(marks: "\(marks)/nothing").isPasswordLost)
  }
}
