// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Decides when a filter has been late too often. Reads no clock: the time is passed in.
///
/// A frame that comes while the program still works on a late one counts for nothing: one hiccup of the machine is one
/// lateness, however many frames it takes.
struct FilterPace {
  /// Nanoseconds within which `most` late frames switch a filter off.
  static let span = Int64.seconds(10)
  static let most = 3
  /// Nanoseconds without an answer that switch a filter off.
  static let silence = Int64.seconds(1)

  /// When the last two late frames were noted, the earlier one first; `.distantPast` for none.
  private var first = MediaTime.distantPast
  private var second = MediaTime.distantPast

  /// Notes that a frame was late.
  /// - Returns: whether the filter has to be switched off.
  mutating func noteLate(_ now: MediaTime) -> Bool {
    defer { (first, second) = (second, now) }
    return first > .distantPast && now - first <= FilterPace.span
  }
}
