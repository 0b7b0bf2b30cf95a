// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// A second button, which has one task: it does it when it goes down.
///
/// One that is down when the box starts does nothing until it is released.
public struct TaskButton: Sendable {
  public enum Action: Equatable, Sendable {
    case pressed
    case downAtStart
    /// It has been down for so long that something must lie on it.
    case stuck
    /// It works again.
    case released
  }

  private var isDown: Bool
  /// When it is stuck, if it stays down.
  public private(set) var reviewAt: Duration?
  private var isStuck = false
  private let wasDownAtStart: Bool

  public init(isDown: Bool, at now: Duration) {
    self.isDown = isDown
    wasDownAtStart = isDown
    reviewAt = isDown ? now + MainButton.stuckAfter : nil
  }

  /// What the first look says: to be told once, after `init`.
  public var opening: [Action] { wasDownAtStart ? [.downAtStart] : [] }

  /// The button has gone down or up.
  public mutating func change(isDown: Bool, at now: Duration) -> [Action] {
    var actions = review(at: now)
    guard isDown != self.isDown else { return actions }
    self.isDown = isDown
    reviewAt = isDown ? now + MainButton.stuckAfter : nil
    if isDown {
      actions.append(.pressed)
    } else if isStuck {
      isStuck = false
      actions.append(.released)
    }
    return actions
  }

  /// What comes of the time that has passed.
  public mutating func review(at now: Duration) -> [Action] {
    guard let due = reviewAt, now >= due else { return [] }
    reviewAt = nil
    isStuck = true
    return [.stuck]
  }
}
