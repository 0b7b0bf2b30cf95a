// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Director

/// A second button with one task, which it does when it goes down.
///
/// A button that is down at the start does nothing until it is released.
public struct TaskButton: Sendable {
  public enum Action: Equatable, Sendable {
    case pressed
    /// The button has been down for 30 s; something may be lying on it.
    case stuck
    /// A button that was stuck, or down at the start, is up and works.
    case released
  }

  private var isDown: Bool
  /// When to call `advance` next; `nil` when nothing is pending.
  public private(set) var deadline: Duration?
  /// It is stuck or was down at the start, so that its release is reported.
  private var reportsRelease: Bool

  /// - Parameter isDown: the level at the start.
  public init(isDown: Bool) {
    self.isDown = isDown
    reportsRelease = isDown
  }

  /// The button has gone down or up.
  public mutating func change(isDown: Bool, at now: Duration) -> [Action] {
    var actions = advance(to: now)
    guard isDown != self.isDown else { return actions }
    self.isDown = isDown
    deadline = isDown ? now + stuckAfter : nil
    if isDown {
      actions.append(.pressed)
    } else if reportsRelease {
      reportsRelease = false
      actions.append(.released)
    }
    return actions
  }

  /// Returns the actions that are due by `now`.
  public mutating func advance(to now: Duration) -> [Action] {
    guard let due = deadline, now >= due else { return [] }
    deadline = nil
    reportsRelease = true
    return [.stuck]
  }
}
