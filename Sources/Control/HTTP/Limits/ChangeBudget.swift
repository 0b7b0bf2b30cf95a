// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Synchronization

/// How many changes a session or a token may make: each goes to the disk and the log. Each has its own budget, so that a
/// script that loops does not keep a person from the controls.
final class ChangeBudget: Sendable {
  /// A person who taps fast, or a page that saves several groups.
  static let burst = 20
  /// Afterwards one in this time.
  static let interval = Int64.milliseconds(200)

  /// When each budget that is not full will be full again, by the session's or the token's secret.
  private let fullAt = Mutex<[String: MediaTime]>([:])
  private let clock: MediaClock

  init(clock: MediaClock = .system) { self.clock = clock }

  /// - Parameter secret: of a session or a token that exists.
  /// - Returns: `false` when its budget is used up.
  func take(_ secret: String) -> Bool {
    let now = clock.now
    return fullAt.withLock { fullAt in
      fullAt = fullAt.filter { $0.value > now }
      let next = max(fullAt[secret] ?? now, now) + ChangeBudget.interval
      guard next - now <= Int64(ChangeBudget.burst) * ChangeBudget.interval else { return false }
      fullAt[secret] = next
      return true
    }
  }
}
