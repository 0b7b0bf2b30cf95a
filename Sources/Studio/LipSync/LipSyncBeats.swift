// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// When lamp and buzzer are on during a lip-sync measurement: together, for 100 ms, at intervals of 0.7 to 1.3 s that
/// have no pattern, so that they do not keep step with the frames of the camera.
public struct LipSyncBeats: Sendable, Equatable {
  public static let onNanos: Int64 = .milliseconds(100)

  private let start: MediaTime

  public init(start: MediaTime) { self.start = start }

  /// Whether lamp and buzzer are on at `now`, and until when that stays so.
  public func state(at now: MediaTime) -> (isOn: Bool, until: MediaTime) {
    var (beat, number) = (start, UInt64(0))
    while true {
      if now < beat { return (false, beat) }
      if now < beat + LipSyncBeats.onNanos { return (true, beat + LipSyncBeats.onNanos) }
      beat = beat + .milliseconds(700) + LipSyncBeats.spread(number)
      number += 1
    }
  }

  /// 0 to 600 ms, by the number of the beat (SplitMix64).
  private static func spread(_ number: UInt64) -> Int64 {
    var value = (number &+ 1) &* 0x9E37_79B9_7F4A_7C15
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return Int64((value ^ value >> 31) % 600_000_000)
  }
}
