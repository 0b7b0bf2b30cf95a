// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Director
internal import Logging
internal import Media
internal import Publish
internal import RateControl
internal import Settings
internal import Studio
internal import Synchronization

// Commands from the command line, HTTP and the buttons.

extension Station {
  private static let reloadWord = "reload"

  /// Executes a command and returns the reply.
  /// - Parameter origin: the command's source, for the log: "by button".
  func answer(_ word: String, by origin: String) -> ControlReply {
    if word == Station.reloadWord {
      do {
        return try reloadSettings(by: origin)
      } catch {
        return ControlReply(fault: error.code, error.sentence)
      }
    }
    guard let command = Command(rawValue: word) else {
      let all = (Command.allCases.map(\.rawValue) + [Station.reloadWord]).joined(separator: ", ")
      return ControlReply(
        fault: ControlReply.unknown, "There is no such command; there are \(all).")
    }
    do {
      let changed = try perform(command, by: origin)
      return ControlReply(
        changed: changed,
        changed || command == .reconnect ? command.result : command.noChange(intent))
    } catch {
      return ControlReply(fault: error.code, error.sentence)
    }
  }

  /// Adds the present status to an answer.
  func complete(_ reply: inout ControlReply) {
    guard reply.ok else { return }
    let (present, isSaved) = state.withLock { state -> (Status, Bool) in
      (status(state), store.isSaved(state.director.intent))
    }
    reply.saved = isSaved
    reply.status = present
  }

  /// Does a command. When this returns, nothing that a pause or a mute keeps from viewers is handed to the network
  /// any more.
  /// - Returns: whether the intent has changed.
  @discardableResult
  func perform(_ command: Command, by origin: String) throws(Fault) -> Bool {
    if command == .start { _ = try state.withLock { $0.target }.get() }
    let outcome: Result<Bool, Refusal> = reporting.withLock { _ in
      Result { () throws(Refusal) in
        let (changed, intent) = try act(command)
        if changed || command == .reconnect {
          let sentence = "\(command.past) \(origin).\(command.rest(of: intent))"
          if let event = command.event {
            events.report(event, sentence)
          } else {
            events.note(.notice, sentence)
          }
        }
        return changed
      }
    }
    switch outcome {
    case .failure(let refusal): throw .refused(refusal)
    case .success(let changed): return changed
    }
  }

  private func act(_ command: Command) throws(Refusal) -> (changed: Bool, intent: Intent) {
    let outcome: Result<(changed: Bool, intent: Intent), Refusal> = state.withLock { state in
      Result { () throws(Refusal) in
        let changed = try state.director.perform(command, at: now)
        state.isStandIn = false
        // A stop where the box is off for want of a server changes nothing, but from now on it is to be saved.
        if changed || !store.isSettled(state.director.intent) { store.save(state.director.intent) }
        state.broadcast?.present(state.director.plan)
        if command == .reconnect { state.broadcast?.reconnect() }
        return (changed, state.director.intent)
      }
    }
    return try outcome.get()
  }

  // MARK: Reload

  /// Reads the settings again. The address, the key and the bit rates take effect now, without a gap in capture; all
  /// others at the next start.
  private func reloadSettings(by origin: String) throws(Fault) -> ControlReply {
    let outcome = taken.withLock { taken in
      Result { () throws(Fault) in try reloadSettings(&taken, by: origin) }
    }
    return try outcome.get()
  }

