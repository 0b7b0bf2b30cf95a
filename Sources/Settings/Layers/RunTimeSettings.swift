// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Posix

/// The error that is thrown when the file of run-time settings cannot be read.
public struct RunTimeSettingsError: Error, Sendable, Equatable {
  /// The reason, worded to follow the file's name: "is a symbolic link".
  public let reason: String
}

/// The settings that were set at run time, with `onair set` or over HTTP. They override the settings file, and the
/// command line overrides them.
///
/// They are saved in a small TOML file in the state directory. Only the user that OnAir runs as can read the file.
public struct RunTimeSettings: Sendable, Equatable {
  /// A value that was set at run time.
  struct Entry: Sendable, Equatable {
    let raw: Raw
    /// Where the value was given, for a `Problem` with this value.
    let place: Problem.Place
  }

  /// The name of the file in the state directory.
  public static let fileName = "settings.toml"
  /// The name to which `save` renames a file that could not be read.
  public static let unreadableName = "settings.toml.unreadable"
  /// Maximum size of the file of run-time settings in bytes.
  static let maxBytes = 1 << 18
  /// The settings that cannot be set at run time: one decides where the file of run-time settings is found, the other
  /// names a program that is run.
  static let excludedKeys: Set<String> = ["state.directory", "record.after"]

  /// The values that are set at run time, by key.
  private(set) var entries: [String: Entry] = [:]

  /// Whether no setting is set at run time.
  public var isEmpty: Bool { entries.isEmpty }

  public init() {}

  /// Reads the file in `directory`. If there is no file, no settings were set.
  ///
  /// An empty file is an error, since `save` never writes one: either a power cut has emptied the file, or the empty
  /// file marks that settings were lost or could not be read.
  /// - Parameter directory: the path of the state directory.
  public init(directory: String, mounts: MountTable = .system) throws(RunTimeSettingsError) {
    if let mount = mounts.missingMount(above: directory) {
      throw RunTimeSettingsError(reason: "cannot be read, since \(mount) is not mounted,")
    }
    let bytes: [UInt8]
    do throws(PrivateFileError) {
      // Read one byte more than the limit, to notice a file that is too long.
      bytes = try File.readPrivate(Self.fileName, in: directory, limit: Self.maxBytes + 1)
    } catch {
      if error == .missing, File.isAbsent("\(directory)/\(Self.fileName)") { return }
      throw RunTimeSettingsError(
        reason: error == .missing ? "cannot be reached" : error.sentence)
    }
    guard !bytes.isEmpty else { throw RunTimeSettingsError(reason: "is empty") }
    guard bytes.count <= Self.maxBytes else { throw RunTimeSettingsError(reason: "is too long") }
    let document = Document(bytes)
    if let fault = document.faults.first {
      throw RunTimeSettingsError(
        reason: "has a mistake in line \(fault.position.line) (\(fault.sentence))")
    }
    let path = "\(directory)/\(Self.fileName)"
    for leaf in document.leaves {
      let key = leaf.path.joined(separator: ".")
      entries[key] = Entry(raw: leaf.raw, place: .file(path, leaf.position))
    }
  }

  /// The keys that are set, in alphabetical order.
  public var keys: [String] { entries.keys.sorted() }

  /// The keys set at run time that belong to the same list entry as `key`: for "relay.second.url", all keys of
  /// "relay.second". If `key` names a list without an entry ("relay"), all keys of the list. Empty if `key` is in no
  /// list.
  func keys(ofEntryIn key: String) -> [String] {
    guard let list = Settings.list(of: key) else { return [] }
    let hasEntryName = key.split(separator: ".").count == 3
    return keys.filter { $0.hasPrefix("\(hasEntryName ? sectionName(of: key) : list.section).") }
  }

