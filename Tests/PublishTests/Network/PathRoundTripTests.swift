// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Testing

@testable import Publish

@Suite struct PathRoundTripTests {
  private struct Path {
    var roundTrip = PathRoundTrip()
    var now = MediaTime.distantPast + .seconds(1_000)

    /// Takes twenty samples a second.
    mutating func take(
      _ milliseconds: Int64, inFlight bytes: Int, seconds: Double, arrives: Bool = true
    ) {
      for _ in 0..<Int(seconds * 20) {
        now = now + .milliseconds(50)
        roundTrip.add(
          .milliseconds(milliseconds), inFlightBytes: bytes, hasArrived: arrives, now: now)
      }
    }

    var milliseconds: Int64 { roundTrip.nanos / 1_000_000 }
  }

  @Test func aQueueIsNotThePath() {
    var path = Path()
    path.take(5, inFlight: 3_000, seconds: 3)
    path.take(400, inFlight: 20_000, seconds: 9)
    #expect(path.milliseconds == 5)
    path.take(400, inFlight: 20_000, seconds: 12)
    #expect(path.milliseconds == 400, "a delay that lasts for so long belongs to the path")
    path.take(30, inFlight: 20_000, seconds: 0.1)
    #expect(path.milliseconds == 30)
  }

  /// A longer path is recognised as soon as little is sent, not twenty seconds later.
  @Test func aLongerPathIsRecognisedWhenLittleIsSent() {
    var path = Path()
    path.take(1, inFlight: 3_000, seconds: 12)
    path.take(101, inFlight: 200, seconds: 1.9)
    #expect(path.milliseconds == 1)
    path.take(101, inFlight: 200, seconds: 0.2)
    #expect(path.milliseconds == 101)
    // No arrivals give no new information.
    path.take(300, inFlight: 0, seconds: 5, arrives: false)
    #expect(path.milliseconds == 101)
    // The mean queue delay decays while little is sent.
    path.take(400, inFlight: 20_000, seconds: 1)
    for mean in [400, 300, 200, 150] as [Int64] { path.take(mean, inFlight: 200, seconds: 0.2) }
    #expect(path.milliseconds == 101)
    path.take(103, inFlight: 200, seconds: 2)
    #expect(path.milliseconds == 103)
    // Again, without a pause.
    path.take(140, inFlight: 200, seconds: 2)
    path.take(140, inFlight: 200, seconds: 2)
    #expect(path.milliseconds == 140)
  }
}
