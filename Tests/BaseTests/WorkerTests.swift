// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Synchronization
import Testing

@testable import Base

struct WorkerTests {
  @Test func aWorkerEndsWhenItIsStopped() {
    let worker = Worker(name: "test")
    worker.start { while worker.sleep(until: .distantFuture) {} }
    #expect(worker.stop(by: .now() + .seconds(30)))
    #expect(worker.stop(by: .distantPast))
  }

  @Test func stoppingAWorkerThatHangsEndsAtTheDeadline() {
    let release = Signal()
    let worker = Worker(name: "hangs")
    worker.start { _ = release.wait(until: .distantFuture) }
    #expect(!worker.stop(by: .now() + .milliseconds(20)))
    release.signal()
    #expect(worker.join(by: .now() + .seconds(30)))
  }

  @Test func aWorkerStoppedBeforeItsStartNeverRuns() {
    let hasRun = Atomic(false)
    let worker = Worker(name: "test")
    #expect(worker.stop(by: .distantPast))
    worker.start { hasRun.store(true, ordering: .releasing) }
    #expect(worker.join(by: .now() + .seconds(30)))
    let ran = hasRun.load(ordering: .acquiring)
    #expect(!ran)
  }

  @Test func aWorkerSleepsOnItsOwnClock() {
    let time = VirtualClock()
    let begun = time.now
    let wokenAt = Atomic<Int64>(0)
    let done = Signal()
    let worker = Worker(name: "test", clock: time.clock)
    worker.start {
      if worker.sleep(until: begun + .seconds(3_600)) {
        wokenAt.store(time.now.nanos, ordering: .releasing)
      }
      done.signal()
    }
    time.advance(by: .seconds(3_599))
    #expect(!done.wait(until: .now() + .milliseconds(20)))
    time.advance(by: .seconds(1))
    #expect(done.wait(until: .now() + .seconds(30)))
    let instant = wokenAt.load(ordering: .acquiring)
    #expect(instant == (begun + .seconds(3_600)).nanos)
  }

  @Test func aWakeEndsOneWait() {
    let worker = Worker(name: "test")
    worker.wake()
    // Returns at once, and clears the wake.
    worker.wait(until: .distantFuture)
    let deadline = MediaTime.now() + .milliseconds(10)
    worker.wait(until: deadline)
    #expect(.now() >= deadline)
  }
}
