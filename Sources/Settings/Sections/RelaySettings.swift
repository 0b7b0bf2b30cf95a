// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// `[[relay]]`: a further server that gets the same stream. Elsewhere than in a file its settings are called
/// "relay.NAME.url" and so on.
public struct RelaySettings: Sendable, Equatable, NamedSection {
  public static let list = NamedList(
    "relay", of: RelaySettings.self, most: 4,
    // The name of the first destination, and words of the API.
    reserved: ["main", "start", "stop", "pause", "resume"], essential: "url",
    words: NamedList.Words(
      example: "\"rtmp://…\"", missing: "write the address of the server",
      excess: "servers: remove one (onair relay remove NAME)"),
    codes: NamedList.Codes(
      name: .relayName, nameTaken: .relayNameTaken, missing: .addressMissing,
      excess: .tooManyRelays))

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

  init(_ form: inout Form, _ entry: ListEntry) {
    name = entry.name
    url = form.value(
      entry.key("url"), .url, default: nil,
      help: """
        The address of the further server that gets the same stream.
        """)
    key = form.value(
      entry.key("key"), .key, default: Secret(), isSecret: true,
      help: """
        The stream key for it. If it is empty, OnAir reads it from key_file, else from the systemd \
        credential relay.NAME.key, else it takes the last part of the address.
        """)
    keyFile = form.value(
      entry.key("key_file"), .path(.own), default: "",
      help: """
        A file whose first line is the stream key. Only OnAir's user should be able to read it.
        """)
    user = form.value(
      entry.key("user"), .user, default: "",
      help: """
        As publish.user, for this server.
        """)
    password = form.value(
      entry.key("password"), .password, default: Secret(), isSecret: true,
      help: """
        As publish.password, for this server. The systemd credential is relay.NAME.password.
        """)
    passwordFile = form.value(
      entry.key("password_file"), .path(.own), default: "",
      help: """
        As publish.password_file, for this server.
        """)
    caFile = form.value(
      entry.key("ca_file"), .path(.own), default: "",
      help: """
        As publish.ca_file, for this server.
        """)
    enabled = form.value(
      entry.key("enabled"), .flag, default: true,
      help: """
        Whether this relay begins with each broadcast; during one, a change begins or ends it. If not, \
        "onair relay start NAME" begins it.
        """)
  }
}
