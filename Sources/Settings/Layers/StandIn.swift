// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Posix

/// Describes the mistakes in the settings, and what the box uses instead of its settings file, since it must start in
/// any case.
public struct StandIn: Sendable, Equatable {
  /// The settings that are used instead of the settings file.
  public enum Source: Sendable {
    /// The saved copy of the last settings file without mistakes.
    case lastThatWorked
    /// The lines of the settings file that have no mistake; all other settings have their defaults. Nothing may be
    /// broadcast with these settings: the line with a mistake may be the one that keeps the room private.
    case faultlessLines
  }

  /// Which settings are used instead of the settings file.
  public let source: Source
  /// The mistakes in the settings; never empty.
  public let problems: [Problem]
  /// The path of the settings file; `nil` if OnAir runs without one. Then the mistakes are on the command line.
  public let file: String?
  /// Identifies the version of the settings file that was read; `nil` if the file was missing.
  public let stamp: FileStamp?
  /// Whether the camera's whole picture is covered: see `Settings.mayLackMasks`.
  public internal(set) var coversCamera = false

  /// Whether the settings file has changed since it was read.
  public var isOutdated: Bool { file.map { FileStamp(path: $0) != stamp } ?? false }
}

/// The bytes of a settings file without mistakes. They may contain the stream key, so `description` and `dump` do not
/// show them.
public struct SettingsCopy: Sendable, CustomStringConvertible, CustomReflectable {
  /// The name of the saved copy in the state directory.
  public static let fileName = "settings-that-worked.toml"

  /// The contents of the settings file.
  let bytes: [UInt8]

  /// Shows only the number of bytes, since the file may contain secrets.
  public var description: String { "\(bytes.count) bytes" }
  /// A mirror without children, so that `dump` does not show the file.
  public var customMirror: Mirror { Mirror(self, children: [:]) }

  /// The problem of a settings file that is empty although it had settings before, for example because of a power cut.
  /// Returns no problem if the file is not empty, or if no saved copy in `directory` shows that the file had settings.
  static func problems(
    ofEmptied file: String, _ bytes: [UInt8], copyIn directory: String, _ files: FileReader
  ) -> [Problem] {
    guard isBlank(bytes), let kept = try? files("\(directory)/\(fileName)", Document.maxBytes),
      !isBlank(kept.bytes)
    else { return [] }
    return [
      Problem(
        place: .wholeFile(file), key: nil,
        sentence:
          "is empty, and had settings before: write them again, or a line that begins with # if it is to have none"
      )
    ]
  }

  /// Whether a file contains only white space, or nothing.
  private static func isBlank(_ bytes: [UInt8]) -> Bool {
    bytes.allSatisfy { $0 == UInt8(ascii: " ") || (9...13).contains($0) }
  }

  /// Saves the bytes in the state directory, where `Configuration.loadWithFallback` finds them. Does nothing if the
  /// saved file has the same contents already.
  public func save(in directory: String) throws(SystemError) {
    let present = try? File.readPrivate(Self.fileName, in: directory, limit: bytes.count + 1)
    guard present != bytes else { return }
    try File.replace(Self.fileName, in: directory, with: bytes)
  }
}

extension Configuration {
  /// The `--set` argument that makes the page reachable from the network if the settings name no valid address for it:
  /// a person needs the page to correct the settings.
  private static let emergencyPage = "page.listen=0.0.0.0:80"

  /// Loads the configuration of a box that must start even if its settings file has mistakes. If there are mistakes,
  /// the configuration's `standIn` contains them, and names what is used instead of the file.
  /// - Throws: `.invalid` if given run-time settings add mistakes to those of the file; `.unreadableFile` if the file
  ///   vanishes while it is read.
  public static func loadWithFallback(
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
    /// Reads the configuration and all its mistakes.
    /// - Throws: the mistakes that only the run-time settings cause.
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
    if case .unreadableFile(let problem) = refusal { missing = [problem] }
    let readable = missing.isEmpty ? file : nil
    var (faultless, mistakes) = try read(readable, runTime, overrides)
    let problems = missing + mistakes
    // If there are no mistakes any more, the file was corrected between the two reads.
    guard !problems.isEmpty else { return faultless }
    func maskText(of path: String) -> MaskText {
      MaskText((try? files(path, Document.maxBytes))?.bytes ?? [])
    }
    // Whether the file has masks that were not recognized, for instance in a section whose name is misspelt. A file
    // with syntax errors is compared with the saved copy below.
    let hasUnknownMasks =
      !faultless.settings.mayLackMasks
      && readable.map { maskText(of: $0).maskCount > faultless.settings.maskCount } ?? false
    let directory = runTime.directory ?? faultless.stateDirectory
    let copy = "\(directory)/\(SettingsCopy.fileName)"
    if (try? files(copy, Document.maxBytes)) != nil {
      var source = runTime
      if case .stateDirectory = runTime { source = .directory(directory) }
      var kept = try read(copy, source, overrides)
      if kept.problems.isEmpty {
        kept.configuration.standIn = StandIn(
          source: .lastThatWorked, problems: problems, file: file, stamp: stamp)
        kept.configuration.copy = nil
        if hasUnknownMasks { kept.configuration.settings.mayLackMasks = true }
        kept.configuration.settings.addMasks(
          of: faultless.settings, problems,
          mayHaveMore: readable.map { maskText(of: $0).mayDiffer(from: maskText(of: copy)) }
            ?? false)
        kept.configuration.standIn?.coversCamera = kept.configuration.settings.mayLackMasks
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
    if readable == nil || hasUnknownMasks { faultless.settings.mayLackMasks = true }
    faultless.standIn?.coversCamera = faultless.settings.mayLackMasks
    return faultless
  }
}
