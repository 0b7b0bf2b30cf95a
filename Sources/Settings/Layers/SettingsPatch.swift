// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Settings to set or unset at run time. It is checked as a whole, and taken as a whole or not at all.
public struct SettingsPatch: Sendable, Equatable {
  public enum Value: Sendable, Equatable {
    /// Any value as text: "25" also for a number.
    case text(String)
    case integer(Int)
    case number(Double)
    case flag(Bool)
    /// A list or a table, with its article: no setting accepts it.
    case other(String)
  }

  /// By key; `nil` unsets: the setting then has the value of the file, else its default.
  public var values: [String: Value?]

  public init(_ values: [String: Value?]) { self.values = values }
}

extension SettingsPatch.Value {
  var raw: Raw {
    switch self {
    case .text(let text): .word(text)
    case .integer(let number): .integer(number)
    case .number(let number): .number(number)
    case .flag(let flag): .flag(flag)
    case .other(let name): .other(name)
    }
  }
}

extension Raw {
  var value: SettingsPatch.Value {
    switch self {
    case .text(let text), .word(let text): .text(text)
    case .integer(let number): .integer(number)
    case .number(let number): .number(number)
    case .flag(let flag): .flag(flag)
    case .other(let name): .other(name)
    }
  }
}

extension Configuration {
  /// Checks a change. It does not save it.
  /// - Parameters:
  ///   - runTime: the settings that were set at run time so far.
  ///   - load: reads the whole configuration with other run-time settings.
  /// - Throws: all mistakes, of the change and of what it leads to.
  public static func preview(
    _ change: SettingsPatch, of runTime: RunTimeSettings,
    load: (RunTimeSettings) throws(ConfigurationError) -> Configuration
  ) throws(ConfigurationError) -> Configuration {
    var problems: [Problem] = []
    for (key, value) in change.values
    where value == nil && Settings.declaration(of: key) == nil {
      // A stray key of the file can be removed.
      if runTime.entries[key] != nil { continue }
      let meant = nearestKeys(to: key, among: Settings.keys.sorted())
      problems.append(
        Problem(
          place: .change, key: Form.shown(key),
          sentence: meant.isEmpty
            ? "there is no such setting; \"onair settings\" lists them all"
            : "there is no such setting; did you mean \(listed(meant))?",
          code: .unknownSetting))
    }
    do throws(ConfigurationError) {
      let configuration = try load(runTime.applying(runTime.completing(change)))
      guard problems.isEmpty else { throw .invalid([]) }
      return configuration
    } catch {
      problems += error.problems
      problems.sort { ($0.key ?? "") < ($1.key ?? "") }
      throw .invalid(problems)
    }
  }
}