  private func reloadSettings(
    _ taken: inout Configuration, by origin: String
  ) throws(Fault) -> ControlReply {
    let configuration: Configuration
    do {
      configuration = try reload()
    } catch {
      throw .unfitSettings(error.description.replacing("\n", with: "; "))
    }
    let target = try Station.target(configuration.destination, configuration).get()
    let backup = try? Station.target(configuration.backup, configuration).get()
    let hasChanged = reporting.withLock { _ in
      let (hasNewRate, isElsewhere) = state.withLock { state in
        (
          takeRates(configuration.settings, &state),
          takeDestination(target, backup, configuration, &state)
        )
      }
      guard hasNewRate || isElsewhere else { return false }
      for warning in configuration.warnings { events.note(.warning, warning) }
      if hasNewRate {
        let kbps = configuration.settings.video.bitrateKbps
        events.note(.notice, "The video bit rate is at most \(kbps) kbit/s from now on, \(origin).")
      }
      if isElsewhere { events.note(.notice, "Publishing to \(target) from now on, \(origin).") }
      return true
    }
    let changes = ControlReply.Change.list(
      from: taken, startedWith: started, to: configuration, isElsewhere: hasChanged)
    taken = configuration
    guard hasChanged || !changes.isEmpty else {
      return ControlReply(changed: false, "Nothing has changed.", changes: [])
    }
    return ControlReply(
      changed: hasChanged, changes.map { "\($0.key): \($0.effect)." }.joined(separator: "\n"),
      changes: changes)
  }

  private func takeDestination(
    _ target: RTMPTarget, _ backup: RTMPTarget?, _ configuration: Configuration,
    _ state: inout State
  ) -> Bool {
    guard target != (try? state.target.get()) || backup != state.backup else { return false }
    state.target = .success(target)
    state.backup = backup
    events.endTrouble(state.expiry.setting)
    state.expiry = Expiry(configuration)
    state.broadcast?.publish(to: target, backup: backup)
    if state.isStandIn {
      // Go on with the saved intent, as the next start would.
      state.isStandIn = false
      let intent = Station.intent(settings.publish.autostart, saved: store.found)
      if intent != store.found { store.save(intent) }
      state.director = Director(
        intent: intent, conditions: Conditions(),
        keepsAudio: settings.pause.sound == .keep)
    }
    return true
  }

  private func takeRates(_ settings: Settings, _ state: inout State) -> Bool {
    let limits = BitrateController.Limits(self.settings, rates: settings)
    guard limits != state.limits else { return false }
    state.limits = limits
    state.broadcast?.follow(limits)
    return true
  }
}

extension Command {
  /// `nil` where the change itself is an event.
  fileprivate var event: Event.Code? {
    switch self {
    case .pause: .paused
    case .resume: .resumed
    case .mute: .muted
    case .unmute: .unmuted
    case .start, .stop, .reconnect: nil
    }
  }

  /// For the log.
  fileprivate var past: String {
    switch self {
    case .start: "Started"
    case .stop: "Stopped"
    case .pause: "Paused"
    case .resume: "Resumed"
    case .mute: "Muted"
    case .unmute: "Unmuted"
    case .reconnect: "Reconnecting"
    }
  }

  /// For the log: a state that the command does not change, if the user may not expect it.
  fileprivate func rest(of intent: Intent) -> String {
    switch self {
    case .resume where intent.isMuted: " The microphone is still muted."
    case .mute where intent.broadcast == .paused, .unmute where intent.broadcast == .paused:
      " The broadcast is still paused."
    default: ""
    }
  }

  /// For the user: the effect of the command.
  fileprivate var result: String {
    switch self {
    case .start: "The broadcast begins."
    case .stop: "The broadcast ends."
    case .pause: "Paused: viewers no longer see the camera."
    case .resume: "Live: viewers see the camera again."
    case .mute: "Muted: viewers no longer hear the microphone."
    case .unmute: "Unmuted: viewers hear the microphone again."
    case .reconnect: "Connecting again."
    }
  }

  /// For the person who gave the command: why it has changed nothing.
  fileprivate func noChange(_ intent: Intent) -> String {
    switch self {
    case .start where intent.broadcast == .paused: "Already started; the broadcast is paused."
    case .start, .resume: "Already live."
    case .stop: "Already off air."
    case .pause: "Already paused."
    case .mute: "Already muted."
    case .unmute: "Not muted."
    case .reconnect: ""
    }
  }
}