  /// These settings after a change. The change is not checked.
  public func applying(_ change: SettingsPatch) -> RunTimeSettings {
    var new = self
    for (key, value) in change.values {
      new.entries[key] = value.map { Entry(raw: $0.raw, place: .change) }
    }
    return new
  }

  /// The change that undoes `change`: it gives each key the value that it has in these settings, or unsets the key if
  /// it has none.
  public func undoPatch(for change: SettingsPatch) -> SettingsPatch {
    SettingsPatch(
      change.values.keys.reduce(into: [:]) { back, key in
        back[key] = .some(entries[key]?.raw.value)
      })
  }

  /// These settings, and those of `others` whose keys are not set here.
  public func adding(_ others: RunTimeSettings) -> RunTimeSettings {
    var all = self
    all.entries.merge(others.entries) { own, _ in own }
    return all
  }

  /// These settings without the keys of a change. The address and the secrets of a server are removed together (see
  /// `keysBound(to:)`): otherwise an address that is unused now could come back later with another stream key.
  public func removing(_ change: SettingsPatch) -> RunTimeSettings {
    var rest = self
    for key in change.values.keys.flatMap(keysBound(to:)) { rest.entries[key] = nil }
    return rest
  }

  /// For an address or a secret of a server: all keys of this server's addresses and secrets that are set at run time.
  /// For any other setting: its own key.
  func keysBound(to key: String) -> [String] {
    let bound = Settings.boundKeys(of: key)
    return bound.contains(key) ? keys.filter(bound.contains) : [key]
  }

  /// Removes the value of a key from these settings, and puts it into `other`.
  mutating func move(_ key: String, to other: inout RunTimeSettings) {
    other.entries[key] = entries.removeValue(forKey: key)
  }

  /// Replaces the file atomically: after a power cut, the file is either the old or the new one. Values that do not
  /// have the type of their setting are left out.
  /// - Parameter keepsOld: whether to rename the old file to `unreadableName` first, so that a person can repair it.
  public func save(in directory: String, keepsOld: Bool = false) throws(SystemError) {
    if keepsOld { try File.setAside(Self.fileName, as: Self.unreadableName, in: directory) }
    try File.replace(Self.fileName, in: directory, with: Array(toml.utf8))
  }

  /// The contents of the file: one line of TOML for each setting.
  var toml: String {
    var text = "# Set with \"onair set\" or over HTTP; \"onair unset\" removes a line.\n"
    for key in keys {
      guard let type = Settings.declaration(of: key)?.type,
        let value = entries[key]?.raw.toml(as: type)
      else { continue }
      text += "\(key) = \(value)\n"
    }
    return text
  }
}

extension Form {
  /// Adds the values that were set at run time, and reports those that cannot be set at run time.
  mutating func add(_ runTime: RunTimeSettings) {
    for key in runTime.keys {
      guard let entry = runTime.entries[key] else { continue }
      let path = key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      add(path, entry.raw, at: entry.place, from: .runTime)
      if RunTimeSettings.excludedKeys.contains(key) {
        report(
          key, "cannot be set at run time: write it in the settings file", at: entry.place,
          code: .boxOnly)
      }
      // With "pipe", the end of standard input ends the program. If this value were saved, the program would end after
      // each later start, too.
      if key == "video.source", entry.raw.asText == "pipe" {
        report(
          key,
          "cannot be \"pipe\" at run time: start OnAir with --set video.source=pipe, and pipe frames into it",
          at: entry.place, code: .boxOnly)
      }
    }
  }
}

extension Raw {
  /// The value as a TOML literal; `nil` if it is not a value of `type`.
  func toml(as type: Declaration.ValueType) -> String? {
    switch type {
    case .text: asText.map(quoted)
    case .wholeNumber: asInteger.map(String.init)
    case .number: asNumber.map { Int(exactly: $0).map(String.init) ?? "\($0)" }
    case .flag:
      switch self {
      case .flag(let flag): "\(flag)"
      case .word(let word): word
      default: nil
      }
    }
  }
}
