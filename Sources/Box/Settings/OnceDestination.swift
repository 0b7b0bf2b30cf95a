// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Director
internal import Events
internal import Posix
internal import Settings
internal import Studio

/// The address and stream key that one broadcast uses instead of those of the settings. They are kept on the disk until
/// that broadcast has ended, so that after a power cut it goes on at the same address. Then they are removed, so that
/// no other broadcast uses them.
package struct OnceDestination: Codable, Equatable {
  /// The address, written as in the setting `publish.url`.
  var url: String
  /// The stream key, written as in the setting `publish.key`. It is secret: it must not be logged or shown.
  var key: String

  package init(url: String, key: String) {
    self.url = url
    self.key = key
  }

  /// The file in the state directory with the address and the stream key.
  fileprivate static let file = StateFile<OnceDestination>("once.json", limit: 65_536)

  /// This address and key as a change that overrides the settings for the one broadcast.
  var patch: SettingsPatch { SettingsPatch(address: url, key: key) }

  /// Saves the address and the stream key in the state directory.
  func save(_ directory: String) throws(SystemError) {
    try Self.file.write(self, in: directory)
  }

  /// Removes the saved address. Otherwise the next start after a power cut would send the stream there.
  static func remove(_ directory: String, _ events: EventLog) {
    do throws(SystemError) {
      try file.remove(in: directory)
    } catch {
      events.note(
        .warning, "\(directory)/\(file.name) cannot be removed (\(error)): remove it by hand.")
    }
  }
}

/// A checked `OnceDestination`: where the broadcast goes, and when the address expires.
struct OnceTarget {
  /// The server that the broadcast goes to.
  var target: BroadcastTarget
  /// Reports that the address expires soon or has expired.
  var expiry: Expiry

  init(_ configuration: Configuration) throws(StationError) {
    target = try Station.main(configuration).get()
    expiry = Expiry.once(expiresAt: configuration.destination?.expiresAt)
  }

  /// The address that was given for the broadcast of the last run alone; `nil` if that broadcast went to the server of
  /// the settings.
  /// - Throws: if that address cannot be read or used. Then the box must not go on the air: its stream would go to the
  ///   server of the settings, which may have another audience.
  static func saved(
    _ configuration: Configuration, _ reload: SettingsReader
  ) throws(StationError) -> OnceTarget? {
    do {
      let once = try OnceDestination.file.read(in: configuration.stateDirectory)
      guard let once else { return nil }
      return try once.checked(configuration, reload)
    } catch let fault as StationError {
      throw fault
    } catch {
      throw .noDestination(
        "The last broadcast went to an address of its own, which cannot be read any more: start the broadcast again."
      )
    }
  }
}

extension OnceDestination {
  /// Checks this address together with the settings.
  /// - Throws: `.noDestination`, or `.mistakes` with all mistakes. It is a mistake if `--set` on the command line gives
  ///   a setting of `patch`: that would override this address, and the stream would get another audience.
  func checked(
    _ configuration: Configuration, _ reload: SettingsReader
  ) throws(StationError) -> OnceTarget {
    let changed: Configuration
    do throws(ConfigurationError) {
      changed = try Configuration.preview(patch, of: configuration.runTime) {
        (layer) throws(ConfigurationError) in try reload(.given(layer))
      }
    } catch {
      throw .mistakes(error.problems)
    }
    let overridden = changed.values.filter {
      $0.origin == .commandLine && patch.values.keys.contains($0.declaration.key)
    }
    guard overridden.isEmpty else {
      throw .mistakes(
        overridden.map {
          Problem(
            place: .change, key: $0.declaration.key,
            sentence: "--set on the command line gives it a value, which comes first: leave it out",
            code: .overridden)
        })
    }
    return try OnceTarget(changed)
  }
}

