// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Makes the names of a recorder's files.
struct RecordingNaming: Sendable {
  /// The text after the time.
  var title: String
  let zone: TimeZoneFile
  /// Whether the clock has been set.
  let clockIsSet: @Sendable () -> Bool
  let wall: WallClock

  /// The present time in seconds since 1970; 0 if the clock is not set.
  var seconds: Int64 { clockIsSet() ? wall.seconds : 0 }

  /// The name of a file that begins now.
  func make(_ isTaken: (String) -> Bool) -> String {
    let local = wall.milliseconds + Int64(zone.offset(at: wall.seconds)) * 1_000
    return RecordingName.make(title: title, at: clockIsSet() ? local : nil, isTaken: isTaken)
  }
}
