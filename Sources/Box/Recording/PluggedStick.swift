// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Base
internal import Posix
internal import Sticks
internal import Synchronization

/// The stick that recordings go to: of those that the root unit has mounted, the one that was used last.
package final class PluggedStick: RecordingStick {
  private struct State {
    var sticks: [Stick] = []
    /// The ID of the stick that was used last; `nil` if there was none.
    var lastUsed: String?
    /// The stick that was opened last, and why that failed.
    var opened: (stick: Stick, fault: StickError?)?
    /// How fast the opened stick is; `nil` before it was measured.
    var speed: StickSpeed?
    var removal: StickRemoval?
    var isRecording = false
    /// The bytes of a second of a recording.
    var rate = 0

    /// The stick that is told of: the one to be used, or else one that cannot be.
    var chosen: Stick? { sticks.chosen(lastUsed: lastUsed) ?? sticks.first }
    var isOpen: Bool { opened.map { $0.stick == chosen && $0.fault == nil } ?? false }
  }

  /// The ID of the stick that was used last.
  private static let lastUsedFile = StateFile<String>("stick", limit: 256)

  private let places: StickPlaces
  /// The state directory.
  private let stateDirectory: String
  private let clock: MediaClock
  private let state: Mutex<State>
  /// Opens and measures sticks, which may hang.
  private let thread = JobThread(name: "stick", urgency: .ordinary, mostWaiting: 4)
  private let watch = Mutex<StickWatch?>(nil)

  /// - Returns: `nil` on a machine that mounts no sticks for OnAir.
  /// - Parameter directory: the state directory.
  package init?(environment: [String: String], directory: String, clock: MediaClock) {
    guard let places = StickPlaces(environment: environment) else { return nil }
    (self.places, stateDirectory, self.clock) = (places, directory, clock)
    state = Mutex(State(lastUsed: (try? Self.lastUsedFile.read(in: directory)) ?? nil))
  }

  package func start() {
    let watch = StickWatch(places, clock: clock) { [weak self] in self?.note($0) }
    self.watch.withLock { $0 = watch }
    watch.start()
  }

  /// - Returns: `false` if a stick still hangs at `deadline`.
  package func stop(by deadline: MediaTime) -> Bool {
    // A measurement is given up.
    state.withLock { $0.sticks = [] }
    let isStopped = watch.withLock { $0.take() }?.stop(by: deadline) ?? true
    return thread.finish(by: deadline) && isStopped
  }

  // MARK: RecordingStick

  package var status: Status.Record.Stick? {
    state.withLock { state in
      state.chosen.map { stick in
        Status.Record.Stick(
          stick, isOpen: state.isOpen,
          fault: state.opened?.stick == stick ? state.opened?.fault : nil,
          speed: state.speed?.verdict(forBytesPerSecond: state.rate),
          removal: state.removal?.outcome(state.sticks, now: clock.now))
      }
    }
  }

  package var directory: String? {
    state.withLock { $0.isOpen ? $0.chosen?.directory : nil }
  }

  package func follow(isRecording: Bool, bytesPerSecond: Int) {
    let isFree = state.withLock { state in
      defer { (state.isRecording, state.rate) = (isRecording, bytesPerSecond) }
      return state.isRecording && !isRecording && state.isOpen && state.speed == nil
    }
    if isFree { measureLater() }
  }

  package func remove() {
    let stick = state.withLock { state in
      state.removal = state.chosen.map { StickRemoval(of: $0, now: clock.now) }
      return state.chosen
    }
    if let stick { try? places.requestRemoval(of: stick) }
  }

  // MARK: Opening and measuring

  private func note(_ sticks: [Stick]) {
    let isNew = state.withLock { state in
      state.sticks = sticks
      guard let chosen = state.chosen, chosen != state.opened?.stick else { return false }
      state.opened = nil
      return chosen.directory != nil
    }
    if isNew { measureLater() }
  }

  private func measureLater() { thread.submit { [self] in measure() } }

  /// Finds out whether the stick is there, and how fast it is while nothing is recorded.
  private func measure() {
    guard let stick = state.withLock({ $0.chosen }), stick.directory != nil else { return }
    do throws(StickError) {
      let folder = try StickFolder(of: stick, in: places)
      let isOther = state.withLock { state in
        if state.opened?.stick.device != stick.device { (state.speed, state.removal) = (nil, nil) }
        state.opened = (stick, nil)
        defer { state.lastUsed = stick.id }
        return state.lastUsed != stick.id
      }
      if isOther { try? Self.lastUsedFile.write(stick.id, in: stateDirectory) }
      let isNeeded = { [self] in
        state.withLock {
          $0.chosen == stick && !$0.isRecording && $0.removal == nil && $0.speed == nil
        }
      }
      guard isNeeded() else { return }
      do throws(SystemError) {
        var file = try StickSpeedFile(in: folder)
        let speed = try StickSpeed.measure(
          &file, seed: .random(in: 0...UInt64.max), clock: clock, isOver: { !isNeeded() })
        state.withLock { if $0.opened?.stick == stick { $0.speed = speed } }
      } catch {
        // A full stick is not measured, and the recording tells what is wrong with another one.
      }
    } catch {
      state.withLock { $0.opened = (stick, error) }
    }
  }
}

extension Status.Record.Stick {
  /// - Parameters:
  ///   - isOpen: whether its folder could be opened.
  ///   - fault: why its folder cannot be opened; `nil` if it can, or was not tried.
  ///   - speed: how fast it is; `nil` before it was measured.
  ///   - removal: how a requested removal goes; `nil` if none was requested.
  init(
    _ stick: Stick, isOpen: Bool, fault: StickError?, speed: StickSpeed.Verdict?,
    removal: StickRemoval.Outcome?
  ) {
    self.init(
      id: stick.id, label: stick.label, fileSystem: stick.fileSystem, bytes: stick.sizeBytes,
      freeBytes: stick.freeBytes, state: "checking", sentence: stick.sentence)
    switch stick.state {
    case .checking: break
    case .removed: state = "removed"
    case .unusable(let problem):
      (state, self.problem) = ("unusable", problem.rawValue)
      readOnly = problem == .readOnly
    case .ready:
      switch (fault, removal) {
      case (.gone?, _): break
      case (let fault?, _):
        let problem = fault == .notAFolder ? Stick.Problem.folder : .damaged
        (state, self.problem, sentence) = (
          "unusable", problem.rawValue, problem.sentence(fileSystem)
        )
      case (nil, .waiting?): state = "removing"
      case (nil, .refused?), (nil, .unanswered?): (state, self.problem) = ("ready", "busy")
      case (nil, .done?), (nil, nil): state = isOpen ? "ready" : "checking"
      }
    }
    self.speed =
      switch speed {
      case nil: nil
      case .fast?: "fast"
      case .slow?: "slow"
      case .stalls?: "stalls"
      case .broken?: "fake"
      }
  }
}
