// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import RateControl

/// Readings of a link whose behaviour the test sets.
struct SteadyLink {
  var now = Duration.zero
  var connection: UInt64 = 1
  var delay = Duration.zero
  var roundTrip = Duration.milliseconds(5)
  var backlogBytes = 0
  var audioKbps = 0
  private var bytes: UInt64 = 0
  private var encodedBytes: UInt64 = 0
  private var audioBytes: UInt64 = 0

  /// Carries everything for five seconds, and a quarter of it, late, for five more.
  mutating func starve(_ controller: inout BitrateController) {
    for _ in 0..<100 { controller.note(reading(kbps: 2_000), at: now) }
    delay = .milliseconds(900)
    for _ in 0..<100 { controller.note(reading(kbps: 100, encoded: 400), at: now) }
  }

  /// - Parameters:
  ///   - kbps: throughput.
  ///   - encoded: video bit rate; `nil` for the same.
  mutating func reading(kbps: Int, encoded: Int? = nil) -> LinkReading {
    now += .milliseconds(50)
    bytes += UInt64(kbps * 125 / 20)
    encodedBytes += UInt64((encoded ?? kbps) * 125 / 20)
    audioBytes += UInt64(audioKbps * 125 / 20)
    return LinkReading(
      connection: connection, encodedBytes: encodedBytes, audioBytes: audioBytes,
      arrivedBytes: bytes, backlogBytes: backlogBytes,
      oldestAge: delay + roundTrip, roundTrip: roundTrip)
  }
}
