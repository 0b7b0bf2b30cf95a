// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
import Posix
import Testing

/// Programs as processes of their own.
@Suite struct ChildProcessTests {
  @Test func itsEndIsTold() throws {
    #expect(try ChildProcess.run("/bin/true", [], until: { false }) == .exited(0))
    #expect(
      try ChildProcess.run("/bin/sh", ["-c", "exit 7"], until: { false }) == .exited(7))
    #expect(
      try ChildProcess.run("/bin/sh", ["-c", "kill -9 $$"], until: { false }) == .killed(SIGKILL))
    #expect(throws: SystemError(ENOENT)) {
      try ChildProcess.run("/nowhere", [], until: { false })
    }
  }

  /// Arguments come as they are, and what the test has set does not reach the program.
  @Test func nothingIsInterpretedOrInherited() throws {
    let hostile = "$(exit 3); `exit 4` * ' \""
    let words = "'" + hostile.replacing("'", with: "'\\''") + "'"
    #expect(
      try ChildProcess.run(
        "/bin/sh", ["-c", "test \"$1\" = \(words)", "sh", hostile], until: { false })
        == .exited(0))
    unsafe setenv("ONAIR_TEST_SECRET", "1", 1)
    defer { _ = unsafe unsetenv("ONAIR_TEST_SECRET") }
    #expect(
      try ChildProcess.run(
        "/bin/sh", ["-c", "test -z \"$ONAIR_TEST_SECRET\" && ! read line"], until: { false })
        == .exited(0))
  }

  @Test func aProgramThatTakesTooLongIsKilledWithItsChildren() throws {
    var looks = 0
    let ending = try ChildProcess.run("/bin/sh", ["-c", "sleep 1000 & wait"]) {
      looks += 1
      return looks > 2
    }
    #expect(ending == .late)
  }
}
