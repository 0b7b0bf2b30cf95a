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
/// A press within half a second of the one that has paused only blinks: contacts and hands slip, and nobody is
/// back on the air by that.
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
    /// It has been down for so long that something must lie on it.
    case stuck
    /// It works again, or for the first time.
    case released
  }

  /// From the release that follows a pause to the press that may end it.
  static let slip: Duration = .milliseconds(500)
  static let hold: Duration = .seconds(2)
  static let resetHold: Duration = .seconds(10)
  static let stuckAfter: Duration = .seconds(30)
  static let resetWindow: Duration = .seconds(60)

  private struct Press {
    var since: Duration
    var wanted: Intent.Broadcast
    /// It may become a reset.
    var mayReset: Bool
    /// It followed a pause too closely to end it.
    var isSlip = false
    /// The hold has done what it does.
    var isDone = false
    var isStuck = false
  }

  private enum State {
    case up
    case down(Press)
    /// Down since before the box first looked, and ignored until it is released.
    case ignored
  }

  private var state: State
  private let startedAt: Duration
  private var mayReset = false
  /// When the press that paused was released.
  private var pausedAt: Duration?

  /// - Parameters:
  ///   - isDown: at the first look.
  ///   - startedAt: when the box started.
  public init(isDown: Bool, startedAt: Duration) {
    self.startedAt = startedAt
    state = isDown ? .ignored : .up
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
      let isSlip = pausedAt.map { now - $0 < MainButton.slip } ?? false
      state = .down(
        Press(since: now, wanted: wanted, mayReset: mayReset && isEarly, isSlip: isSlip))
      mayReset = false
      if wanted == .live { actions.append(.command(.pause)) }
    case .down(let press) where !isDown:
      state = .up
      actions += released(press, now)
    case .ignored where !isDown:
      state = .up
      mayReset = true
      actions.append(.released)
    default: break
    }
    return actions
  }

  private mutating func released(_ press: Press, _ now: Duration) -> [Action] {
    if press.isStuck { return [.released] }
    guard !press.isDone else { return [] }
    if now - press.since >= MainButton.hold { return [held(press)] }
    switch press.wanted {
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

  private func held(_ press: Press) -> Action {
    .command(press.wanted == .off ? .start : .stop)
  }

  /// When `review` has something to do; `nil` when the button is up.
  public var reviewAt: Duration? {
    switch state {
    case .up, .ignored: nil
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
      guard case .down(var press) = state else { return actions }
      if press.isDone {
        press.isStuck = true
        actions.append(.stuck)
      } else {
        press.isDone = true
        actions.append(press.mayReset ? .resetPassword : held(press))
      }
      state = .down(press)
    }
    return actions
  }
}
