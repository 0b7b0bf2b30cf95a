// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Testing

@testable import RateControl

@Suite struct LinkProbeTests {
  private static let tick = Duration.milliseconds(50)

  /// Updates a probe for some seconds; the times and sizes of its bursts.
  private func go(
    _ probe: inout LinkProbe, from begin: Double = 0, seconds: Double, bytes: Int? = 10_000,
    load: LinkProbe.Load, isClear: Bool = true, most: Int = .max
  ) -> [(at: Double, bytes: Int)] {
    var bursts: [(Double, Int)] = []
    for step in 0..<Int(seconds * 20) where bursts.count < most {
      let before = probe.burst.number
      let now = Duration.seconds(begin) + LinkProbeTests.tick * step
      probe.update(bytes: bytes, load: load, isClear: isClear, at: now)
      if probe.burst.number != before { bursts.append((now / .seconds(1), probe.burst.bytes)) }
    }
    return bursts
  }

  /// Filler takes a small share of the rate, and more of it only where a scene leaves it.
  @Test(arguments: [
    (LinkProbe.Load.live(rate: 600, encoded: 600), 36.0), (.live(rate: 600, encoded: 0), 120),
    (.live(rate: 600, encoded: 540), 60), (.live(rate: 600, encoded: 900), 36), (.still, 32),
  ])
  func fillerStaysWithinItsShare(load: LinkProbe.Load, kbps: Double) {
    var probe = LinkProbe()
    let bursts = go(&probe, seconds: 100, load: load)
    #expect(bursts.allSatisfy { $0.bytes == 10_000 })
    let sent = Double(bursts.count) * 10_000 * 0.008 / 100
    #expect(sent <= kbps)
    #expect(sent > 0.9 * kbps)
  }

  @Test func nothingIsFilledAtTheTargetNorWhileSomethingWaits() {
    var probe = LinkProbe()
    let load = LinkProbe.Load.live(rate: 600, encoded: 600)
    #expect(go(&probe, seconds: 60, bytes: nil, load: load).isEmpty)
    #expect(go(&probe, from: 60, seconds: 60, load: load, isClear: false).isEmpty)
    // What was saved meanwhile is enough for one burst, not for several.
    #expect(go(&probe, from: 120, seconds: 2, load: load).map(\.at) == [120])
  }

  /// A burst that shows capacity is followed by another one soon.
  @Test func successIsFollowedUp() {
    var probe = LinkProbe()
    let load = LinkProbe.Load.live(rate: 600, encoded: 600)
    let first = go(&probe, seconds: 3, load: load)
    #expect(first.count == 1)
    probe.noteCapacity(at: .seconds(3))
    #expect(go(&probe, from: 3, seconds: 1, load: load).map(\.at) == [3])
  }

  /// A shaper lets bursts pass and then queues what follows: each burst makes the next one wait longer.
  @Test func misleadingBurstsBecomeRare() {
    var probe = LinkProbe()
    var at = 0.0
    var gaps: [Double] = []
    for _ in 0..<6 {
      let burst = go(&probe, from: at, seconds: 5, load: .still, most: 1).first?.at ?? 99
      gaps.append(burst - at)
      at = burst + 0.1
      probe.noteCapacity(at: .seconds(at))
      probe.noteCongestion(at: .seconds(at + 0.5))
    }
    #expect(gaps.last ?? 0 > 2.8)
    #expect(gaps.allSatisfy { $0 <= 3 })
    // A burst that did not mislead makes up for it.
    probe.noteCapacity(at: .seconds(at))
    _ = go(&probe, from: at, seconds: 4, bytes: nil, load: .still)
    probe.noteCapacity(at: .seconds(at + 4))
    #expect(go(&probe, from: at + 4, seconds: 0.8, load: .still).count == 1)
  }
}
