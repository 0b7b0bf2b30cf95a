// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Director

/// Removes the contact bounce of a button: a new level counts once it has lasted for the debounce period.
///
/// Reads no clock and does no I/O: times are passed in, as durations since the panel's start.
///
/// Used only if the kernel cannot debounce the line. The rule is the same as that of the kernel's own debouncing.
public struct Debouncer: Sendable {
  /// Whether the button is down, after debouncing.
  public private(set) var isDown: Bool
  /// The debounce period.
  private let period: Duration
  /// Whether the button is down by the latest level of its line, before debouncing.
  public private(set) var rawIsDown: Bool
  /// The time at which `rawIsDown` becomes `isDown` unless the level changes before; `nil` if the two are equal.
  public private(set) var settlesAt: Duration?

  public init(isDown: Bool, period: Duration) {
    self.isDown = isDown
    rawIsDown = isDown
    self.period = period
  }

  /// Handles a new level of the line, which counts only after the debounce period.
  public mutating func change(isDown: Bool, at now: Duration) {
    rawIsDown = isDown
    settlesAt = rawIsDown == self.isDown ? nil : now + period
  }

  /// Accepts the latest level as the debounced one if it has lasted for the debounce period.
  /// - Returns: the debounced change, and the time at which it was due; `nil` if no change is due by `now`.
  public mutating func settle(at now: Duration) -> (isDown: Bool, at: Duration)? {
    guard let due = settlesAt, now >= due else { return nil }
    settlesAt = nil
    isDown = rawIsDown
    return (isDown, due)
  }
}

/// The time after which a button that is held down counts as stuck.
let stuckAfter: Duration = .seconds(30)

/// Decides what presses of the main button do. The first column is the state of the broadcast before the press; an
/// empty cell means that nothing happens.
///
/// Reads no clock and does no I/O: times are passed in, as durations since the panel's start.
///
/// | at the press | goes down | released before 2 s | held for 2 s | held for 10 s |
/// |---|---|---|---|---|
/// | live | pauses | | ends the broadcast | blinks |
/// | paused | | resumes | ends the broadcast | blinks |
/// | off air | | blinks | starts a broadcast | ends it, blinks |
///
/// If the button is released after more than 10 s but before it counts as stuck, the password of the web page is
/// forgotten. If something lies on the button, the button counts as stuck, and the password stays.
///
/// For half a second after the release of a press that paused the broadcast, a second press only makes the lamp blink.
/// Otherwise a bad contact or an accidental second press would put the room back on the air.
///
/// A button that is down when its line is opened does nothing until it is released. If the box has just been switched
/// on, and the button is released after 20 s but before it counts as stuck, the box is reset to its factory state.
public struct MainButton: Sendable {
  /// The action that a change of the button, or the passing of time, causes.
  public enum Action: Equatable, Sendable {
    /// Performs this command.
    case command(Command)
    /// Makes the lamp blink, to confirm a press that has no other effect.
    case blink
    /// Reports that the button has been down for 30 s: something may be lying on it.
    case stuck
    /// Reports that a button that was stuck, or down when its line was opened, has been released and works.
    case released
    /// Makes the box forget the password of the web page: the button was held for 10 s and released.
    case reset
    /// Makes the lamp show what releasing the button would do; `nil` makes it show its pattern again. Used while the
    /// button has been held since the box was switched on.
    case hold(Lamp.Hold?)
    /// Resets the box to its factory state: the button was held for 20 s since the box was switched on, and released.
    case factoryReset
  }

  /// The minimum time from the release of a press that paused the broadcast to a press that resumes it.
  static let minPause: Duration = .milliseconds(500)
  /// How long the button has to be held to start or end a broadcast.
  static let holdTime: Duration = .seconds(2)
  /// How long the button has to be held so that its release makes the box forget the password of the web page.
  static let resetHold: Duration = .seconds(10)
  /// How long the button has to be held, from the moment the box is switched on, before the lamp warns of the factory
  /// reset.
  static let warningHold: Duration = .seconds(10)
  /// How long the button has to be held, from the moment the box is switched on, so that its release resets the box to
  /// its factory state.
  static let factoryHold: Duration = .seconds(20)

  /// A press that is going on.
  private struct Press {
    var since: Duration
    /// The state of the broadcast before the press.
    var broadcast: Intent.Broadcast
    /// Whether the press came less than `minPause` after the release of a press that paused the broadcast. Such a press
    /// must not resume the broadcast.
    var isSlip: Bool
    /// Whether the press has lasted for 2 s, and has started or ended the broadcast.
    var wasHeld = false
    /// Whether the press has lasted for 10 s, so that its release makes the box forget the password.
    var resets = false
    var isStuck = false
  }

  /// The state of the button: up, or down, with the data of the press.
  private enum State {
    case up
    case down(Press)
    case downAtStart
    /// The button has been down since the box was switched on. `Lamp.Hold` is what the lamp shows about the factory
    /// reset; `nil` if the lamp shows nothing about it.
    case downAtPowerOn(since: Duration, Lamp.Hold?)
  }

  /// Whether the button is up or down, with the data of a press that is going on.
  private var state: State
  /// When the button was last released after a press that paused the broadcast, or after a press that followed such a
  /// press too soon; `nil` before the first such release.
  private var pausedAt: Duration?

  /// - Parameters:
  ///   - isDown: whether the button is down when its line is opened.
  ///   - powerOn: the present time if the box has just been switched on; `nil` otherwise.
  public init(isDown: Bool, powerOn: Duration? = nil) {
    state = isDown ? powerOn.map { .downAtPowerOn(since: $0, nil) } ?? .downAtStart : .up
  }

  /// Handles that the button has gone down or up.
  /// - Parameter broadcast: the present state of the broadcast.
  public mutating func change(
    isDown: Bool, broadcast: Intent.Broadcast, at now: Duration
  ) -> [Action] {
    var actions = advance(to: now)
    switch state {
    case .up where isDown:
      let isSlip = pausedAt.map { now - $0 < MainButton.minPause } ?? false
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

  /// Decides what the release of the button at the end of a press does.
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

  /// When `advance` has to be called next if the button does not change; `nil` if nothing is pending.
  public var deadline: Duration? {
    if case .downAtPowerOn(let since, let hold) = state {
      return switch hold {
      case nil: since + MainButton.warningHold
      case .warns: since + MainButton.factoryHold
      case .resets: since + stuckAfter
      }
    }
    guard case .down(let press) = state, !press.isStuck else { return nil }
    return press.since
      + (press.resets ? stuckAfter : press.wasHeld ? MainButton.resetHold : MainButton.holdTime)
  }

  /// Handles the time that has passed with the button held down, and returns the actions that are due by `now`.
  public mutating func advance(to now: Duration) -> [Action] {
    var actions: [Action] = []
    while let due = deadline, now >= due {
      if case .downAtPowerOn(let since, let hold) = state {
        let next: Lamp.Hold? = hold == nil ? .warns : hold == .warns ? .resets : nil
        // `next` is `nil` after 30 s. The button then counts as stuck, and its release resets nothing.
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
        // End the broadcast that this press has started after 2 s: since the person holds the button for 10 s, the
        // purpose is to reset the password.
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
