// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Director

/// Decides what presses of the second button do. The button has one task, which is done as soon as the button goes
/// down.
///
/// A button that is down when its line is opened does nothing until it is released. Reads no clock and does no I/O:
/// times are passed in, as durations since the panel's start.
public struct TaskButton: Sendable {
  /// The action that a change of the button, or the passing of time, causes.
  public enum Action: Equatable, Sendable {
    /// Does the task of the button.
    case pressed
    /// Reports that the button has been down for 30 s: something may be lying on it.
    case stuck
    /// Reports that a button that was stuck, or down when its line was opened, has been released and works.
    case released
  }

  /// Whether the button is down, by its last debounced level.
  private var isDown: Bool
  /// When `advance` has to be called next if the button does not change; `nil` if nothing is pending.
  public private(set) var deadline: Duration?
  /// Whether the next release is reported, because the button is stuck or was down when its line was opened.
  private var reportsRelease: Bool

  /// - Parameter isDown: whether the button is down when its line is opened.
  public init(isDown: Bool) {
    self.isDown = isDown
    reportsRelease = isDown
  }

  /// Handles that the button has gone down or up.
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

  /// Handles the time that has passed with the button held down, and returns the actions that are due by `now`.
  public mutating func advance(to now: Duration) -> [Action] {
    guard let due = deadline, now >= due else { return [] }
    deadline = nil
    reportsRelease = true
    return [.stuck]
  }
}
