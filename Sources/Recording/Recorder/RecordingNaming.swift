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

  /// The name of a file.
  /// - Parameter nanos: how long ago the file began.
  func make(earlierNanos nanos: Int64 = 0, _ isTaken: (String) -> Bool) -> String {
    let began = wall.milliseconds - nanos / 1_000_000
    let local = began + Int64(zone.offset(at: began / 1_000)) * 1_000
    return RecordingName.make(title: title, at: clockIsSet() ? local : nil, isTaken: isTaken)
  }
}
