// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Director

/// The panel without its wires: levels in; commands, news, lamps and the buzzer out. Pure: it is told the time.
struct PanelLogic {
  enum Action: Equatable {
    case command(Command)
    case event(PanelEvent)
  }

  private let task: PanelPlan.SecondTask
  private var main: MainButton?
  private var second: TaskButton?
  private(set) var lamp: Lamp
  private(set) var buzzer = Buzzer()

  init(task: PanelPlan.SecondTask, pattern: LampPattern, at now: Duration) {
    self.task = task
    lamp = Lamp(pattern, at: now)
  }

  /// A button's line has been taken. The panel began at zero.
  mutating func begin(_ part: PanelPart, isDown: Bool, at now: Duration) -> [Action] {
    if part == .mainButton {
      main = MainButton(isDown: isDown, startedAt: .zero)
    } else {
      second = TaskButton(isDown: isDown)
    }
    return isDown ? [.event(.downAtStart(part))] : []
  }

  /// A button's line is gone: what it was in the middle of is over.
  mutating func lose(_ part: PanelPart) {
    if part == .mainButton { main = nil }
    if part == .secondButton { second = nil }
  }

  /// A button has gone down or up.
  /// - Parameter intent: what is wanted by now.
  mutating func change(
    _ part: PanelPart, isDown: Bool, intent: Intent, at now: Duration
  ) -> [Action] {
    if isDown { buzzer.sound(.press, at: now) }
    if part == .mainButton {
      let actions = main?.change(isDown: isDown, wanted: intent.broadcast, at: now) ?? []
      return actions.compactMap { action(of: $0, at: now) }
    }
    let actions = second?.change(isDown: isDown, at: now) ?? []
    return actions.compactMap { action(of: $0, intent) }
  }

  /// Does what the time that has passed asks for.
  mutating func review(intent: Intent, at now: Duration) -> [Action] {
    let ofMain = main?.review(at: now) ?? []
    let ofSecond = second?.review(at: now) ?? []
    return ofMain.compactMap { action(of: $0, at: now) }
      + ofSecond.compactMap { action(of: $0, intent) }
  }

  /// When to call `review`, or to look at lamps and buzzer again.
  func reviewAt(_ now: Duration) -> Duration? {
    [main?.reviewAt, second?.reviewAt, lamp.look(at: now).until, buzzer.look(at: now).until]
      .compactMap { $0 }.min()
  }

  mutating func show(_ pattern: LampPattern, at now: Duration) {
    if pattern.needsAttention, !lamp.pattern.needsAttention { buzzer.sound(.trouble, at: now) }
    lamp.show(pattern, at: now)
  }

  /// A press that asks for nothing, or for what cannot be, is answered all the same.
  mutating func blink(at now: Duration) { lamp.blink(at: now) }

  private mutating func action(of action: MainButton.Action, at now: Duration) -> Action? {
    switch action {
    case .command(let command): return .command(command)
    case .blink:
      blink(at: now)
      return nil
    case .resetPassword:
      blink(at: now)
      return .event(.resetPassword)
    case .stuck: return .event(.stuck(.mainButton))
    case .released: return .event(.released(.mainButton))
    }
  }

  private func action(of action: TaskButton.Action, _ intent: Intent) -> Action? {
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
