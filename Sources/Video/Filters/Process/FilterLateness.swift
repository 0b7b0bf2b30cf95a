// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Decides when a filter has been late too often. Reads no clock: the time is passed in.
///
/// A frame that arrives while the program still works on a late frame is not counted: a hiccup of the machine counts as
/// one late frame, however many frames it delays.
struct FilterLateness {
  /// Nanoseconds within which `mostLate` late frames switch a filter off.
  static let spanNanos = Int64.seconds(10)
  /// Late frames within `spanNanos` that switch a filter off.
  static let mostLate = 3
  /// Nanoseconds without an answer that switch a filter off.
  static let silenceNanos = Int64.seconds(1)

  /// When the second-to-last late frame was noted; `.distantPast` if there was none.
  private var secondToLast = MediaTime.distantPast
  /// When the last late frame was noted; `.distantPast` if there was none.
  private var last = MediaTime.distantPast

  /// Notes that a frame was late.
  /// - Returns: whether the filter has to be switched off.
  mutating func noteLate(_ now: MediaTime) -> Bool {
    defer { (secondToLast, last) = (last, now) }
    return secondToLast > .distantPast && now - secondToLast <= FilterLateness.spanNanos
  }
}
