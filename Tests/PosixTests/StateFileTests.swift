// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
import Testing

@testable import Posix

struct StateFileTests {
  private struct Value: Codable, Equatable {
    var number: Double
    var text = "a/b"
  }

  private let folder = TemporaryFolder()
  private let file = StateFile<Value>("value.json", limit: 40)

  private func readError() -> PrivateFileError? {
    do throws(PrivateFileError) {
      _ = try file.read(in: folder.path)
      return nil
    } catch {
      return error
    }
  }

  @Test func aValueIsFoundAgain() throws {
    #expect(try file.read(in: folder.path) == nil)
    try file.write(Value(number: 1), in: folder.path)
    #expect(folder.text("value.json") == #"{"number":1,"text":"a/b"}"#)
    #expect(try file.read(in: folder.path) == Value(number: 1))
    try file.remove(in: folder.path)
    #expect(try file.read(in: folder.path) == nil)
  }

  /// Neither an empty file nor half of one takes the old one's place.
  @Test func whatCannotBeWrittenLeavesTheOldFile() throws {
    try file.write(Value(number: 1), in: folder.path)
    #expect(throws: SystemError(EDOM)) {
      try file.write(Value(number: .infinity), in: folder.path)
    }
    #expect(throws: PrivateFileError.system(SystemError(EDOM))) {
      try file.overwrite(Value(number: .nan), in: folder.path)
    }
    #expect(throws: SystemError(EFBIG)) {
      try file.write(Value(number: 1, text: String(repeating: "a", count: 40)), in: folder.path)
    }
    // A folder in the place of the new file cannot be removed.
    #expect(unsafe mkdir("\(folder.path)/value.json.new", 0o700) == 0)
    #expect(throws: SystemError(EISDIR)) { try file.write(Value(number: 2), in: folder.path) }
    #expect(try file.read(in: folder.path) == Value(number: 1))
  }

  @Test func whatIsNoValueIsToldApartFromNoFile() {
    folder.write("value.json", "{")
    #expect(readError() == .malformed)
    folder.write("value.json", #"{"number":1,"text":"\#(String(repeating: "a", count: 40))"}"#)
    #expect(readError() == .tooLong)
  }

  @Test func aFileThatIsWrittenPieceByPieceGetsItsNameAtTheEnd() throws {
    folder.write("other", "keep me")
    #expect(unsafe symlink("other", "\(folder.path)/new") == 0)
    let new = try NewFile("\(folder.path)/new")
    try new.append(Array("first, ".utf8))
    try new.flush()
    try new.append(Array("second".utf8))
    #expect(folder.text("whole") == nil)
    try new.keep(as: "whole")
    new.end()
    #expect(folder.text("whole") == "first, second")
    #expect(folder.text("other") == "keep me" && folder.text("new") == nil)

    let abandoned = try NewFile("\(folder.path)/new")
    abandoned.end()
    #expect(folder.text("new") == nil)
  }

  @Test(arguments: [
    ("192.0.2.1", 4), ("::1", 16), ("2001:db8::192.0.2.1", 16), ("192.0.2.01", nil),
    ("::1%eth0", nil), ("[::1]", nil), ("192.0.2.1\0", nil), ("a.example", nil), ("", nil),
  ])
  func addressesAreReadStrictly(_ text: String, _ bytes: Int?) {
    #expect(IPAddress.bytes(text)?.count == bytes)
  }
}
