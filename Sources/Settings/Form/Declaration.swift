// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Describes a setting. `onair settings`, onair.toml(5) and the documents' table are generated from it.
public struct Declaration: Sendable, Equatable {
  /// The TOML type of a value.
  public enum ValueType: String, Sendable {
    case text = "string"
    case wholeNumber = "integer"
    case number = "number"
    case flag = "boolean"
  }

  /// When a changed value takes effect.
  public enum Effect: String, Sendable {
    /// During a broadcast, too: after `onair set`, or `onair reload` where the file was edited.
    case immediate
    /// With the next broadcast.
    case nextBroadcast = "next_broadcast"
    /// After a restart of OnAir.
    case nextStart = "next_start"

    public var sentence: String { "A change counts \(time)." }

    var time: String {
      switch self {
      case .immediate: "at once"
      case .nextBroadcast: "from the next broadcast on"
      case .nextStart: "at the next start"
      }
    }

    /// The same of a value that has changed, as the answers to a change write it. The names are a contract.
    public var ofChange: String {
      switch self {
      case .immediate: "now"
      case .nextBroadcast: "with the next broadcast"
      case .nextStart: "at the next start (sudo systemctl restart onair)"
      }
    }
  }

  /// "video.size": the TOML section and the name in it.
  public let key: String
  public let type: ValueType
  /// "frames per second"; empty if it has no unit.
  public let unit: String
  /// The default as TOML (and JSON) writes it.
  public let defaultText: String
  /// The allowed values, as a continuation of "must be".
  public let allowed: String
  /// The allowed names, or the prefixes of values with a free part ("file:" of "file:PATH"). May be empty.
  public let choices: [String]
  /// The allowed range of a number.
  public let range: ClosedRange<Double>?
  /// One or two sentences for users.
  public let help: String
  public let effect: Effect
  /// Where its value names a file, and what for.
  public let files: [FileReference]
  /// Whether its value must not be logged or shown.
  public let isSecret: Bool
  /// Whether it is a server to publish to, with which the secrets of its section go.
  public let isAddress: Bool

  /// "video".
  public var section: String { String(key.prefix { $0 != "." }) }

  /// "size" of "video.size", and "url" of "relay.NAME.url".
  var name: String { String(key.dropFirst(sectionName(of: key).count + 1)) }
}
