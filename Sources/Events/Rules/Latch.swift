// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// A condition that counts once it has lasted, and until it has been absent for long. Pure: the caller passes the time.
struct Latch {
  /// Nanoseconds for which the condition has to last.
  let rising: Int64
  /// Nanoseconds for which it has to be absent.
  let falling: Int64

  private(set) var isOn = false
  /// Since when it has lasted; `nil` while it is absent.
  private var since: MediaTime?
  private var seenAt: MediaTime?

  init(rising: Int64, falling: Int64) {
    self.rising = rising
    self.falling = falling
  }

  mutating func take(_ condition: Bool, now: MediaTime) {
    if condition {
      let begun = since ?? now
      (since, seenAt) = (begun, now)
      if now - begun >= rising { isOn = true }
    } else {
      since = nil
      if let seenAt, now - seenAt >= falling { isOn = false }
    }
  }
}
