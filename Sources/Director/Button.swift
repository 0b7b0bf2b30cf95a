// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Makes of a line that bounces one that does not: a level counts once it has lasted.
///
/// For kernels that cannot do it themselves, in the way that those do that can.
public struct Debouncer: Sendable {
  public private(set) var isDown: Bool
  private let period: Duration
  private var raw: Bool
  /// The level as it came last, whether it counts yet or not.
  public var latest: Bool { raw }
  /// When `raw` counts, if it lasts until then; `nil` when it does already.
  public private(set) var settlesAt: Duration?

  public init(isDown: Bool, period: Duration) {
    self.isDown = isDown
    raw = isDown
    self.period = period
  }

  /// The line has changed.
  public mutating func change(isDown: Bool, at now: Duration) {
    raw = isDown
    settlesAt = raw == self.isDown ? nil : now + period
  }

  /// - Returns: whether the button has gone down or up by `now`, and when; `nil` if neither.
  public mutating func settle(at now: Duration) -> (isDown: Bool, at: Duration)? {
    guard let due = settlesAt, now >= due else { return nil }
    settlesAt = nil
    isDown = raw
    return (isDown, due)
  }
}

/// What a press of the main button means.
///
/// | at the press | goes down | released before 2 s | held for 2 s |
/// |---|---|---|---|
/// | live | pauses | | ends the broadcast |
/// | paused | | resumes | ends the broadcast |
/// | off air | | blinks | begins a broadcast |
///
/// One that is down when the box starts does nothing until it is released. If that is within the first
/// minute, holding it once more for 10 s resets the page's password and does nothing else; what is held
/// for less then counts when it is released.
public struct MainButton: Sendable {
  /// What comes of a press.
  public enum Action: Equatable, Sendable {
    case command(Command)
    /// The lamp shows that the press was seen.
    case blink
    case resetPassword
    /// It was down when the box started: it is ignored until it is released.
    case downAtStart
    /// It has been down for so long that something must lie on it.
    case stuck
    /// It works again.
    case released
  }

  static let hold: Duration = .seconds(2)
  static let resetHold: Duration = .seconds(10)
  static let stuckAfter: Duration = .seconds(30)
  static let resetWindow: Duration = .seconds(60)

  private struct Press {
    var since: Duration
    var wanted: Intent.Broadcast
    /// It may become a reset.
    var mayReset: Bool
    /// The hold has done what it does.
    var isDone = false
    var isStuck = false
  }

  private enum State {
    case up
    case down(Press)
    /// Down since before the box began to look.
    case ignored(since: Duration, isStuck: Bool)
  }

  private var state: State
  private let startedAt: Duration
  private var mayReset = false

  public init(isDown: Bool, at now: Duration) {
    startedAt = now
    state = isDown ? .ignored(since: now, isStuck: false) : .up
  }

  /// What the first look says: to be told once, after `init`.
  public var opening: [Action] {
    if case .ignored = state { [.downAtStart] } else { [] }
  }

  /// The button has gone down or up.
  /// - Parameter wanted: what the person wants of the broadcast by now.
  public mutating func change(
    isDown: Bool, wanted: Intent.Broadcast, at now: Duration
  ) -> [Action] {
    var actions = review(at: now)
    switch state {
    case .up where isDown:
      let isEarly = now - startedAt < MainButton.resetWindow
      state = .down(Press(since: now, wanted: wanted, mayReset: mayReset && isEarly))
      mayReset = false
      if wanted == .live { actions.append(.command(.pause)) }
    case .down(let press) where !isDown:
      state = .up
      actions += released(press, now)
    case .ignored(_, let isStuck) where !isDown:
      state = .up
      mayReset = true
      if isStuck { actions.append(.released) }
    default: break
    }
    return actions
  }

  private func released(_ press: Press, _ now: Duration) -> [Action] {
    if press.isStuck { return [.released] }
    guard !press.isDone else { return [] }
    if now - press.since >= MainButton.hold { return [held(press)] }
    switch press.wanted {
    case .live: return []
    case .paused: return [.command(.resume)]
    case .off: return [.blink]
    }
  }

  private func held(_ press: Press) -> Action {
    .command(press.wanted == .off ? .start : .stop)
  }

  /// When `review` has something to do; `nil` when the button is up.
  public var reviewAt: Duration? {
    switch state {
    case .up: nil
    case .ignored(let since, let isStuck): isStuck ? nil : since + MainButton.stuckAfter
    case .down(let press):
      if press.isStuck {
        nil
      } else if press.isDone {
        press.since + MainButton.stuckAfter
      } else {
        press.since + (press.mayReset ? MainButton.resetHold : MainButton.hold)
      }
    }
  }

  /// What comes of the time that has passed.
  public mutating func review(at now: Duration) -> [Action] {
    var actions: [Action] = []
    while let due = reviewAt, now >= due {
      switch state {
      case .up: return actions
      case .ignored(let since, _):
        state = .ignored(since: since, isStuck: true)
        actions.append(.stuck)
      case .down(var press):
        if press.isDone {
          press.isStuck = true
          actions.append(.stuck)
        } else {
          press.isDone = true
          actions.append(press.mayReset ? .resetPassword : held(press))
        }
        state = .down(press)
      }
    }
    return actions
  }
}
