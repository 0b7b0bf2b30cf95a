// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import FakeServer
import Foundation
import Media
import Testing

@testable import Publish

/// What a box does for months, and what it does when the system has nothing left to give: each in a
/// process of its own, whose descriptors, threads and memory nobody else touches.
@Suite struct EndlessTests {
  /// Counts of this process.
  struct Usage {
    var descriptors: Int
    var threads: Int
    var residentKB: Int
    var addressKB: Int

    static func now() throws -> Usage {
      let statm = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
      let pages = statm.split(separator: " ").compactMap { Int($0) }
      let files = FileManager.default
      return Usage(
        descriptors: try files.contentsOfDirectory(atPath: "/proc/self/fd").count,
        threads: try files.contentsOfDirectory(atPath: "/proc/self/task").count,
        residentKB: pages[1] * 4, addressKB: pages[0] * 4)
    }

    /// The least of a tenth of a second, in which connections come and go.
    static func least() throws -> Usage {
      var least = try now()
      for _ in 0..<50 {
        (MediaTime.now() + .milliseconds(2)).sleepUntil()
        let usage = try now()
        least.descriptors = min(least.descriptors, usage.descriptors)
        least.threads = min(least.threads, usage.threads)
        least.residentKB = min(least.residentKB, usage.residentKB)
      }
      return least
    }
  }

  static func limit(_ resource: __rlimit_resource, to value: UInt?) {
    let resource = __rlimit_resource_t(resource.rawValue)
    var limit = rlimit()
    unsafe getrlimit(resource, &limit)
    limit.rlim_cur = value ?? limit.rlim_max
    unsafe setrlimit(resource, &limit)
  }

  @Test func fiveHundredReconnectsLeaveNothingBehind() async {
    await #expect(processExitsWith: .success) {
      let server = try FakeServer { [count = Found<Int>()] peer in
        let number = count.now ?? 0
        count.set(number + 1)
        switch number % 6 {
        case 0: return
        case 1: try peer.greet()
        case 2:
          try peer.greet()
          try peer.answer(upTo: "publish")
          try peer.status(level: "error", "NetStream.Publish.BadName")
        case 3: try peer.accept()
        case 4:
          try peer.accept()
          try peer.write([3, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0x14, 0, 0, 0, 0])
        default:
          try peer.accept()
          while try peer.message().type != 9 {}
          peer.resetOnClose()
        }
      }
      var deadlines = Rig.deadlines
      deadlines.retryPause = .milliseconds(1)
      deadlines.longestRetryPause = .milliseconds(1)
      let rig = try Rig(port: server.port, host: "localhost", deadlines: deadlines)
      rig.destination.start()
      rig.encode()
      #expect(Rig.wait(seconds: 20) { rig.destination.counters.failures >= 60 })
      let before = try Usage.least()
      #expect(Rig.wait(seconds: 60) { rig.destination.counters.failures >= 560 })
      let after = try Usage.least()
      #expect(after.descriptors <= before.descriptors, "\(before) \(after)")
      #expect(after.threads <= before.threads, "\(before) \(after)")
      #expect(after.residentKB <= before.residentKB + 1_024, "\(before) \(after)")
      #expect(rig.destination.counters.reconnects >= 150)
      #expect(rig.stop())
    }
  }

  /// A server that does not speak TLS, for a night.
  @Test func failedGreetingsLeaveNothingBehind() async {
    await #expect(processExitsWith: .success) {
      let server = try FakeServer { peer in
        _ = try peer.read(16)
        try peer.write(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
      }
      var deadlines = Rig.deadlines
      deadlines.retryPause = .milliseconds(1)
      deadlines.longestRetryPause = .milliseconds(1)
      let rig = try Rig(
        port: server.port, transport: .tls(authorities: ""), deadlines: deadlines)
      rig.destination.start()
      #expect(rig.waitForCause()?.cause == .notTLS)
      #expect(Rig.wait(seconds: 20) { rig.destination.counters.failures >= 50 })
      let before = try Usage.least()
      #expect(Rig.wait(seconds: 60) { rig.destination.counters.failures >= 350 })
      let after = try Usage.least()
      #expect(after.residentKB <= before.residentKB + 1_024, "\(before) \(after)")
      #expect(after.descriptors <= before.descriptors, "\(before) \(after)")
      #expect(rig.stop())
    }
  }

  @Test func outOfDescriptors() async {
    await #expect(processExitsWith: .success) {
      let server = try FakeServer.reading()
      let rigs = try ["127.0.0.1", "localhost"].map { try Rig(port: server.port, host: $0) }
      EndlessTests.limit(RLIMIT_NOFILE, to: 3)
      for rig in rigs {
        rig.destination.start()
        #expect(rig.waitForCause()?.cause == .systemError(EMFILE))
        #expect(Rig.wait { rig.destination.counters.failures >= 2 })
      }
      EndlessTests.limit(RLIMIT_NOFILE, to: nil)
      for rig in rigs {
        #expect(rig.waitForPublishing())
        #expect(rig.stop())
      }
    }
  }

  @Test func outOfThreads() async {
    await #expect(processExitsWith: .success) {
      let rig = try Rig(port: FakeServer.freePort(), host: "localhost")
      rig.destination.start()
      #expect(rig.waitForCause()?.cause == .connectionRefused)
      // Room for what is small; a thread's stack takes 8 MB.
      EndlessTests.limit(RLIMIT_AS, to: UInt(try Usage.now().addressKB + 6_144) * 1_024)
      let enough = Signal()
      var spare: [MediaThread] = []
      #expect(
        Rig.wait {
          // The C library keeps the stacks of threads that have ended: use them up.
          while spare.count < 100,
            let thread = try? MediaThread(
              attempting: "spare", urgency: .ordinary,
              body: { _ = enough.wait(until: .distantFuture) })
          { spare.append(thread) }
          return rig.told.contains { $0.cause == .systemError(EAGAIN) }
        })
      EndlessTests.limit(RLIMIT_AS, to: nil)
      for _ in spare { enough.signal() }
      let failures = rig.destination.counters.failures
      #expect(Rig.wait { rig.destination.counters.failures >= failures + 2 })
      #expect(rig.stop())
    }
  }
}
