// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Where the value of a setting comes from, in ascending precedence: a later case overrides an earlier one. The raw
/// values appear in the JSON API, so they must not change.
public enum Origin: String, Sendable, CaseIterable, Comparable {
  /// The default of the setting.
  case builtIn = "default"
  /// The settings file.
  case file
  /// `onair set` or `PATCH /api/settings`. The value is kept in the state directory.
  case runTime = "run time"
  /// The argument of a `--set` option.
  case commandLine = "command line"

  public static func < (one: Origin, other: Origin) -> Bool {
    one.precedence < other.precedence
  }

  /// The position in the order of precedence, 0 for the lowest.
  private var precedence: Int { Origin.allCases.firstIndex(of: self) ?? 0 }
}

extension Origin {
  /// Sentences for users that say where a value comes from. A default has none.
  fileprivate static let sentences: [Origin: String] = [
    .file: "The value is from the settings file.",
    .runTime: "The value was set at run time; \"onair unset\" takes it back.",
    .commandLine: "The value is from the command line of the program.",
  ]

  /// A sentence for users that says where the value comes from; `nil` for a default.
  var sentence: String? { Origin.sentences[self] }
}
