// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Events
internal import Posix
internal import Settings
internal import Studio
internal import Synchronization

/// Keeps the relays of the settings and what a person has requested of each, also over a power cut. All methods may be
/// called while the station's lock is held, except `ask` and `save`, which write a file.
final class RelayKeeper: Sendable {
  private struct State {
    var desk: RelayDesk
    var expiries = RelayExpiries()
  }

  private let directory: String
  private let events: EventLog
  private let jobs: JobThread
  private let state: Mutex<State>
  /// Held while the file with the requests is written or removed.
  private let file = Mutex(())

  /// - Parameters:
  ///   - wasOff: whether the last run ended off air: its saved requests were for a broadcast that is over.
  ///   - isOff: whether no broadcast goes on at the start.
  ///   - isOnce: whether the broadcast that goes on has an address of its own.
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

  /// A copy of the relays and the requests at this moment.
  var desk: RelayDesk { state.withLock { $0.desk } }

  /// Follows settings that have changed. It does not write the file: call `save` afterwards.
  /// - Returns: the subjects of the troubles that have ended, such as "relay.NAME.url".
  func take(_ configuration: Configuration) -> [String] {
    state.withLock { state in
      state.desk.take(configuration)
      return state.expiries.take(configuration)
    }
  }

  /// Reads the saved requests again, since the saved broadcast goes on after all.
  func resume(_ configuration: Configuration) {
    let hands = RelayDesk.savedHands(directory, of: configuration)
    state.withLock { $0.desk = RelayDesk(configuration, hands: hands) }
  }

  /// Forgets the requests in memory, since a broadcast is over, or another one is wanted. The file stays: until the end
  /// of the broadcast is on the disk, too, a start after a power cut goes on with that broadcast.
  func begin(isOnce: Bool) { state.withLock { $0.desk.begin(isOnce: isOnce) } }

  /// Removes the file with the requests of the earlier broadcast, without waiting for the disk.
  func forgetFile() {
    jobs.submit { [self] in
      file.withLock { _ in
        // Requests that were made meanwhile are kept.
        let desk = self.desk
        if desk.hands.isEmpty { try? desk.save(directory) }
      }
    }
  }

  /// Starts, stops, pauses or resumes relays, and saves that request. A stop or a pause takes effect at once, even if
  /// it cannot be saved; a start or a resumption only once it is saved.
  /// - Parameters:
  ///   - name: `nil` for all relays.
  ///   - carryOut: calls the function that it is given and lets the broadcast follow the relays. It does neither if the
  ///     broadcast has ended meanwhile.
  /// - Returns: the names of the relays for which something has changed.
  /// - Throws: `.unknownEntry`, or `.settingsNotSaved` if a start or a resumption cannot be saved.
  func ask(
    _ action: RelayAction, of name: String?, by origin: String, carryOut: (() -> Void) -> Void
  ) throws(StationError) -> [String] {
    let outcome = file.withLock { _ in
      Result { () throws(StationError) in
        var desk = self.desk
        guard let changed = desk.ask(action, of: name) else {
          throw .unknownEntry(RelaySettings.list.entry(name ?? ""), meant: nil)
        }
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

  /// Saves the requests that are still valid after the settings have changed.
  /// - Parameter before: the requests before the change.
  func save(before: [String: RelayDesk.Hand]) {
    file.withLock { _ in
      let desk = self.desk
      // If this fails, the old file may at worst restart a stopped relay after a power cut.
      if desk.hands != before { try? desk.save(directory) }
    }
  }

  // MARK: Addresses that expire

  /// Lets all expiry warnings be reported again, since a broadcast begins.
  func beginExpiriesAgain() { state.withLock { $0.expiries.beginAgain() } }

  /// Warnings, each reported once, that the address of a relay that is on expires soon or has expired.
  /// - Parameter wallClock: seconds since 1970.
  func lookForExpiry(wallClock: Int64) -> [Expiry.Report] {
    state.withLock { state in
      let wanted = Set(state.desk.plans.map(\.name))
      return state.expiries.look(wallClock: wallClock) { wanted.contains($0) }
    }
  }
}
