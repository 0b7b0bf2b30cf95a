// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Director

/// Removes contact bounce: a level counts once it has lasted for the period.
///
/// For kernels that cannot debounce a line themselves; it decides as those do that can.
public struct Debouncer: Sendable {
  public private(set) var isDown: Bool
  private let period: Duration
  /// The last level of the line, debounced or not.
  public private(set) var rawIsDown: Bool
  /// When the raw level starts to count, if it lasts; `nil` when it already does.
  public private(set) var settlesAt: Duration?

  public init(isDown: Bool, period: Duration) {
    self.isDown = isDown
    rawIsDown = isDown
    self.period = period
  }

  /// The line has changed.
  public mutating func change(isDown: Bool, at now: Duration) {
    rawIsDown = isDown
    settlesAt = rawIsDown == self.isDown ? nil : now + period
  }

  /// - Returns: the debounced change that is due by `now`, and its time; `nil` if there is none.
  public mutating func settle(at now: Duration) -> (isDown: Bool, at: Duration)? {
    guard let due = settlesAt, now >= due else { return nil }
    settlesAt = nil
    isDown = rawIsDown
    return (isDown, due)
  }
}

/// How long a button may be down before it counts as stuck.
let stuckAfter: Duration = .seconds(30)

/// The main button.
///
/// | at the press | goes down | released before 2 s | held for 2 s | held for 10 s |
/// |---|---|---|---|---|
/// | live | pauses | | ends the broadcast | blinks |
/// | paused | | resumes | ends the broadcast | blinks |
/// | off air | | blinks | starts a broadcast | ends it, blinks |
///
/// Released after 10 s, before it counts as stuck, it forgets the page's password: something that lies on it does not.
///
/// After the release of a press that paused, a second press within half a second only blinks. A bad contact or a
/// slip of the hand would otherwise put the room back on the air.
///
/// A button that is down at the start does nothing until it is released. If that is the start of the box, and it is
/// released after 20 s and before it counts as stuck, everything is reset as the factory left it.
public struct MainButton: Sendable {
  public enum Action: Equatable, Sendable {
    case command(Command)
    /// The lamp confirms a press that has no other effect.
    case blink
    /// The button has been down for 30 s; something may be lying on it.
    case stuck
    /// A button that was stuck, or down at the start, is up and works.
    case released
    /// The button was held for 10 s: the page's password is to be forgotten.
    case reset
    /// What the lamp tells while it is held from the box's start on.
    case hold(Lamp.Hold?)
    /// It was held from the box's start on for 20 s: everything is to be forgotten.
    case factoryReset
  }

  /// Minimum time from the release of a press that paused to a press that resumes.
  static let slip: Duration = .milliseconds(500)
  static let hold: Duration = .seconds(2)
  static let resetHold: Duration = .seconds(10)
  /// How long it has to be held from the box's start on until the lamp warns, and until its release resets the box.
  static let warning: Duration = .seconds(10)
  static let factoryHold: Duration = .seconds(20)

  private struct Press {
    var since: Duration
    /// The state of the broadcast before the press.
    var broadcast: Intent.Broadcast
    /// It followed a pause too closely to resume.
    var isSlip: Bool
    /// It has lasted for 2 s and had its effect.
    var wasHeld = false
    /// It has lasted for 10 s: its release forgets the password.
    var resets = false
    var isStuck = false
  }

  private enum State {
    case up
    case down(Press)
    case downAtStart
    /// It has been down from the start of the box on.
    case downAtPowerOn(since: Duration, Lamp.Hold?)
  }

  private var state: State
  /// When the press that paused was released.
  private var pausedAt: Duration?

  /// - Parameters:
  ///   - isDown: the level at the start.
  ///   - powerOn: the present time, if the box has just been switched on.
  public init(isDown: Bool, powerOn: Duration? = nil) {
    state = isDown ? powerOn.map { .downAtPowerOn(since: $0, nil) } ?? .downAtStart : .up
  }

  /// The button has gone down or up.
  /// - Parameter broadcast: the present state of the broadcast.
  public mutating func change(
    isDown: Bool, broadcast: Intent.Broadcast, at now: Duration
  ) -> [Action] {
    var actions = advance(to: now)
    switch state {
    case .up where isDown:
      let isSlip = pausedAt.map { now - $0 < MainButton.slip } ?? false
      state = .down(Press(since: now, broadcast: broadcast, isSlip: isSlip))
      if broadcast == .live { actions.append(.command(.pause)) }
    case .down(let press) where !isDown:
      state = .up
      actions += release(press, at: now)
    case .downAtStart where !isDown:
      state = .up
      actions.append(.released)
    case .downAtPowerOn(_, let hold) where !isDown:
      state = .up
      actions.append(.hold(nil))
      actions.append(hold == .resets ? .factoryReset : .released)
    default: break
    }
    return actions
  }

  private mutating func release(_ press: Press, at now: Duration) -> [Action] {
    if press.isStuck { return [.released] }
    if press.resets { return [.reset] }
    guard !press.wasHeld else { return [] }
    switch press.broadcast {
    case .live:
      pausedAt = now
      return []
    case .paused where press.isSlip:
      pausedAt = now
      return [.blink]
    case .paused: return [.command(.resume)]
    case .off: return [.blink]
    }
  }

  /// When to call `advance` next; `nil` when nothing is pending.
  public var deadline: Duration? {
    if case .downAtPowerOn(let since, let hold) = state {
      return switch hold {
      case nil: since + MainButton.warning
      case .warns: since + MainButton.factoryHold
      case .resets: since + stuckAfter
      }
    }
    guard case .down(let press) = state, !press.isStuck else { return nil }
    return press.since
      + (press.resets ? stuckAfter : press.wasHeld ? MainButton.resetHold : MainButton.hold)
  }

  /// Returns the actions that are due by `now`.
  public mutating func advance(to now: Duration) -> [Action] {
    var actions: [Action] = []
    while let due = deadline, now >= due {
      if case .downAtPowerOn(let since, let hold) = state {
        let next: Lamp.Hold? = hold == nil ? .warns : hold == .warns ? .resets : nil
        // Something may be lying on it.
        state = next == nil ? .downAtStart : .downAtPowerOn(since: since, next)
        actions.append(.hold(next))
        continue
      }
      guard case .down(var press) = state else { return actions }
      if press.resets {
        press.isStuck = true
        actions.append(.stuck)
      } else if press.wasHeld {
        press.resets = true
        // Who holds it for the password does not want a broadcast.
        if press.broadcast == .off { actions.append(.command(.stop)) }
        actions.append(.blink)
      } else {
        press.wasHeld = true
        actions.append(.command(press.broadcast == .off ? .start : .stop))
      }
      state = .down(press)
    }
    return actions
  }
}
