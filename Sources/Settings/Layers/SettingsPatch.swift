// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// A change at run time that sets or unsets settings. It is applied as a whole, or not at all if anything in it is
/// wrong.
public struct SettingsPatch: Sendable, Equatable {
  /// A new value of a setting, in the type that the client sent.
  public enum Value: Sendable, Equatable {
    /// A value of any type, written as text: "25" is valid for a number, too.
    case text(String)
    case integer(Int)
    case number(Double)
    case flag(Bool)
    /// A list or a table, which no setting accepts. The text names the type with its article: "a list".
    case other(String)
  }

  /// The new values by key. `nil` unsets the setting, which then has the value of the settings file, or else its
  /// default.
  public var values: [String: Value?]

  public init(_ values: [String: Value?]) { self.values = values }
}

extension SettingsPatch.Value {
  /// The value as it is added to a `Form`. A text becomes a `word`, so that "25" is valid for a number, too.
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
  /// The value as it is stored in a `SettingsPatch`.
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
  /// Checks a change, and returns the configuration that results from it. Saves nothing.
  /// - Parameters:
  ///   - runTime: the settings that are set at run time before the change.
  ///   - load: loads the configuration with the given run-time settings.
  /// - Throws: `.invalid` with all mistakes, those in the change and those in the resulting configuration.
  public static func preview(
    _ change: SettingsPatch, of runTime: RunTimeSettings,
    load: (RunTimeSettings) throws(ConfigurationError) -> Configuration
  ) throws(ConfigurationError) -> Configuration {
    var problems: [Problem] = []
    for (key, value) in change.values
    where value == nil && Settings.declaration(of: key) == nil {
      // Allow a change to unset an unknown key that is in the file of run-time settings.
      if runTime.entries[key] != nil { continue }
      let meant = nearestKeys(to: key, among: Settings.keys.sorted())
      problems.append(
        Problem(
          place: .change, key: Form.maskedKey(key),
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
