// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
package import Director
internal import Logging
internal import Publish
internal import Settings
internal import Studio
internal import Synchronization

// Commands from the command line, HTTP and the buttons.

extension Station {
  /// The command that has the settings read again. `SettingsDesk.reload` executes this command, not the station.
  package static let reloadWord = "reload"

  /// Executes a command that is given as a word, and returns the reply.
  /// - Parameter origin: the command's source, for the log: "by button".
  package func answer(_ word: String, by origin: String) -> ControlReply {
    guard let command = Command(rawValue: word) else {
      let all = (Command.allCases.map(\.rawValue) + [Station.reloadWord]).joined(separator: ", ")
      return ControlReply(
        fault: ControlReply.unknown, "There is no such command; there are \(all).")
    }
    do {
      let changed = try perform(command, by: origin)
      return ControlReply(
        changed: changed,
        changed || command.alwaysActs
          ? command.result(intent) + remark(on: command) : command.noChange(intent))
    } catch {
      return ControlReply(error)
    }
  }

  /// A sentence for the user about what the command did not change, such as a microphone that viewers still hear during
  /// a pause; empty if there is nothing to say.
  private func remark(on command: Command) -> String {
    let (intent, settings, video) = state.withLock {
      ($0.director.intent, $0.settings, $0.director.plan.video)
    }
    guard command == .pause else { return command.unchangedState(of: intent) }
    let seen = Station.remark(onPause: video)
    if intent.isSilent { return seen }
    if settings.pause.sound == .keep, settings.audio.source != .none {
      return seen + " They still hear the microphone (pause.sound = \"keep\")."
    }
    if settings.pause.sound == .music, studio.music.needsTrack {
      return seen + " They still hear the music, and nothing else (pause.sound = \"music\")."
    }
    return seen
  }

  /// A sentence for the user if a pause, in which viewers get this video, shows the room; empty otherwise.
  private static func remark(onPause video: Plan.Video) -> String {
    video == .lastFrame
      ? " They still see the last picture: that is not private (pause.picture = \"last\")." : ""
  }

  /// Adds the present status to a successful reply, and whether the present intent is on the disk.
  package func complete(_ reply: inout ControlReply) {
    guard reply.ok else { return }
    let present = state.withLock { $0 }
    reply.saved = store.isSaved(present.director.intent)
    reply.status = feed.present(clock.now) { status(present) }
  }

  /// Executes a command. When this method returns from a command that hides something (`Command.onlyHides`), no more of
  /// the hidden video or audio is handed to the network.
  /// - Returns: whether the intent has changed.
  @discardableResult
  package func perform(_ command: Command, by origin: String) throws(StationError) -> Bool {
    try command == .start ? startMain(by: origin) : perform(command, once: nil, by: origin)
  }

  /// Executes a command and reports it.
  /// - Parameter once: the address for the broadcast that this command starts; `nil` for the server of the settings.
  /// - Returns: whether the intent has changed.
  func perform(_ command: Command, once: OnceTarget?, by origin: String) throws(StationError)
    -> Bool
  {
    let outcome: Result<Bool, CommandError> = reporting.withLock { _ in
      Result { () throws(CommandError) in
        let (changed, intent, video) = try act(command, once: once)
        if changed || command.alwaysActs {
          let remark =
            command == .pause
            ? Station.remark(onPause: video) : command.unchangedState(of: intent)
          let sentence = "\(command.past) \(origin).\(remark)"
          if let event = command.event {
            events.report(event, sentence)
          } else {
            events.note(.notice, sentence)
          }
        }
        // Reconnect after the event of the command, so that the events of the new connection follow it.
        if command == .reconnect { state.withLock { $0.broadcast }?.reconnect() }
        return changed
      }
    }
    switch outcome {
    case .failure(let refusal): throw .refused(refusal)
    case .success(let changed): return changed
    }
  }

  /// Executes a command, but does not report it. Returns whether the intent has changed, the present intent, and what
  /// viewers see now.
  private func act(
    _ command: Command, once: OnceTarget?
  ) throws(CommandError) -> (changed: Bool, intent: Intent, video: Plan.Video) {
    typealias Done = (changed: Bool, intent: Intent, video: Plan.Video)
    let outcome: Result<Done, CommandError> = state.withLock { state in
      Result { () throws(CommandError) in
        if once != nil, state.director.intent.broadcast != .off { throw .onAir }
        let changed = try state.director.perform(command, at: now)
        if command == .stop, changed, state.isOnAir { state.isEnding = true }
        if command == .start, changed {
          state.broadcastNumber += 1
          (state.once, state.mayHaveOnceFile) = (once, once != nil)
          relayKeeper.forgetRequests(hasOwnAddress: once != nil)
          relayKeeper.forgetFile()
        }
        if command == .start { state.uplink?.requestStop() }
        (state.isOffWithoutServer, state.isHeld) = (false, false)
        // If the box is off only because the settings have no server, the intent is "off" already, and a stop does not
        // change it. But the file still has the intent of the last run, so save "off".
        if changed || !store.isSettled(state.director.intent) { store.save(state.director.intent) }
        present(state)
        if command == .restart { state.needsRestart = true }
        return (changed, state.director.intent, state.director.plan.video)
      }
    }
    return try outcome.get()
  }
}
