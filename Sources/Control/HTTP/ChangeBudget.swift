// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media
internal import Synchronization

/// How many changes clients may make: each goes to the disk and the log.
final class ChangeBudget: Sendable {
  /// A person who taps fast, or a page that saves several groups.
  static let burst = 20
  /// Afterwards one in this time.
  static let interval = Int64.milliseconds(200)

  /// When the budget is full again.
  private let fullAt = Mutex(MediaTime.distantPast)
  private let clock: MediaClock

  init(clock: MediaClock = .system) { self.clock = clock }

  /// - Returns: `false` when it is used up.
  func take() -> Bool {
    let now = clock.now
    return fullAt.withLock { fullAt in
      let next = max(fullAt, now) + ChangeBudget.interval
      guard next - now <= Int64(ChangeBudget.burst) * ChangeBudget.interval else { return false }
      fullAt = next
      return true
    }
  }
}
