// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// A second button, which has one task: it does it when it goes down.
///
/// One that is down when the box starts does nothing until it is released.
public struct TaskButton: Sendable {
  public enum Action: Equatable, Sendable {
    case pressed
    /// It has been down for so long that something must lie on it.
    case stuck
    /// It works again, or for the first time.
    case released
  }

  private var isDown: Bool
  /// When it is stuck, if it stays down.
  public private(set) var reviewAt: Duration?
  /// Its release is news: it did nothing before.
  private var isIgnored: Bool

  /// - Parameter isDown: at the first look.
  public init(isDown: Bool) {
    self.isDown = isDown
    isIgnored = isDown
  }

  /// The button has gone down or up.
  public mutating func change(isDown: Bool, at now: Duration) -> [Action] {
    var actions = review(at: now)
    guard isDown != self.isDown else { return actions }
    self.isDown = isDown
    reviewAt = isDown ? now + MainButton.stuckAfter : nil
    if isDown {
      actions.append(.pressed)
    } else if isIgnored {
      isIgnored = false
      actions.append(.released)
    }
    return actions
  }

  /// What comes of the time that has passed.
  public mutating func review(at now: Duration) -> [Action] {
    guard let due = reviewAt, now >= due else { return [] }
    reviewAt = nil
    isIgnored = true
    return [.stuck]
  }
}
