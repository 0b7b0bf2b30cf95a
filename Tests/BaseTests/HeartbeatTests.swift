// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Testing

@testable import Base

@Suite struct HeartbeatTests {
  private let time = VirtualClock()

  @Test func aThreadHangsAfterTenSeconds() {
    let heartbeat = Heartbeat()
    let start = time.now
    let unstarted = heartbeat.isAlive(start)
    #expect(unstarted)
    heartbeat.beat(start)
    let before = heartbeat.isAlive(start + .seconds(10) - 1)
    let after = heartbeat.isAlive(start + .seconds(10))
    #expect(before && !after)
    heartbeat.beat(start + .seconds(20))
    let again = heartbeat.isAlive(start + .seconds(20))
    #expect(again)
    heartbeat.rest(until: start + .seconds(3_600))
    let resting = heartbeat.isAlive(start + .seconds(3_609))
    let late = heartbeat.isAlive(start + .seconds(3_610))
    #expect(resting && !late)
    heartbeat.rest(until: .distantFuture)
    let ever = heartbeat.isAlive(.distantFuture)
    #expect(ever)
  }

  private func isAlive(_ worker: Worker) -> Bool { worker.heartbeat.isAlive(time.now) }

  @Test func aWorkerThatWaitsIsAlive() {
    let worker = Worker(name: "waits", clock: time.clock)
    let begun = Signal()
    worker.start {
      begun.signal()
      while worker.sleep(until: .distantFuture) {}
    }
    #expect(begun.wait(until: .now() + .seconds(30)))
    // It has begun to wait once it rests for longer than it may be late.
    time.advance(by: .seconds(9))
    let deadline = MediaTime.now() + .seconds(600)
    while !worker.heartbeat.isAlive(time.now + .seconds(100)), .now() < deadline {}
    time.advance(by: .seconds(86_400))
    #expect(isAlive(worker))
    #expect(worker.stop(by: .now() + .seconds(30)))
  }

  @Test func aWorkerThatHangsIsNot() {
    let worker = Worker(name: "hangs", clock: time.clock)
    let (begun, release) = (Signal(), Signal())
    worker.start {
      begun.signal()
      _ = release.wait(until: .distantFuture)
    }
    #expect(begun.wait(until: .now() + .seconds(30)))
    time.advance(by: .seconds(10) - 1)
    #expect(isAlive(worker))
    time.advance(by: 1)
    #expect(!isAlive(worker))
    release.signal()
    #expect(worker.join(by: .now() + .seconds(30)))
    #expect(isAlive(worker), "it has ended")
  }
}
