// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// The picture and sound that are sent to a relay.
public enum RelayProgram: String, Sendable, CaseIterable {
  case programme
  /// The box's own picture and sound, without guests and overlays.
  case camera
}

/// `[[relay]]`: a further server that gets the same stream as the main server. Outside of the settings file, the keys
/// of its settings are "relay.NAME.url" and so on.
public struct RelaySettings: Sendable, Equatable, NamedSection {
  /// The list `[[relay]]`: its name, its limits, and the sentences about its problems.
  public static let list = NamedList(
    "relay", of: RelaySettings.self, maxEntries: 4,
    // "main" names the main server; the other names are commands in paths of the API, such as /api/relays/start.
    reserved: ["main", "start", "stop", "pause", "resume"], essential: "url",
    words: NamedList.Words(
      example: "\"rtmp://…\"", missing: "write the address of the server",
      excess: "servers: remove one (onair relay remove NAME)"),
    codes: NamedList.Codes(
      name: .relayName, nameTaken: .relayNameTaken, missing: .addressMissing,
      excess: .tooManyRelays))

  /// The relay's name: 1 to 32 letters, digits, "-" and "_".
  public let name: String
  /// The URL of the relay's server; `nil` if it is not set.
  public let url: RTMPURL?
  /// The value of `relay.NAME.key`, which may be empty. The effective stream key is in `Configuration.relays`.
  public let key: Secret
  /// The path of a file whose first line is the stream key; empty if there is none.
  public let keyFile: String
  /// The user name for a server that asks for one; empty if there is none.
  public let user: String
  /// The value of `relay.NAME.password`, which may be empty. The effective password is in `Configuration.relays`.
  public let password: Secret
  /// The path of a file whose first line is the password; empty if there is none.
  public let passwordFile: String
  /// The path of a PEM file with the trusted certificate authorities for RTMPS; empty for those of the system.
  public let caFile: String
  /// The programme, or the camera alone.
  public let program: RelayProgram
  /// Whether the relay starts with each broadcast.
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
    program = form.value(
      entry.key("program"), .choice(), default: .programme,
      help: """
        What it gets: "programme", or "camera": the box's own picture and sound without guests and \
        overlays, for another box that takes it as a guest. The camera's picture has at most 640 pixels \
        on its longer side, and is encoded while the processor has time for it; in a pause there is \
        the programme's still. Not possible while a guest takes the camera's place (video.source).
        """)
    enabled = form.value(
      entry.key("enabled"), .flag, default: true,
      help: """
        Whether this relay begins with each broadcast; during one, a change begins or ends it. If not, \
        "onair relay start NAME" begins it.
        """)
  }
}
