// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// What is known of a setting before anybody sets it: what lists, forms and tables are made of.
public struct Declaration: Sendable, Equatable {
  /// What TOML calls the value.
  public enum ValueType: String, Sendable {
    case text = "string"
    case wholeNumber = "integer"
    case number = "number"
    case flag = "boolean"
  }

  /// "video.size": the TOML section and the name in it.
  public let key: String
  /// What TOML calls its value.
  public let type: ValueType
  /// "frames per second"; empty where there is none.
  public let unit: String
  /// The default as TOML (and JSON) writes it.
  public let defaultText: String
  /// What is allowed, to be read after "must be".
  public let allowed: String
  /// The names allowed; for text with a free part ("file:PATH") its beginnings. May be empty.
  public let choices: [String]
  /// The least and the greatest number allowed.
  public let range: ClosedRange<Double>?
  /// What it does, in a sentence or two.
  public let help: String
  /// Whether its value must not be shown.
  public let isSecret: Bool

  /// "video".
  public var section: String { String(key.prefix { $0 != "." }) }
}
