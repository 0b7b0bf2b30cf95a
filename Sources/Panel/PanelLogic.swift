// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Director

/// The panel without its lines: levels in; commands, events, lamp and buzzer out. Pure: times are passed in.
struct PanelLogic {
  enum Action: Equatable {
    case command(Command)
    case event(PanelEvent)
  }

  private let task: ButtonTask
  private var main: MainButton?
  private var second: TaskButton?
  private(set) var lamp: Lamp
  private(set) var buzzer = Buzzer()

  init(task: ButtonTask, pattern: LampPattern, at now: Duration) {
    self.task = task
    lamp = Lamp(pattern, at: now)
  }

  /// A button's line was opened.
  /// - Parameter powerOn: the present time, if the box has just been switched on.
  mutating func begin(_ part: PanelPart, isDown: Bool, powerOn: Duration? = nil) -> [Action] {
    if part == .mainButton {
      main = MainButton(isDown: isDown, powerOn: powerOn)
    } else {
      second = TaskButton(isDown: isDown)
    }
    return isDown ? [.event(.downAtStart(part))] : []
  }

  /// A button's line has failed: a press that was going on is forgotten.
  mutating func lose(_ part: PanelPart, at now: Duration) {
    if part == .mainButton {
      main = nil
      lamp.show(nil, at: now)
    }
    if part == .secondButton { second = nil }
  }

  /// A button has gone down or up.
  /// - Parameter intent: the present one.
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

  /// Returns the actions that are due by `now`.
  mutating func advance(to now: Duration, intent: Intent) -> [Action] {
    let mainActions = main?.advance(to: now) ?? []
    let secondActions = second?.advance(to: now) ?? []
    return mainActions.compactMap { action(for: $0, at: now) }
      + secondActions.compactMap { action(for: $0, intent) }
  }

  /// When a button, the lamp or the buzzer has something to do next; `nil` for never.
  func deadline(after now: Duration) -> Duration? {
    [main?.deadline, second?.deadline, lamp.state(at: now).until, buzzer.state(at: now).until]
      .compactMap { $0 }.min()
  }

  mutating func show(_ pattern: LampPattern, at now: Duration) {
    if pattern.needsAttention, !lamp.pattern.needsAttention { buzzer.sound(.alarm, at: now) }
    lamp.show(pattern, at: now)
  }

  /// Confirms a press that has no other effect, or whose command was refused.
  mutating func blink(at now: Duration) { lamp.blink(at: now) }

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

  private func action(for action: TaskButton.Action, _ intent: Intent) -> Action? {
    switch action {
    case .pressed:
      switch task {
      case .mute: .command(intent.isMuted ? .unmute : .mute)
      case .reconnect: .command(.reconnect)
      }
    case .stuck: .event(.stuck(.secondButton))
    case .released: .event(.released(.secondButton))
    }
  }
}
