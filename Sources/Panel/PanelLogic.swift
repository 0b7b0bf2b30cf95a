// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Director

/// The logic of the panel, without its GPIO lines. It gets the levels of the buttons, returns commands and events, and
/// controls the lamp and the buzzer. Reads no clock and does no I/O: times are passed in, as durations since the
/// panel's start.
struct PanelLogic {
  /// An action for `PanelLoop`: to perform a command, or to report an event.
  enum Action: Equatable {
    case command(Command)
    /// Extends the scheduled broadcast that runs.
    case extend
    /// Sets a mark in the recording.
    case mark
    /// Shows camera and guests in the next layout.
    case switchLayout
    case event(PanelEvent)
  }

  /// What a press of the second button does.
  private let task: ButtonTask
  /// The main button; `nil` while its line does not work.
  private var main: MainButton?
  /// The second button; `nil` while its line does not work.
  private var second: TaskButton?
  /// The state of the lamp: its pattern, and what interrupts the pattern, such as a blink.
  private(set) var lamp: Lamp
  /// The state of the buzzer: the signal that it sounds.
  private(set) var buzzer = Buzzer()

  init(task: ButtonTask, pattern: LampPattern, at now: Duration) {
    self.task = task
    lamp = Lamp(pattern, at: now)
  }

  /// Starts to handle presses of a button whose line has just been opened.
  /// - Parameters:
  ///   - isDown: whether the button is down.
  ///   - powerOn: the present time if the box has just been switched on; `nil` otherwise.
  mutating func begin(_ part: PanelPart, isDown: Bool, powerOn: Duration? = nil) -> [Action] {
    if part == .mainButton {
      main = MainButton(isDown: isDown, powerOn: powerOn)
    } else {
      second = TaskButton(isDown: isDown)
    }
    return isDown ? [.event(.downAtStart(part))] : []
  }

  /// Notes that the line of a part has failed. If the part is a button, a press in progress is forgotten.
  mutating func lose(_ part: PanelPart, at now: Duration) {
    if part == .mainButton {
      main = nil
      lamp.show(nil, at: now)
    }
    if part == .secondButton { second = nil }
  }

  /// Handles that a button has gone down or up.
  /// - Parameter intent: the present intent of the person at the box.
  mutating func change(
    _ part: PanelPart, isDown: Bool, intent: Intent, at now: Duration
  ) -> [Action] {
    if isDown { buzzer.sound(.press, at: now) }
    if part == .mainButton {
      let actions = main?.change(isDown: isDown, broadcast: intent.broadcast, at: now) ?? []
      return actions.compactMap { action(for: $0, at: now) }
    }
    let actions = second?.change(isDown: isDown, at: now) ?? []
    return actions.compactMap { action(for: $0, intent) }
  }

  /// Handles the time that has passed with buttons held down, and returns the actions that are due by `now`.
  mutating func advance(to now: Duration, intent: Intent) -> [Action] {
    let mainActions = main?.advance(to: now) ?? []
    let secondActions = second?.advance(to: now) ?? []
    return mainActions.compactMap { action(for: $0, at: now) }
      + secondActions.compactMap { action(for: $0, intent) }
  }

  /// When a button, the lamp or the buzzer has something to do next; `nil` if nothing is pending.
  func deadline(after now: Duration) -> Duration? {
    [main?.deadline, second?.deadline, lamp.state(at: now).until, buzzer.state(at: now).until]
      .compactMap { $0 }.min()
  }

  /// Makes the lamp show a pattern. The buzzer sounds if the new pattern needs attention and the one before did not.
  mutating func show(_ pattern: LampPattern, at now: Duration) {
    if pattern.needsAttention, !lamp.pattern.needsAttention { buzzer.sound(.alarm, at: now) }
    lamp.show(pattern, at: now)
  }

  /// Makes the lamp blink, to answer a press that has no other effect or whose command was refused.
  mutating func blink(at now: Duration) { lamp.blink(at: now) }

  /// Converts an action of the main button to an action for `PanelLoop`. An action that only changes the lamp is
  /// carried out at once; the result is then `nil`.
  private mutating func action(for action: MainButton.Action, at now: Duration) -> Action? {
    switch action {
    case .command(let command): return .command(command)
    case .blink:
      blink(at: now)
      return nil
    case .stuck: return .event(.stuck(.mainButton))
    case .released: return .event(.released(.mainButton))
    case .reset: return .event(.heldForReset)
    case .hold(let hold):
      lamp.show(hold, at: now)
      return nil
    case .factoryReset: return .event(.heldForFactoryReset)
    }
  }

  /// Converts an action of the second button to an action for `PanelLoop`. A press with the task `mute` unmutes if the
  /// intent is muted already.
  private func action(for action: TaskButton.Action, _ intent: Intent) -> Action? {
    switch action {
    case .pressed:
      switch task {
      case .mute: .command(intent.isMuted ? .unmute : .mute)
      case .reconnect: .command(.reconnect)
      case .extend: .extend
      case .mark: .mark
      case .layout: .switchLayout
      }
    case .stuck: .event(.stuck(.secondButton))
    case .released: .event(.released(.secondButton))
    }
  }
}