extension Station {
  /// Starts a broadcast to the address `once` instead of the server of the settings. The settings stay as they are.
  /// - Throws: `.settingsNotSaved` or `.refused(.onAir)`.
  /// - Parameter target: the address `once` after its check.
  func start(once: OnceDestination, _ target: OnceTarget, by origin: String) throws(StationError) {
    _ = try withOnceFile { () throws(StationError) in
      try refuseOnAir()
      do throws(SystemError) {
        try once.save(directory)
      } catch {
        throw .settingsNotSaved(
          "The address cannot be saved in \(directory) (\(error)), and nothing has begun."
        )
      }
      do throws(StationError) {
        return try perform(.start, once: target, by: origin)
      } catch {
        OnceDestination.remove(directory, events)
        throw error
      }
    }
  }

  /// Moves a broadcast that was started with an address given for it alone to a new address, as when the first one
  /// expires. The broadcast does not end, but goes on at the new address.
  /// - Throws: `.settingsNotSaved`, `.refused(.offAir)`, or `.hasNoOwnAddress`.
  func move(
    to once: OnceDestination, _ target: OnceTarget, by origin: String
  ) throws(StationError) {
    _ = try withOnceFile { () throws(StationError) in
      try refuseWithoutOwnAddress()
      do throws(SystemError) {
        try once.save(directory)
      } catch {
        throw .settingsNotSaved(
          "The address cannot be saved in \(directory) (\(error)), and nothing has changed."
        )
      }
      let isOff = state.withLock { state in
        if state.director.intent.broadcast == .off { return true }
        state.once = target
        events.endTrouble(target.expiry.subject)
        state.broadcast?.publish(target.target)
        return false
      }
      // The broadcast has ended meanwhile; `forgetOnce` removes the file with the address.
      if isOff { throw .refused(.offAir) }
      events.note(.notice, "This broadcast goes to \(target.target.target) from now on, \(origin).")
      return true
    }
  }

  /// Throws `.refused(.offAir)` without a broadcast, and `.hasNoOwnAddress` if it goes to the server of the settings.
  private func refuseWithoutOwnAddress() throws(StationError) {
    let (isOff, hasOwn) = state.withLock {
      ($0.director.intent.broadcast == .off, $0.once != nil)
    }
    if isOff { throw .refused(.offAir) }
    guard hasOwn else { throw .hasNoOwnAddress }
  }

  /// Starts a broadcast to the server of the settings. First removes the saved address of an earlier broadcast, if that
  /// file may still be on the disk.
  /// - Returns: whether the intent has changed.
  func startMain(by origin: String) throws(StationError) -> Bool {
    _ = try state.withLock { $0.main }.get()
    return try withOnceFile { () throws(StationError) in
      if state.withLock({ $0.mayHaveOnceFile && $0.director.intent.broadcast == .off }) {
        OnceDestination.remove(directory, events)
      }
      return try perform(.start, once: nil, by: origin)
    }
  }

  /// Removes the saved address of a broadcast that has ended, but only once the intent "off" is on the disk. Before
  /// that, a start of the program after a power cut continues the broadcast, and needs the address.
  func forgetOnce() {
    onceFile.withLockIfAvailable { _ in
      guard
        state.withLock({
          !$0.isOnAir && $0.director.intent.broadcast == .off
            && store.isSaved($0.director.intent)
        })
      else { return }
      OnceDestination.remove(directory, events)
      state.withLock { ($0.once, $0.mayHaveOnceFile) = (nil, false) }
    }
  }

  /// Throws `.refused(.onAir)` if a broadcast is requested or under way.
  func refuseOnAir() throws(StationError) {
    let isOff = state.withLock { !$0.isOnAir && $0.director.intent.broadcast == .off }
    guard isOff else { throw .refused(.onAir) }
  }

  /// Calls `body` while the lock `onceFile` is held.
  private func withOnceFile(_ body: () throws(StationError) -> Bool) throws(StationError) -> Bool {
    let outcome = onceFile.withLock { _ in Result { () throws(StationError) in try body() } }
    return try outcome.get()
  }
}
