// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
import Logging
import Testing

@testable import Appliance

struct LogTests {
  /// One page of the pipe is free: poll(2) reports it as writable, but a longer write would block.
  @Test(.timeLimit(.minutes(10))) func loggingDoesNotBlockWithoutAReader() throws {
    var ends: [Int32] = [-1, -1]
    try #require(unsafe pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    var page = [UInt8](repeating: UInt8(ascii: "x"), count: 4_096)
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    var pages = 0
    while unsafe write(ends[1], page, page.count) == page.count { pages += 1 }
    _ = fcntl(ends[1], F_SETFL, 0)
    #expect(unsafe read(ends[0], &page, page.count) == page.count)
    let log = Logger(label: "test") { [descriptor = ends[1]] _ in
      var log = StandardErrorLog(environment: [:])
      log.descriptor = descriptor
      return log
    }
    log.info("\(String(repeating: "ä", count: 5_000))")
    log.info("lost, for nobody reads")
    for _ in 1..<pages { #expect(unsafe read(ends[0], &page, page.count) == page.count) }
    let length = unsafe read(ends[0], &page, page.count)
    let line = try #require(String(validating: page[..<length], as: UTF8.self))
    #expect((4_090...4_096).contains(length) && line.hasSuffix("ä…\n"))
    log.info("a\n<0>b\u{1B}[2J\u{9B}c\u{202E}d", metadata: ["e": "\r\n"])
    let other = unsafe read(ends[0], &page, page.count)
    #expect(String(decoding: page[..<other], as: UTF8.self).hasSuffix(" a <0>b [2J c d [e:   ]\n"))
  }
}
