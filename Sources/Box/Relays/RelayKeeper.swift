// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Events
internal import Posix
internal import Settings
internal import Studio
internal import Synchronization

/// Holds the relays of the settings and what a person has requested of each, and saves these requests in a file, so
/// that they survive a power cut. All methods may be called while the station's lock is held, except `perform` and
/// `save`, which write a file.
final class RelayKeeper: Sendable {
  /// The mutable state of the keeper, guarded by the mutex `state`.
  private struct State {
    var desk: RelayDesk
    var expiries = RelayExpiries()
  }

  /// The state directory.
  private let directory: String
  private let events: EventLog
  /// The thread for work that waits for the disk.
  private let jobs: JobThread
  /// The relays with the requests about them, and the expiries of their addresses.
  private let state: Mutex<State>
  /// Held while the file with the requests is written or removed.
  private let file = Mutex(())

  /// - Parameters:
  ///   - wasOff: whether the last run of the program ended off air; then the saved requests are removed.
  ///   - isOff: whether the program starts off air; then the saved requests are not used.
  ///   - hasOwnAddress: whether the broadcast that this run continues has an address that was given for it alone.
  init(
    _ configuration: Configuration, wasOff: Bool, isOff: Bool, hasOwnAddress: Bool,
    events: EventLog, jobs: JobThread
  ) {
    (directory, self.events, self.jobs) = (configuration.stateDirectory, events, jobs)
    if wasOff { RelayDesk.removeSavedRequests(directory) }
    let requests = isOff ? [:] : RelayDesk.savedRequests(directory, of: configuration)
    var state = State(desk: RelayDesk(configuration, requests: requests))
    state.desk.hasOwnAddress = hasOwnAddress
    _ = state.expiries.watch(configuration)
    self.state = Mutex(state)
  }

  /// A copy of the relays and the requests at this moment.
  var desk: RelayDesk { state.withLock { $0.desk } }

  /// Applies changed settings without writing the file: call `save` afterwards.
  /// - Returns: the subjects, such as "relay.NAME.url", of the reported troubles that this change has ended.
  func apply(_ configuration: Configuration) -> [String] {
    state.withLock { state in
      state.desk.apply(configuration)
      return state.expiries.watch(configuration)
    }
  }

  /// Reads the saved requests again. Called when the settings get a server, so that this run can continue the broadcast
  /// of the last run.
  func resume(_ configuration: Configuration) {
    let requests = RelayDesk.savedRequests(directory, of: configuration)
    state.withLock { $0.desk = RelayDesk(configuration, requests: requests) }
  }

  /// Forgets the requests in memory, when a broadcast is over or the next one is requested. The file stays, since after
  /// a power cut the old broadcast goes on unless its end is already on the disk.
  func forgetRequests(hasOwnAddress: Bool) {
    state.withLock { $0.desk.forgetRequests(hasOwnAddress: hasOwnAddress) }
  }

  /// Removes the file with the requests of the earlier broadcast, without waiting for the disk.
  func forgetFile() {
    jobs.submit { [self] in
      file.withLock { _ in
        // Keep requests that were made while this job waited.
        let desk = self.desk
        if desk.requests.isEmpty { try? desk.save(directory) }
      }
    }
  }

  /// Starts, stops, pauses or resumes relays, and saves the request to do so. A stop or a pause takes effect at once,
  /// even if it cannot be saved; a start or a resumption only once it is saved.
  /// - Parameters:
  ///   - name: `nil` for all relays.
  ///   - carryOut: makes a running broadcast follow the change. It gets a function that records the new requested
  ///     states. While a broadcast is running, it calls that function, and then makes the broadcast publish to the
  ///     relays that are on. Otherwise it does nothing.
  /// - Returns: the names of the relays for which something has changed.
  /// - Throws: `.unknownEntry`, or `.settingsNotSaved` if a start or a resumption cannot be saved.
  func perform(
    _ action: RelayAction, of name: String?, by origin: String, carryOut: (() -> Void) -> Void
  ) throws(StationError) -> [String] {
    let outcome = file.withLock { _ in
      Result { () throws(StationError) in
        var desk = self.desk
        guard let changed = desk.request(action, of: name) else {
          throw .unknownEntry(RelaySettings.list.entry(name ?? ""), meant: nil)
        }
        guard !changed.isEmpty else { return changed }
        func apply() { carryOut { state.withLock { _ = $0.desk.request(action, of: name) } } }
        let isUrgent = action == .stop || action == .pause
        if isUrgent { apply() }
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
        if !isUrgent { apply() }
        events.note(.notice, "\(action.past) \(RelayAction.words(changed)) \(origin).")
        return changed
      }
    }
    return try outcome.get()
  }

  /// Writes the requests that are still valid after a change of the settings to the file, if any request was dropped.
  /// - Parameter before: the requests before the change.
  func save(before: [String: RelayDesk.WantedState]) {
    file.withLock { _ in
      let desk = self.desk
      // A failure is ignored: at worst the old file makes a stopped relay start again after a power cut.
      if desk.requests != before { try? desk.save(directory) }
    }
  }

  // MARK: Addresses that expire

  /// Allows all expiry warnings to be reported once more, for a broadcast that begins.
  func resetExpiryWarnings() { state.withLock { $0.expiries.resetReports() } }

  /// Warnings, each reported once, that the address of a relay that is on expires soon or has expired.
  /// - Parameter wallClock: seconds since 1970.
  func checkExpiry(wallClock: Int64) -> [Expiry.Report] {
    state.withLock { state in
      let wanted = Set(state.desk.targets.map(\.name))
      return state.expiries.check(wallClock: wallClock) { wanted.contains($0) }
    }
  }
}
