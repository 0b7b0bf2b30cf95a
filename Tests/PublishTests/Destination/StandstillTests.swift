// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import FakeServer
import Media
import Testing

@testable import Publish

/// After a suspend or a SIGSTOP what is late is not the network's fault.
@Suite struct StandstillTests {
  private let start = MediaTime(nanos: .seconds(1_000))

  /// Whether a look at each of these milliseconds comes right after a standstill.
  private func looks(_ milliseconds: [Int64], asleep: (Int64) -> Int64 = { _ in 0 }) -> [Bool] {
    var standstill = Standstill()
    return milliseconds.map {
      standstill.look(now: start + .milliseconds($0), suspendedNanos: .milliseconds(asleep($0)))
    }
  }

  @Test func aPauseOfOurOwnIsFound() {
    #expect(looks([0, 50, 100, 1_100, 1_150]) == [false, false, false, false, false])
    #expect(
      looks([0, 50, 1_051, 2_050, 3_050, 3_060]) == [false, false, true, true, true, false])
    #expect(looks([90_000]) == [false], "before the first look nothing is known")
  }

  /// What is excused between the look at the queue and the look at it is more than the queue had then.
  @Test func figuresOfBeforeAnExcuseAreZero() throws {
    let destination = Destination(
      name: "rtmp test",
      target: try RTMPTarget(host: "127.0.0.1", port: 1, app: "live", streamKey: "key"),
      hasVideo: true, queueBytes: 100_000, encoder: "test", listener: { _ in })
    destination.progress.withLock { ($0.excusedDrops, $0.excusedOverflows) = (2, 1) }
    #expect(destination.counters.dropped == 0 && destination.counters.overflows == 0)
  }

  /// CLOCK_MONOTONIC does not count it.
  @Test func aSuspendIsFound() {
    #expect(looks([0, 50, 100]) { $0 < 100 ? 500 : 40_000 } == [false, false, true])
    #expect(looks([0, 50, 100]) { _ in 3_600_000 } == [false, false, false], "of before")
  }

  private func judged(pause: Int64) throws -> (counters: DestinationCounters, causes: Set<String>) {
    let clock = VirtualClock()
    let server = try FakeServer.reading()
    defer { server.end() }
    let destination = Destination(
      name: "rtmp test",
      target: try RTMPTarget(host: "127.0.0.1", port: server.port, app: "live", streamKey: "key"),
      hasVideo: true, queueBytes: 100_000, encoder: "test", clock: clock.clock, listener: { _ in })
    destination.setVideo(Sample.video)
    // Nothing is sent, so that the queue overflows when the test wants it to.
    destination.setMaxInFlight(bytes: -10, capacityKbps: nil)
    destination.start()
    #expect(Rig.wait { destination.counters.state.isOnAir })
    destination.supervise(now: clock.now)
    func offer(_ kind: PacketKind) {
      Piece(kind: kind, time: clock.now, bytes: [UInt8](repeating: 1, count: 40_000)).lent {
        destination.offer($0)
      }
    }
    clock.advance(by: pause)
    for kind in [PacketKind.keyframe, .frame, .frame, .frame, .frame] { offer(kind) }
    destination.supervise(now: clock.now)
    var causes: Set<String> = []
    for _ in 0..<20 {
      clock.advance(by: .milliseconds(50))
      destination.supervise(now: clock.now)
      if let cause = destination.progress.withLock({ $0.cause }) { causes.insert(cause.code) }
    }
    let counters = destination.counters
    #expect(destination.hasJustResumed == (pause > .seconds(1)))
    #expect(destination.queue.figures.overflows > 0)
    #expect(destination.stop(goodbye: false, by: clock.now + .seconds(60)))
    return (counters, causes)
  }

  @Test func anOverflowAfterItDoesNotBlameTheLink() throws {
    let (counters, causes) = try judged(pause: .seconds(3))
    #expect(!counters.isSlow && counters.overflows == 0 && counters.dropped == 0)
    #expect(counters.standstills == 1 && !causes.contains("link_too_slow"))
  }

  @Test func anOverflowWhileWeRunDoes() throws {
    let (counters, causes) = try judged(pause: .milliseconds(50))
    #expect(counters.isSlow && counters.overflows > 0 && counters.dropped > 0)
    #expect(counters.standstills == 0 && causes.contains("link_too_slow"))
  }
}
