// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Events
internal import Posix
internal import Settings
internal import Studio
internal import Synchronization

/// Knows the relays of the settings and what a person has asked of each, also after a power cut. Whoever holds the station's
/// lock may use it, but for `ask` and `save`, which write a file.
final class RelayKeeper: Sendable {
  private struct State {
    var desk: RelayDesk
    var expiries = RelayExpiries()
  }

  private let directory: String
  private let events: EventLog
  private let jobs: JobThread
  private let state: Mutex<State>
  /// Held while the file with what was asked is written or removed.
  private let file = Mutex(())

  /// - Parameters:
  ///   - wasOff: the last run ended off air: what a person asked was for a broadcast that is over.
  ///   - isOff: no broadcast goes on.
  ///   - isOnce: it goes on at an address of its own.
  init(
    _ configuration: Configuration, wasOff: Bool, isOff: Bool, isOnce: Bool, events: EventLog,
    jobs: JobThread
  ) {
    (directory, self.events, self.jobs) = (configuration.stateDirectory, events, jobs)
    if wasOff { RelayDesk.forgetHands(directory) }
    let hands = isOff ? [:] : RelayDesk.savedHands(directory, of: configuration)
    var state = State(desk: RelayDesk(configuration, hands: hands))
    state.desk.isOnce = isOnce
    _ = state.expiries.take(configuration)
    self.state = Mutex(state)
  }

  /// The relays as they are at this moment.
  var desk: RelayDesk { state.withLock { $0.desk } }

  /// Follows settings that have changed. What is kept on the disk follows with `save`.
  /// - Returns: the settings of which troubles have ended.
  func take(_ configuration: Configuration) -> [String] {
    state.withLock { state in
      state.desk.take(configuration)
      return state.expiries.take(configuration)
    }
  }

  /// A broadcast that was kept goes on after all.
  func resume(_ configuration: Configuration) {
    let hands = RelayDesk.savedHands(directory, of: configuration)
    state.withLock { $0.desk = RelayDesk(configuration, hands: hands) }
  }

  /// A broadcast is over, or another one is wanted: what was asked counts no more. The file stays: until the end is on the
  /// disk, too, a power cut goes on with the old one.
  func begin(isOnce: Bool) { state.withLock { $0.desk.begin(isOnce: isOnce) } }

  /// Forgets the file of the broadcast before, without a wait for the disk.
  func forgetFile() {
    jobs.submit { [self] in
      file.withLock { _ in
        // What was asked meanwhile is kept.
        let desk = self.desk
        if desk.hands.isEmpty { try? desk.save(directory) }
      }
    }
  }

  /// Starts, stops, pauses or resumes relays, and keeps that. What takes the stream from a relay counts at once, even if it
  /// cannot be saved; everything else counts once it is saved.
  /// - Parameters:
  ///   - name: `nil` for all.
  ///   - carryOut: does what it is given, and lets the broadcast follow, unless it has ended meanwhile.
  /// - Returns: the relays for which something has changed.
  /// - Throws: `.unknownRelay`, or `.settingsNotSaved` where it would be forgotten at a power cut.
  func ask(
    _ action: RelayAction, of name: String?, by origin: String, carryOut: (() -> Void) -> Void
  ) throws(StationError) -> [String] {
    let outcome = file.withLock { _ in
      Result { () throws(StationError) in
        var desk = self.desk
        guard let changed = desk.ask(action, of: name) else { throw .unknownRelay(name ?? "") }
        guard !changed.isEmpty else { return changed }
        func take() { carryOut { state.withLock { _ = $0.desk.ask(action, of: name) } } }
        let isUrgent = action == .stop || action == .pause
        if isUrgent { take() }
        do throws(SystemError) {
          try desk.save(directory)
        } catch {
          let reason = "cannot be saved in \(directory) (\(error))"
          guard isUrgent else {
            throw .settingsNotSaved("That \(reason), and nothing has changed.")
          }
          events.note(
            .warning,
            "What was asked of the relays \(reason): they get the stream again after a power cut.")
        }
        if !isUrgent { take() }
        events.note(.notice, "\(action.past) \(RelayAction.words(changed)) \(origin).")
        return changed
      }
    }
    return try outcome.get()
  }

  /// Keeps what counts of what was asked, after the settings have changed.
  func save(before: [String: RelayDesk.Hand]) {
    file.withLock { _ in
      let desk = self.desk
      // A file that stays could only begin a relay again after a power cut that was ended.
      if desk.hands != before { try? desk.save(directory) }
    }
  }

  // MARK: Addresses that expire

  /// A broadcast begins: what was reported of addresses is reported again.
  func beginExpiriesAgain() { state.withLock { $0.expiries.beginAgain() } }

  /// Warnings that addresses expire of relays that get the stream, each once.
  func lookForExpiry(wallClock: Int64) -> [Expiry.Report] {
    state.withLock { state in
      let wanted = Set(state.desk.plans.map(\.name))
      return state.expiries.look(wallClock: wallClock) { wanted.contains($0) }
    }
  }
}
