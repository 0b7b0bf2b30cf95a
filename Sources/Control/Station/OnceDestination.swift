// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Director
internal import FoundationEssentials
internal import Posix
internal import Settings
internal import Studio

/// An address that one broadcast goes to instead of that of the settings. It is kept on the disk until that broadcast has
/// ended: after a power cut it must not go on to another audience.
struct OnceDestination: Codable, Equatable {
  /// As `publish.url`.
  var url: String
  /// As `publish.key`. Secret.
  var key: String

  private static let fileName = "once.json"
  private static let longest = 16_384

  /// The settings that it replaces.
  var patch: SettingsPatch {
    SettingsPatch([
      "publish.url": .text(url), "publish.key": .text(key), "publish.key_file": .text(""),
      "publish.backup_url": .text(""),
    ])
  }

  /// - Returns: `nil` if there is none.
  fileprivate static func read(_ directory: String) throws -> OnceDestination? {
    let bytes: [UInt8]
    do throws(PrivateFileError) {
      bytes = try File.readPrivate(fileName, in: directory, limit: longest)
    } catch {
      if error == .missing { return nil }
      throw error
    }
    return try JSONDecoder().decode(OnceDestination.self, from: Data(bytes))
  }

  func save(_ directory: String) throws(SystemError) {
    let bytes = (try? JSONEncoder().encode(self)) ?? Data()
    try File.replace(Self.fileName, in: directory, with: Array(bytes))
  }

  /// A file that stays behind would send the next start after a power cut to this address.
  static func remove(_ directory: String, _ events: EventLog) {
    do throws(SystemError) {
      try File.remove(fileName, in: directory)
    } catch {
      events.note(
        .warning, "\(directory)/\(fileName) cannot be removed (\(error)): remove it by hand.")
    }
  }
}

/// A checked `OnceDestination`.
struct OncePlan {
  var plan: DestinationPlan
  var expiry: Expiry

  init(_ configuration: Configuration) throws(Station.Fault) {
    plan = try Station.main(configuration).get()
    expiry = Expiry(configuration)
  }

  /// The address of the broadcast that the last run was in.
  /// - Parameter intent: of the last run.
  /// - Throws: if it cannot be read. Then the box must not go on the air: it would be at another address.
  static func saved(
    _ configuration: Configuration, intent: Intent, _ reload: SettingsReader
  ) throws(Station.Fault) -> OncePlan? {
    guard intent.broadcast != .off else { return nil }
    do {
      guard let once = try OnceDestination.read(configuration.stateDirectory) else { return nil }
      return try once.plan(configuration, reload)
    } catch let fault as Station.Fault {
      throw fault
    } catch {
      throw .noDestination(
        "The last broadcast went to an address of its own, which cannot be read any more: start the broadcast again."
      )
    }
  }
}

extension OnceDestination {
  /// - Throws: all mistakes.
  func plan(
    _ configuration: Configuration, _ reload: SettingsReader
  ) throws(Station.Fault) -> OncePlan {
    let fixed = configuration.values.first {
      $0.declaration.key == "publish.url" && $0.origin == .commandLine
    }
    guard fixed == nil else {
      throw .mistakes([
        Problem(
          place: .commandLine, key: "publish.url",
          sentence: "comes before any other address: start OnAir without it")
      ])
    }
    let changed: Configuration
    do throws(ConfigurationError) {
      changed = try Configuration.preview(patch, of: configuration.runTime) {
        (layer) throws(ConfigurationError) in try reload(.given(layer))
      }
    } catch {
      throw .mistakes(error.problems)
    }
    return try OncePlan(changed)
  }
}

extension Station {
  /// Starts a broadcast to another address than that of the settings, which stay as they are.
  /// - Throws: `.mistakes`, `.settingsNotSaved` or `.refused(.onAir)`.
  func start(once: OnceDestination, by origin: String) throws(Fault) {
    guard intent.broadcast == .off, state.withLock({ $0.broadcast == nil }) else {
      throw .refused(.onAir)
    }
    let plan = try once.plan(taken.withLock { $0 }, reload)
    do throws(SystemError) {
      try once.save(started.stateDirectory)
    } catch {
      throw .settingsNotSaved(
        "The address cannot be saved in \(started.stateDirectory) (\(error)), and nothing has begun."
      )
    }
    do throws(Fault) {
      _ = try perform(.start, once: plan, by: origin)
    } catch {
      OnceDestination.remove(started.stateDirectory, events)
      throw error
    }
  }
}
