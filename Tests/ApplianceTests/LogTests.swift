// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Glibc
import Logging
import Testing

@testable import Appliance

struct LogTests {
  /// A log, and who reads it.
  private final class Target {
    private let ends: (reader: Int32, writer: Int32)
    let handler: StandardErrorLog
    let log: Logger
    private var unread: [UInt8] = []

    /// - Parameter isTerminal: poll(2) calls a terminal writable while a single byte fits.
    init(isTerminal: Bool = false) throws {
      if isTerminal {
        // ioctl_tty(2): TIOCSPTLCK and TIOCGPTN, which Swift does not import.
        let leader = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY)
        var (isLocked, number): (Int32, Int32) = (0, 0)
        try #require(unsafe ioctl(leader, 0x4004_5431, &isLocked) == 0)
        try #require(unsafe ioctl(leader, 0x8004_5430, &number) == 0)
        ends = (leader, unsafe open("/dev/pts/\(number)", O_RDWR | O_NOCTTY))
        try #require(ends.writer >= 0)
      } else {
        var pair: [Int32] = [-1, -1]
        try #require(unsafe pipe(&pair) == 0)
        ends = (pair[0], pair[1])
      }
      let handler = StandardErrorLog(environment: [:], descriptor: ends.writer)
      self.handler = handler
      log = Logger(label: "test") { _ in handler }
    }

    deinit {
      #expect(handler.flush(by: .now() + .seconds(60)))
      close(ends.writer)
      close(ends.reader)
    }

    /// The next line, without its time.
    func line() throws -> String {
      while true {
        if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
          defer { unread.removeFirst(end + 1) }
          let line = try #require(String(validating: unread[..<end], as: UTF8.self))
          // A terminal ends lines with two characters.
          return String(line.filter { $0 != "\r" }.dropFirst("00:00:00 ".count))
        }
        var block = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe read(ends.reader, &block, block.count)
        try #require(count > 0)
        unread += block[..<count]
      }
    }
  }

  @Test(.timeLimit(.minutes(10)), arguments: [false, true])
  func whoLogsNeverWaitsForTheReader(isTerminal: Bool) throws {
    let target = try Target(isTerminal: isTerminal)
    let count = 10_000
    try #require(count * "00:00:00 message 1\n".utf8.count > 2 * LogWriter.maxWaitingBytes)
    for number in 0..<count { target.log.info("message \(number)") }
    #expect(!target.handler.flush(by: .now() + .milliseconds(20)))

    // Lost messages are counted at their place, perhaps at several.
    var (next, lost) = (0, 0)
    while next < count {
      let line = try target.line()
      if line == "message \(next)" {
        next += 1
      } else {
        try #require(line.contains("lost here"))
        let more = try #require(line.split(separator: " ").last.flatMap { Int($0.dropLast()) })
        next += more
        lost += more
      }
    }
    #expect(next == count && lost > 0)
    target.log.info("read again")
    #expect(try target.line() == "read again")
  }

  @Test(.timeLimit(.minutes(10))) func eachMessageIsOneLine() throws {
    let target = try Target()
    target.log.info("\(String(repeating: "ä", count: 5_000))")
    let long = try target.line()
    let length = long.utf8.count + "00:00:00 \n".utf8.count
    #expect((4_090...StandardErrorLog.longestLine).contains(length) && long.hasSuffix("ä…"))
    target.log.info("a\n<0>b\u{1B}[2J\u{9B}c\u{202E}d", metadata: ["e": "\r\n"])
    #expect(try target.line() == "a <0>b [2J c d [e:   ]")
  }

  /// As at the end of the program.
  @Test func afterAFlushAllIsWritten() throws {
    let target = try Target()
    for number in 0..<100 { target.log.error("message \(number)") }
    #expect(target.handler.flush(by: .now() + .seconds(60)))
    for number in 0..<100 { #expect(try target.line() == "error: message \(number)") }
  }
}
