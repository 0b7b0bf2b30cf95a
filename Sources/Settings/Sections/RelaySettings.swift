// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// `[[relay]]`: a further server that gets the same stream. Elsewhere than in a file its settings are called
/// "relay.NAME.url" and so on.
public struct RelaySettings: Sendable, Equatable {
  static let section = "relay"
  /// How a relay is written.
  static let form =
    "is a list: write [[relay]], then name = \"NAME\" and url = \"rtmp://…\" below it; elsewhere relay.NAME.url"
  /// Relays at most.
  public static let most = 4

  /// 1 to 32 letters, digits, "-" and "_".
  public let name: String
  public let url: RTMPURL?
  /// The value of the setting. The effective stream key is in `Configuration.relays`.
  public let key: Secret
  /// The path of a file whose first line is the stream key, or empty.
  public let keyFile: String
  /// As in `PublishSettings`.
  public let user: String
  /// The value of the setting. The effective password is in `Configuration.relays`.
  public let password: Secret
  public let passwordFile: String
  /// As `PublishSettings.caFile`.
  public let caFile: String
  /// Whether it begins with a broadcast.
  public let enabled: Bool
  /// Whether a relay of the settings file is left out.
  let removed: Bool

  init(_ form: inout Form, name: String) {
    self.name = name
    func key(_ field: String) -> String { "\(Self.section).\(name).\(field)" }
    url = form.value(
      key("url"), .url, default: nil,
      help: """
        The address of the further server that gets the same stream.
        """)
    self.key = form.value(
      key("key"), .key, default: Secret(), isSecret: true,
      help: """
        The stream key for it. If it is empty, OnAir reads it from key_file, else from the systemd \
        credential relay.NAME.key, else it takes the last part of the address.
        """)
    keyFile = form.value(
      key("key_file"), .path(.own), default: "",
      help: """
        A file whose first line is the stream key. Only OnAir's user should be able to read it.
        """)
    user = form.value(
      key("user"), .user, default: "",
      help: """
        As publish.user, for this server.
        """)
    password = form.value(
      key("password"), .password, default: Secret(), isSecret: true,
      help: """
        As publish.password, for this server. The systemd credential is relay.NAME.password.
        """)
    passwordFile = form.value(
      key("password_file"), .path(.own), default: "",
      help: """
        As publish.password_file, for this server.
        """)
    caFile = form.value(
      key("ca_file"), .path(.own), default: "",
      help: """
        As publish.ca_file, for this server.
        """)
    enabled = form.value(
      key("enabled"), .flag, default: true,
      help: """
        Whether this relay begins with each broadcast; during one, a change begins or ends it. If not, \
        "onair relay start NAME" begins it.
        """)
    removed = form.value(
      key("removed"), .flag, default: false,
      help: """
        Leaves out a relay that the settings file has.
        """)
  }

  /// The relays that were given, by name.
  static func all(_ form: inout Form) -> [RelaySettings] {
    var relays: [RelaySettings] = []
    for (name, place) in form.names(in: section) {
      let named = form.remove("\(section).\(name).name")
      if named.count(where: { $0.origin == .file }) > 1 {
        form.report(
          "relay.name", "is the name of another relay, too", at: named[1].place,
          code: .relayNameTaken)
      }
      guard isName(name) else {
        form.report(
          "relay.name",
          "must be 1 to 32 letters, digits, \"-\" and \"_\", and none of \(reserved.joined(separator: ", "))",
          at: place, code: .relayName)
        _ = RelaySettings(&form, name: name)
        continue
      }
      let relay = RelaySettings(&form, name: name)
      if relay.removed { continue }
      if relay.url == nil, !form.isDoubtful("\(section).\(name).url") {
        form.report(
          "\(section).\(name).url", "is missing: write the address of the server", at: place,
          code: .addressMissing)
      }
      relays.append(relay)
      if relays.count == most + 1 {
        form.report(
          section, "has more than \(most) servers: remove one (onair relay remove NAME)", at: place,
          code: .tooManyRelays)
      }
    }
    return relays
  }

  /// The name of the first destination, and words of the API.
  public static let reserved = ["main", "start", "stop", "pause", "resume"]

  public static func isName(_ text: String) -> Bool {
    (1...32).contains(text.utf8.count) && !reserved.contains(text)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }

  /// The declarations of a relay's settings, with "NAME" for its name.
  public static let declarations: [Declaration] = {
    var form = Form()
    _ = RelaySettings(&form, name: "NAME")
    return form.declarations
  }()

  /// The declaration of "relay.NAME.url" and so on; `nil` for other keys.
  static func declaration(of key: String) -> Declaration? {
    let parts = key.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == section else { return nil }
    return declarations.first { $0.key.hasSuffix(".\(parts[2])") }
  }
}
