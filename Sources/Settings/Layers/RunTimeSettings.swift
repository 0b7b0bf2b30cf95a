// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Posix

/// Why the settings that were set at run time are not used.
public struct RunTimeSettingsError: Error, Sendable, Equatable {
  /// To be read after the file's name: "is a symbolic link".
  public let reason: String
}

/// The settings that were set at run time: between those of the settings file and those of the command line.
///
/// They are kept in a small TOML file in the state directory, which only this user can read.
public struct RunTimeSettings: Sendable, Equatable {
  struct Entry: Sendable, Equatable {
    let raw: Raw
    /// Where a mistake in it is reported.
    let place: Problem.Place
  }

  public static let fileName = "settings.toml"
  /// Bytes of the file at most.
  static let longest = 1 << 18
  /// The settings that decide where this file is found.
  static let excluded: Set<String> = ["state.directory"]

  private(set) var entries: [String: Entry] = [:]

  public var isEmpty: Bool { entries.isEmpty }

  public init() {}

  /// Reads the file. A missing one is empty.
  /// - Parameter directory: the state directory.
  public init(directory: String) throws(RunTimeSettingsError) {
    let bytes: [UInt8]
    do throws(PrivateFileError) {
      // One byte more shows that it is too long.
      bytes = try File.readPrivate(Self.fileName, in: directory, limit: Self.longest + 1)
    } catch {
      if error == .missing { return }
      throw RunTimeSettingsError(reason: error.sentence)
    }
    guard bytes.count <= Self.longest else { throw RunTimeSettingsError(reason: "is too long") }
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

  /// The keys set at run time in the same list entry as `key`: for "relay.second.url" all of "relay.second". For a key that
  /// names no entry ("relay") those of the whole list, for a key outside of any list none.
  func keys(ofEntryIn key: String) -> [String] {
    guard let list = Settings.list(of: key) else { return [] }
    let isOfOne = key.split(separator: ".").count == 3
    return keys.filter { $0.hasPrefix("\(isOfOne ? sectionName(of: key) : list.section).") }
  }

  /// These settings with a change that has not been checked yet.
  public func applying(_ change: SettingsPatch) -> RunTimeSettings {
    var new = self
    for (key, value) in change.values {
      new.entries[key] = value.map { Entry(raw: $0.raw, place: .change) }
    }
    return new
  }

  /// The change that leads from these settings with a change back to these.
  public func wayBack(from change: SettingsPatch) -> SettingsPatch {
    SettingsPatch(
      change.values.keys.reduce(into: [:]) { back, key in
        back[key] = .some(entries[key]?.raw.value)
      })
  }

  /// These settings and those of others that are not set here.
  public func adding(_ others: RunTimeSettings) -> RunTimeSettings {
    var all = self
    all.entries.merge(others.entries) { own, _ in own }
    return all
  }

  /// These settings without those that a change is about, and without those that have no meaning without them: an address
  /// that is not used now must not come back with another key.
  public func removing(_ change: SettingsPatch) -> RunTimeSettings {
    var rest = self
    for key in change.values.keys.flatMap(keysBound(to:)) { rest.entries[key] = nil }
    return rest
  }

  /// Those that are set of an address with its secrets; else the setting itself.
  func keysBound(to key: String) -> [String] {
    let bound = Settings.boundKeys(of: key)
    return bound.contains(key) ? keys.filter(bound.contains) : [key]
  }

  mutating func move(_ key: String, to other: inout RunTimeSettings) {
    other.entries[key] = entries.removeValue(forKey: key)
  }

  /// Writes the file as a whole: after a power cut it is either the old or the new one. The values must have the types of
  /// their settings.
  /// - Parameter keepsOld: keeps the present file beside the new one, as one that a person may want to repair.
  public func save(in directory: String, keepsOld: Bool = false) throws(SystemError) {
    if keepsOld { try File.rename(Self.fileName, to: "\(Self.fileName).unreadable", in: directory) }
    try File.replace(Self.fileName, in: directory, with: Array(toml.utf8))
  }

  /// The text of the file.
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
  /// Adds the values that were set at run time.
  mutating func take(_ runTime: RunTimeSettings) {
    for key in runTime.keys {
      guard let entry = runTime.entries[key] else { continue }
      let path = key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      take(path, entry.raw, at: entry.place, from: .runTime)
      if RunTimeSettings.excluded.contains(key) {
        report(
          key, "cannot be set at run time: write it in the settings file", at: entry.place,
          code: .boxOnly)
      }
      // The end of standard input ends the program, at each start again if the setting is kept.
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
  /// The value as TOML; `nil` if it is none of this type.
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
