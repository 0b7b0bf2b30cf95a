// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Debounces a condition: it is on once it has lasted for `rising`, and off once it has been absent for `falling`.
/// Reads no clock and does no I/O: the time is passed in.
struct Latch {
  /// Nanoseconds for which the condition has to last before it counts.
  let rising: Int64
  /// Nanoseconds for which the condition has to be absent before it counts as over.
  let falling: Int64

  /// Whether the debounced condition is on.
  private(set) var isOn = false
  /// Since when the condition has lasted; `nil` while it is absent.
  private var since: MediaTime?
  /// When the condition was last present; `nil` if it never was.
  private var lastPresentAt: MediaTime?

  init(rising: Int64, falling: Int64) {
    self.rising = rising
    self.falling = falling
  }

  /// Notes whether the condition is present now.
  mutating func take(_ condition: Bool, now: MediaTime) {
    if condition {
      let begun = since ?? now
      (since, lastPresentAt) = (begun, now)
      if now - begun >= rising { isOn = true }
    } else {
      since = nil
      if let lastPresentAt, now - lastPresentAt >= falling { isOn = false }
    }
  }
}
