// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Media
import Testing

@testable import Publish

@Suite struct PathRoundTripTests {
  private struct Path {
    var roundTrip = PathRoundTrip()
    var now = MediaTime.distantPast + .seconds(1_000)

    /// Looks twenty times a second.
    mutating func take(
      _ milliseconds: Int64, inFlight bytes: Int, seconds: Double, arrives: Bool = true
    ) {
      for _ in 0..<Int(seconds * 20) {
        now = now + .milliseconds(50)
        roundTrip.note(
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
    #expect(path.milliseconds == 400, "what lasts for so long is the path's")
    path.take(30, inFlight: 20_000, seconds: 0.1)
    #expect(path.milliseconds == 30)
  }

  /// A path that becomes longer is known as such as soon as little is sent, and not twenty seconds later.
  @Test func aLongerPathIsKnownByNextToNothing() {
    var path = Path()
    path.take(1, inFlight: 3_000, seconds: 12)
    path.take(101, inFlight: 200, seconds: 1.9)
    #expect(path.milliseconds == 1)
    path.take(101, inFlight: 200, seconds: 0.2)
    #expect(path.milliseconds == 101)
    // Nothing that arrives tells nothing new.
    path.take(300, inFlight: 0, seconds: 5, arrives: false)
    #expect(path.milliseconds == 101)
    // A queue's mean fades while little is sent.
    path.take(400, inFlight: 20_000, seconds: 1)
    for mean in [400, 300, 200, 150] as [Int64] { path.take(mean, inFlight: 200, seconds: 0.2) }
    #expect(path.milliseconds == 101)
    path.take(103, inFlight: 200, seconds: 2)
    #expect(path.milliseconds == 103)
    // And once more, without anything in between.
    path.take(140, inFlight: 200, seconds: 2)
    path.take(140, inFlight: 200, seconds: 2)
    #expect(path.milliseconds == 140)
  }
}
