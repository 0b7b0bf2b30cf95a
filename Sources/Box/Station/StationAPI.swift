// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media
package import Settings
internal import Synchronization

// The station as the API's routes see it.

extension Station {
  /// How long the new state may take to be written to disk.
  private static let settlePatience = Int64.seconds(1)
  /// How long the end of a broadcast may take, with some time for a busy machine: see `endPatience`.
  static let stopPatience = Int64.seconds(4)

  /// Completes the reply to a command once the new state is on the disk or could not be written.
  package func settle(_ reply: inout ControlReply) async {
    let deadline = clock.now + Station.settlePatience
    while reply.changed, !isSettled, clock.now < deadline, !Task.isCancelled {
      try? await Task.sleep(for: .milliseconds(5))
    }
    complete(&reply)
  }

  /// Waits until a broadcast that was stopped has ended: another one, or an uplink test, may begin.
  package func awaitEnd(patience: Int64 = Station.stopPatience) async {
    let deadline = clock.now + patience
    while state.withLock({ $0.isEnding }), clock.now < deadline, !Task.isCancelled {
      try? await Task.sleep(for: .milliseconds(5))
    }
  }

  /// Changes settings. It may block for as long as the files that they name.
  /// - Parameter isRemote: as in `change`.
  package func answer(
    _ patch: SettingsPatch, by origin: String, isRemote: Bool = false
  ) -> ControlReply {
    do throws(Fault) {
      return try change(patch, by: origin, isRemote: isRemote)
    } catch {
      return ControlReply(error)
    }
  }

  /// Checks a change of settings, and changes nothing.
  package func check(_ patch: SettingsPatch, isRemote: Bool) -> ControlReply {
    do throws(Fault) {
      let taken = taken.withLock { $0 }
      _ = try preview(patch, of: taken, isRemote: isRemote)
      return ControlReply(changed: false, "The change can be made.")
    } catch {
      return ControlReply(error)
    }
  }

  /// The images that a change of settings is about, once it was made; none if it may not be made.
  package func images(after patch: SettingsPatch, isRemote: Bool) -> [String] {
    let taken = taken.withLock { $0 }
    guard !isRemote || taken.remoteProblems(of: patch).isEmpty else { return [] }
    let configuration = try? Configuration.preview(patch, of: taken.runTime) {
      (layer) throws(ConfigurationError) in try reload(.given(layer))
    }
    return (configuration?.settings.images ?? []).filter { patch.values.keys.contains($0.key) }
      .map(\.path)
  }

  /// The configuration that is in force.
  package var configuration: Configuration { taken.withLock { $0 } }

  /// Does something while the settings do not change.
  package func withConfiguration<Failure: Error>(
    _ body: (Configuration) throws(Failure) -> Void
  ) throws(Failure) {
    let outcome = taken.withLock { taken in Result { () throws(Failure) in try body(taken) } }
    try outcome.get()
  }

  /// Starts a broadcast to another address than that of the settings.
  package func answer(_ once: OnceDestination, by origin: String) -> ControlReply {
    do throws(Fault) {
      try start(once: once, by: origin)
      return ControlReply(changed: true, "The broadcast begins, this once to another address.")
    } catch {
      return ControlReply(error)
    }
  }

  /// Moves the present broadcast from its own address to another one.
  package func answer(movingTo once: OnceDestination, by origin: String) -> ControlReply {
    do throws(Fault) {
      try move(to: once, by: origin)
      return ControlReply(changed: true, "The broadcast goes on at the new address.")
    } catch {
      return ControlReply(error)
    }
  }

  /// All settings as JSON, without secrets.
  package var settingsList: [UInt8] {
    let taken = taken.withLock { $0 }
    let pending = started.settings.changes(to: taken.settings).filter { $0.effect == .nextStart }
    return Array(Settings.json(taken.values, pending: Set(pending.map(\.key))).utf8)
  }
}

extension ControlReply {
  package init(_ fault: Station.Fault) {
    self.init(fault: fault.code, fault.sentence)
    if case .mistakes(let mistakes) = fault {
      problems = mistakes.map(Problem.init)
    }
  }
}
