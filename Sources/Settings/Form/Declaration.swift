// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Describes a setting. `onair settings`, onair.toml(5) and the table in systemd/README.md are generated from the
/// declarations of all settings.
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
    /// At once, even during a broadcast: after `onair set`, or after `onair reload` if the settings file was edited.
    case immediate
    /// With the next broadcast.
    case nextBroadcast = "next_broadcast"
    /// After a restart of OnAir.
    case nextStart = "next_start"

    public var sentence: String { "A change counts \(timePhrase)." }

    /// When a changed value takes effect, as the end of "A change counts …".
    var timePhrase: String {
      switch self {
      case .immediate: "at once"
      case .nextBroadcast: "from the next broadcast on"
      case .nextStart: "at the next start"
      }
    }

    /// When a changed value takes effect, in the words of the API's response to a change. The texts are part of the
    /// API, so they must not change.
    public var apiText: String {
      switch self {
      case .immediate: "now"
      case .nextBroadcast: "with the next broadcast"
      case .nextStart: "at the next start (sudo systemctl restart onair)"
      }
    }
  }

  /// The TOML section and the name in it, for example "video.size".
  public let key: String
  /// The TOML type of the value.
  public let type: ValueType
  /// The unit, for example "frames per second"; empty if there is none.
  public let unit: String
  /// The default as a TOML literal, which is also valid JSON.
  public let defaultText: String
  /// The allowed values, as a continuation of "must be".
  public let allowed: String
  /// The allowed values, or the prefixes of values with a free part ("file:" of "file:PATH"). Empty if the values
  /// cannot be listed.
  public let choices: [String]
  /// The allowed range of a number; `nil` for other types.
  public let range: ClosedRange<Double>?
  /// What the setting does, in one or two sentences for users.
  public let help: String
  /// When a changed value takes effect.
  public let effect: Effect
  /// The ways in which the value can name a file, such as "file:PATH"; empty if it cannot name one.
  public let files: [FileReference]
  /// The values of `choices` that a remote client (one that connects over TCP) may not set.
  public let boxOnly: [String]
  /// Whether the value must not be logged or shown.
  public let isSecret: Bool
  /// Whether the value is the address of a server to publish to, or of a guest. It is shown without its secret parts.
  /// The secrets in the same section are for this server.
  public let isAddress: Bool

  /// The part of the key before the first dot: "video" for "video.size".
  public var section: String { String(key.prefix { $0 != "." }) }

  /// The last part of the key: "size" for "video.size", "url" for "relay.NAME.url".
  var name: String { String(key.dropFirst(sectionName(of: key).count + 1)) }
}
