// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Synchronization

/// Limits how many changes a session or a token may make in a short time: each change is written to the disk and to the
/// log. Each session and each token has a budget of its own, so that a script that loops does not keep a person from
/// the controls.
final class ChangeBudget: Sendable {
  /// Changes that may be made at once: enough for a person who taps fast, or a page that saves several groups of
  /// settings.
  static let burst = 20
  /// Nanoseconds after which one more change may be made, once the burst is used up.
  static let intervalNanos = Int64.milliseconds(200)

  /// When each budget that is not full will be full again, by the secret of its session or token.
  private let fullAt = Mutex<[String: MediaTime]>([:])
  /// The clock by which the budgets fill up again.
  private let clock: MediaClock

  init(clock: MediaClock = .system) { self.clock = clock }

  /// Takes one change from a budget.
  /// - Parameter secret: the secret of a valid session or token.
  /// - Returns: `false` when the budget is used up.
  func spendChange(_ secret: String) -> Bool {
    let now = clock.now
    return fullAt.withLock { fullAt in
      fullAt = fullAt.filter { $0.value > now }
      let next = max(fullAt[secret] ?? now, now) + ChangeBudget.intervalNanos
      guard next - now <= Int64(ChangeBudget.burst) * ChangeBudget.intervalNanos else {
        return false
      }
      fullAt[secret] = next
      return true
    }
  }
}
