// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import CPosix
import FakeServer
import Foundation
import Testing

@testable import Publish

/// Leaks over many reconnects, and behaviour without free descriptors or threads. Each test runs in a process of its
/// own, so that it can count the process's descriptors, threads and memory.
@Suite struct EndlessTests {
  struct Usage {
    var descriptors: Int
    var threads: Int
    /// What malloc(3) has handed out and not got back.
    var heapBytes: Int
    var addressKB: Int

    static func now() throws -> Usage {
      let statm = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
      let pages = statm.split(separator: " ").compactMap { Int($0) }
      let files = FileManager.default
      return Usage(
        descriptors: try files.contentsOfDirectory(atPath: "/proc/self/fd").count,
        threads: try files.contentsOfDirectory(atPath: "/proc/self/task").count,
        heapBytes: mallinfo2().uordblks, addressKB: pages[0] * 4)
    }

    /// The minimum over a tenth of a second, since connections come and go.
    static func least() throws -> Usage {
      var least = try now()
      for _ in 0..<50 {
        pause(milliseconds: 2)
        let usage = try now()
        least.descriptors = min(least.descriptors, usage.descriptors)
        least.threads = min(least.threads, usage.threads)
        least.heapBytes = min(least.heapBytes, usage.heapBytes)
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

  /// Six kinds of servers in turn.
  @Test func reconnectsLeakNothing() async {
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
      #expect(Rig.wait { rig.destination.counters.failures >= 60 })
      let before = try Usage.least()
      #expect(Rig.wait { rig.destination.counters.failures >= 360 })
      let after = try Usage.least()
      #expect(after.descriptors <= before.descriptors, "\(before) \(after)")
      #expect(after.threads <= before.threads, "\(before) \(after)")
      // 400 bytes for each connection at most.
      #expect(after.heapBytes <= before.heapBytes + 120_000, "\(before) \(after)")
      #expect(rig.destination.counters.reconnects >= 90)
      #expect(rig.stop())
    }
  }

  @Test func failedTLSHandshakesLeakNothing() async {
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
      #expect(Rig.wait { rig.destination.counters.failures >= 50 })
      let before = try Usage.least()
      #expect(Rig.wait { rig.destination.counters.failures >= 350 })
      let after = try Usage.least()
      // 400 bytes for each connection at most.
      #expect(after.heapBytes <= before.heapBytes + 120_000, "\(before) \(after)")
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
      // Enough for small allocations, but not for a thread's stack of 8 MB.
      EndlessTests.limit(RLIMIT_AS, to: UInt(try Usage.now().addressKB + 6_144) * 1_024)
      let enough = Signal()
      var spare: [MediaThread] = []
      #expect(
        Rig.wait {
          // The C library reuses the stacks of ended threads: use them up.
          while spare.count < 100,
            let thread = try? MediaThread(
              attempting: "spare", urgency: .ordinary,
              body: { _ = enough.wait(until: .distantFuture) })
          { spare.append(thread) }
          return rig.reported.contains { $0.cause == .systemError(EAGAIN) }
        })
      EndlessTests.limit(RLIMIT_AS, to: nil)
      for _ in spare { enough.signal() }
      let failures = rig.destination.counters.failures
      #expect(Rig.wait { rig.destination.counters.failures >= failures + 2 })
      #expect(rig.stop())
    }
  }
}
