// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Glibc
import Synchronization
import Testing

struct JobThreadTests {
  private final class Done: Sendable {
    let order = Mutex<[Int]>([])
  }

  private static var soon: MediaTime { .now() + .seconds(60) }

  @Test func jobsRunInOrderAndTheRestIsRefused() async throws {
    let jobs = JobThread(name: "test", urgency: .ordinary, mostWaiting: 8)
    // Twice: the thread has ended in between.
    for _ in 0..<2 {
      let (gate, end, done) = (Signal(), Signal(), Done())
      #expect(jobs.submit { _ = gate.wait(until: JobThreadTests.soon) })
      for index in 0..<8 { #expect(jobs.submit { done.order.withLock { $0.append(index) } }) }
      #expect(!jobs.submit {})
      await #expect(throws: JobThread.BusyError.self) { try await jobs.run {} }
      #expect(done.order.withLock { $0 } == [])
      gate.signal()
      // Once the last of them has begun, there is room again.
      while !jobs.submit({ end.signal() }) { await Task.yield() }
      #expect(end.wait(until: JobThreadTests.soon))
      #expect(done.order.withLock { $0 } == Array(0..<8))
      while jobs.unfinished > 0 { await Task.yield() }
    }
  }

  private struct FullError: Error {}

  @Test func aJobMayThrow() async throws {
    let jobs = JobThread(name: "test", urgency: .ordinary, mostWaiting: 8)
    await #expect(throws: FullError.self) {
      try await jobs.run { () throws -> Int in throw FullError() }
    }
    let value = try await jobs.run { () throws -> Int in 7 }
    #expect(value == 7)
  }

  @Test func theEndWaitsForTheJobs() {
    let jobs = JobThread(name: "test", urgency: .ordinary, mostWaiting: 8)
    #expect(jobs.finish(by: .now()), "there is none")
    let (gate, done) = (Signal(), Done())
    jobs.submit {
      _ = gate.wait(until: JobThreadTests.soon)
      done.order.withLock { $0.append(1) }
    }
    #expect(!jobs.finish(by: .now()))
    gate.signal()
    #expect(jobs.finish(by: JobThreadTests.soon))
    #expect(done.order.withLock { $0 } == [1])
  }

  @Test func requestsGiveWay() async throws {
    let jobs = JobThread(name: "test", urgency: .request, mostWaiting: 8)
    let nice = try await jobs.run { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }
    #expect(nice >= 10)
  }
}
