// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Describes a setting: lists, forms and tables are made from it.
public struct Declaration: Sendable, Equatable {
  /// What TOML calls the value.
  public enum ValueType: String, Sendable {
    case text = "string"
    case wholeNumber = "integer"
    case number = "number"
    case flag = "boolean"
  }

  /// When a changed value counts.
  public enum Effect: String, Sendable {
    /// After `onair reload`, also during a broadcast.
    case immediate
    /// With the next broadcast.
    case nextBroadcast = "next_broadcast"
    /// After a restart of OnAir.
    case nextStart = "next_start"

    /// A sentence: "A change counts at the next start."
    public var sentence: String {
      switch self {
      case .immediate: "A change counts at once, after \"onair reload\"."
      case .nextBroadcast: "A change counts from the next broadcast on."
      case .nextStart: "A change counts at the next start."
      }
    }
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
  /// When a changed value counts.
  public let effect: Effect
  /// Whether its value must not be shown.
  public let isSecret: Bool

  /// "video".
  public var section: String { String(key.prefix { $0 != "." }) }
}
