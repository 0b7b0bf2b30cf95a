// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Debounces a condition: it is on once it has lasted for `risingNanos`, and off once it has been absent for
/// `fallingNanos`. Reads no clock and does no I/O: the time is passed in.
struct Latch {
  /// Nanoseconds for which the condition has to last before it counts.
  let risingNanos: Int64
  /// Nanoseconds for which the condition has to be absent before it counts as over.
  let fallingNanos: Int64

  /// Whether the debounced condition is on.
  private(set) var isOn = false
  /// Since when the condition has lasted; `nil` while it is absent.
  private var since: MediaTime?
  /// When the condition was last present; `nil` if it never was.
  private var lastPresentAt: MediaTime?

  init(risingNanos: Int64, fallingNanos: Int64) {
    self.risingNanos = risingNanos
    self.fallingNanos = fallingNanos
  }

  /// Notes whether the condition is present now.
  mutating func update(_ condition: Bool, now: MediaTime) {
    if condition {
      let begun = since ?? now
      (since, lastPresentAt) = (begun, now)
      if now - begun >= risingNanos { isOn = true }
    } else {
      since = nil
      if let lastPresentAt, now - lastPresentAt >= fallingNanos { isOn = false }
    }
  }
}
