// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Testing

@testable import LinkLab
@testable import RateControl

/// The measurement on links in virtual time.
@Suite struct UplinkProbeTests {
  struct Run {
    var probe: UplinkProbe
    var seconds: Double
    /// Each rate, in the order of time.
    var rates: [Int] = []
  }

  /// - Parameters:
  ///   - queue: seconds that the bottleneck's queue holds.
  ///   - roundTrip: seconds without queues.
  ///   - keyBytes: of the keyframe at the start.
  func measure(
    kbps: Double, queue: Double, roundTrip: Double = 0.03, mostKbps: Int = 18_000,
    keyBytes: Double = 30_000, share: @escaping (Double) -> Double = { _ in 1 }
  ) -> Run {
    var link = VirtualLink(
      kbps: { kbps * share($0) }, queueBytes: kbps * 125 * queue, roundTrip: roundTrip,
      kernelBytes: 200_000)
    var run = Run(probe: UplinkProbe(mostKbps: mostKbps), seconds: 0)
    var waiting = 0.0
    var debt = 0.0
    for tick in 0..<12_000 where !run.probe.isOver {
      let now = Double(tick) * 0.005
      if tick.isMultiple(of: 10) {
        let delay = (link.entered - link.arrived) / (kbps * 125)
        run.probe.note(
          UplinkReading(
            arrivedBytes: UInt64(link.acknowledged), backlogBytes: Int(link.underWay + waiting),
            roundTrip: .seconds(roundTrip + delay), leastRoundTrip: .seconds(roundTrip)),
          at: .seconds(now))
        run.seconds = now
        let rate = run.probe.kbps
        if rate != run.rates.last, rate > 0 { run.rates.append(rate) }
        // As the sender does: a large keyframe is made up for by less filler after it.
        debt -= Double(rate) * 125 / 20
        let bytes = tick == 0 ? keyBytes : max(200, -debt)
        debt = max(0, debt + bytes)
        waiting += bytes
      }
      while waiting > 0, link.hasRoom {
        let bytes = min(waiting, 1_400)
        link.hand(VirtualMessage(kind: .picture, capturedAt: now, bytes: bytes, quality: 1))
        waiting -= bytes
      }
      link.step(to: now, by: 0.005) { _ in }
    }
    return run
  }

  @Test(arguments: [300.0, 1_000, 3_000, 5_200], [0.05, 0.5])
  func findsTheCapacity(kbps: Double, queue: Double) {
    for roundTrip in [0.005, 0.03, 0.2] {
      let run = measure(kbps: kbps, queue: queue, roundTrip: roundTrip)
      #expect(run.probe.isOver && !run.probe.isUnlimited)
      let found = Double(run.probe.provenKbps)
      #expect(found > 0.9 * kbps && found <= 1.02 * kbps, "\(kbps) \(queue) \(roundTrip): \(found)")
    }
  }

  @Test(arguments: [0.05, 0.5]) func stopsAtTheHighestRate(queue: Double) {
    let run = measure(kbps: 20_000, queue: queue)
    #expect(run.probe.isUnlimited)
    #expect(run.probe.provenKbps > 17_000 && run.probe.provenKbps < 18_500)
    #expect(run.rates == [500, 1_000, 2_000, 4_000, 8_000, 12_000, 16_000, 18_000])
    #expect(run.seconds > 8 && run.seconds < 12)
  }

  /// A link that is too slow is not flooded: the test ends in the first step that it does not carry.
  @Test func endsWithTheFirstRateThatIsTooHigh() {
    #expect(measure(kbps: 300, queue: 0.5).rates == [500])
    #expect(measure(kbps: 300, queue: 0.5).seconds < 4)
    #expect(measure(kbps: 3_000, queue: 0.05).rates == [500, 1_000, 2_000, 4_000])
  }

  /// A moment in which nothing arrives does not end the search.
  @Test func aHiccupIsForgiven() {
    let run = measure(kbps: 20_000, queue: 0.5, mostKbps: 8_000) { $0 > 3.9 && $0 < 4.3 ? 0 : 1 }
    #expect(run.probe.isUnlimited && run.probe.provenKbps > 7_600)
  }

  /// Nothing arrives at all.
  @Test func aDeadLinkProvesNothing() {
    let run = measure(kbps: 3_000, queue: 0.5, share: { _ in 0 })
    #expect(run.probe.isOver && !run.probe.isUnlimited && run.probe.provenKbps == 0)
  }

  @Test func theRemainingTimeFalls() {
    var probe = UplinkProbe(mostKbps: 4_000)
    #expect(probe.rates == [500, 1_000, 2_000, 4_000])
    #expect(probe.plannedDuration == .milliseconds(5_600))
    var left = probe.plannedDuration
    var bytes: UInt64 = 0
    for tick in 0..<140 where !probe.isOver {
      let now = Duration.milliseconds(50 * tick)
      probe.note(
        UplinkReading(
          arrivedBytes: bytes, backlogBytes: 0, roundTrip: .milliseconds(10),
          leastRoundTrip: .milliseconds(10)), at: now)
      bytes += UInt64(probe.kbps * 125 / 20)
      #expect(probe.remaining(at: now) <= left)
      left = probe.remaining(at: now)
    }
    #expect(probe.isOver && probe.remaining(at: .seconds(7)) == .zero && probe.kbps == 0)
  }
}
