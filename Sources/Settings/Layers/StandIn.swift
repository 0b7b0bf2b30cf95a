// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Posix

/// Why a box that has to stay up does not use its settings file as it is, and what it uses instead.
public struct StandIn: Sendable, Equatable {
  public enum Source: Sendable {
    /// The copy of the last file without mistakes.
    case lastThatWorked
    /// The lines without a mistake; all other settings have their defaults. With those nothing may be broadcast: a line
    /// that is missing may be the one that keeps the room private.
    case faultlessLines
  }

  public let source: Source
  /// Never empty.
  public let problems: [Problem]
  /// The settings file; `nil` if the mistakes are on the command line.
  public let file: String?
  /// The file as it was when it was read; `nil` if it was not there.
  public let stamp: FileStamp?

  /// Whether the file has changed since it was read.
  public var isOutdated: Bool { file.map { FileStamp(path: $0) != stamp } ?? false }
}

/// The settings file as it was read. It may hold the stream key, so nothing prints it.
public struct SettingsCopy: Sendable, CustomStringConvertible, CustomReflectable {
  public static let fileName = "settings-that-worked.toml"

  let bytes: [UInt8]

  public var description: String { "\(bytes.count) bytes" }
  public var customMirror: Mirror { Mirror(self, children: [:]) }

  /// Keeps it in the state directory for `Configuration.loadKeepingUp`, unless that is there already.
  public func save(in directory: String) throws(SystemError) {
    let present = try? File.readPrivate(Self.fileName, in: directory, limit: bytes.count + 1)
    guard present != bytes else { return }
    try File.replace(Self.fileName, in: directory, with: bytes)
  }
}

extension Configuration {
  /// The page's address where the settings tell none: who has to correct them must reach it.
  private static let emergencyPage = "page.listen=0.0.0.0:80"

  /// Reads the configuration of a box that has to come up whatever its settings file holds. If there are mistakes,
  /// `standIn` tells them.
  /// - Throws: what `load` does for a change of the run-time settings that is not right, whatever the file holds.
  public static func loadKeepingUp(
    file: String?, runTime: RunTimeSource = .stateDirectory, overrides: [String] = [],
    environment: [String: String] = processEnvironment, files: @escaping FileReader = systemFiles
  ) throws(ConfigurationError) -> Configuration {
    let stamp = file.flatMap { FileStamp(path: $0) }
    let refusal: ConfigurationError
    do throws(ConfigurationError) {
      return try load(
        file: file, runTime: runTime, overrides: overrides, environment: environment, files: files)
    } catch {
      refusal = error
    }
    /// - Throws: the mistakes of the run-time settings alone.
    func read(
      _ file: String?, _ runTime: RunTimeSource, _ overrides: [String]
    ) throws(ConfigurationError) -> (configuration: Configuration, problems: [Problem]) {
      func inspected(
        _ source: RunTimeSource
      ) throws(ConfigurationError) -> (configuration: Configuration, problems: [Problem]) {
        try inspect(
          file: file, runTime: source, overrides: overrides, environment: environment, files: files)
      }
      let below = try inspected(.given(RunTimeSettings())).problems
      let all = try inspected(runTime)
      let new = all.problems.filter { !below.contains($0) }
      guard new.isEmpty else { throw .invalid(new) }
      return all
    }
    var missing: [Problem] = []
    if case .noSuchFile(let problem) = refusal { missing = [problem] }
    let readable = missing.isEmpty ? file : nil
    var (faultless, mistakes) = try read(readable, runTime, overrides)
    let problems = missing + mistakes
    // Somebody has just corrected it.
    guard !problems.isEmpty else { return faultless }
    let directory = faultless.stateDirectory
    let copy = "\(directory)/\(SettingsCopy.fileName)"
    if (try? files(copy, Document.longest)) != nil {
      var source = runTime
      if case .stateDirectory = runTime { source = .directory(directory) }
      var kept = try read(copy, source, overrides)
      if kept.problems.isEmpty {
        kept.configuration.standIn = StandIn(
          source: .lastThatWorked, problems: problems, file: file, stamp: stamp)
        kept.configuration.copy = nil
        return kept.configuration
      }
    }
    let listen = faultless.values.first { $0.declaration.key == "page.listen" }
    if listen?.origin == .builtIn || problems.contains(where: { $0.key == "page.listen" }) {
      (faultless, _) = try read(readable, runTime, overrides + [emergencyPage])
    }
    faultless.standIn = StandIn(
      source: .faultlessLines, problems: problems, file: file, stamp: stamp)
    (faultless.destination, faultless.backup, faultless.copy) = (nil, nil, nil)
    return faultless
  }
}
