// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
import Testing

@testable import Appliance

struct StateDirectoryTests {
  /// A folder that is not there yet, below a temporary one.
  static func fresh() -> String {
    var template = Array("/tmp/onair-test-XXXXXX".utf8CString)
    unsafe mkdtemp(&template)
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
      + "/a/b"
  }

  @Test func itIsMadeForItsOwnerAlone() throws {
    let path = StateDirectoryTests.fresh()
    _ = try StateDirectory(path: path)
    var status = stat()
    #expect(unsafe stat(path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o700)
  }

  @Test func oneAtATime() throws {
    let path = StateDirectoryTests.fresh()
    do {
      let first = try StateDirectory(path: path)
      #expect(throws: StateDirectoryError.inUse(path: path)) { _ = try StateDirectory(path: path) }
      withExtendedLifetime(first) {}
    }
    _ = try StateDirectory(path: path)
  }

  @Test func whereNothingCanBeMadeTheReasonIsTold() {
    #expect(throws: StateDirectoryError.self) { _ = try StateDirectory(path: "/proc/onair") }
    #expect(throws: StateDirectoryError.self) { _ = try StateDirectory(path: "/dev/null/onair") }
  }
}
