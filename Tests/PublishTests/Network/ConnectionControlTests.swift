// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
import Testing

@testable import Publish

@Suite struct ConnectionControlTests {
  /// A thread that still uses the released connection keeps only that one open.
  @Test func releasedWhileInUse() throws {
    var (first, next): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
    for _ in 0..<1_000 where next[1] < 0 {
      let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
      // Another test of this process uses up all descriptors for a while.
      if first[1] < 0 { _ = unsafe socketpair(AF_UNIX, type, 0, &first) }
      if first[1] >= 0 { _ = unsafe socketpair(AF_UNIX, type, 0, &next) }
      if next[1] < 0 { usleep(10_000) }
    }
    /// Whether the last descriptor of the other side is closed.
    func isEnded(_ pair: [Int32]) -> Bool {
      var end = pollfd(fd: pair[1], events: Int16(POLLIN), revents: 0)
      return unsafe poll(&end, 1, 200) == 1
    }
    let control = ConnectionControl()
    try control.adopt(first[0])
    close(first[0])
    control.withDescriptor { _ in
      control.release()
      do { try control.adopt(next[0]) } catch { Issue.record(error) }
      close(next[0])
      #expect(!isEnded(first))
    }
    #expect(isEnded(first) && !isEnded(next))
    control.release()
    #expect(isEnded(next))
    close(first[1])
    close(next[1])
  }
}
