// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// `[publish]`: the main server, its backup server, and the stream key.
public struct PublishSettings: Sendable, Equatable {
  /// The URL of the main server; `nil` if it is not set.
  public let url: RTMPURL?
  /// The platform's second server for the same broadcast; `nil` if there is none.
  public let backupUrl: RTMPURL?
  /// The value of `publish.key`, which may be empty. The effective stream key is in `Configuration.destination`.
  public let key: Secret
  /// The path of a file whose first line is the stream key; empty if there is none.
  public let keyFile: String
  /// The user name for a server that asks for one; empty if there is none.
  public let user: String
  /// The value of `publish.password`, which may be empty. The effective password is in `Configuration.destination`.
  public let password: Secret
  /// The path of a file whose first line is the password; empty if there is none.
  public let passwordFile: String
  /// To which servers the main server, or a relay's server, may redirect the stream.
  public let redirect: Redirect
  /// The path of a PEM file with the trusted certificate authorities for RTMPS; empty for those of the system.
  public let caFile: String
  /// Time between two connection attempts in seconds, 1 to 60.
  public let reconnectSeconds: Double
  /// Time in seconds for which the main server must fail to take the stream before an event reports the outage; 0 for
  /// never. Outages of relays are not reported.
  public let outageAlarmSeconds: Int
  /// Minutes of nothing but silence and a still picture after which a broadcast counts as forgotten and ends; 0 for
  /// never.
  public let forgottenMinutes: Int
  /// Whether OnAir broadcasts after it has started.
  public let autostart: Autostart
  /// The address of the web page where viewers watch; empty if it is unknown.
  public let playUrl: String

  init(_ form: inout Form) {
    url = form.value(
      "publish.url", .url, default: nil,
      help: """
        The address of the platform's server, as the platform shows it beside the stream key. \
        With rtmps:// the connection is encrypted, and OnAir checks the server's certificate.
        """)
    backupUrl = form.value(
      "publish.backup_url", .url, default: nil,
      help: """
        The address of the platform's second server for the same broadcast and stream key. After \
        three failed attempts in a row OnAir tries the other server.
        """)
    if backupUrl != nil, url == nil, !form.isDoubtful("publish.url") {
      form.reportConflict(
        "publish.backup_url", "is set, and publish.url is not",
        at: form.place(of: "publish.backup_url"), other: "publish.url")
    }
    key = form.value(
      "publish.key", .key, default: Secret(), isSecret: true,
      help: """
        The platform's stream key. If it is empty, OnAir reads it from publish.key_file, else from \
        the systemd credential publish.key, else it takes the last part of publish.url.
        """)
    keyFile = form.value(
      "publish.key_file", .path(.own), default: "",
      help: """
        A file whose first line is the stream key. Only OnAir's user should be able to read it.
        """)
    user = form.value(
      "publish.user", .user, default: "",
      help: """
        The user name for a server that asks for user and password (Wowza and others with Adobe's \
        challenge). Most platforms want a stream key alone.
        """)
    password = form.value(
      "publish.password", .password, default: Secret(), isSecret: true,
      help: """
        The password for it, which is never sent: only a proof that OnAir knows it. If it is empty, \
        OnAir reads it from publish.password_file, else from the systemd credential publish.password.
        """)
    passwordFile = form.value(
      "publish.password_file", .path(.own), default: "",
      help: """
        A file whose first line is the password. Only OnAir's user should be able to read it.
        """)
    redirect = form.value(
      "publish.redirect", .choice(), default: .sameHost,
      help: """
        Where a server may send the stream, relays' servers, too: "same_host" allows another port or \
        application of the same host, "any" every server. It is followed once, and never from \
        rtmps:// to rtmp://.
        """)
    caFile = form.value(
      "publish.ca_file", .path(.own), default: "",
      help: """
        For an rtmps:// server of your own: a PEM file with the certificate of the authority \
        that signed the server's, or with the server's own. Then no other authority is trusted. \
        If it is empty, OnAir trusts those of the system.
        """)
    reconnectSeconds = form.value(
      "publish.reconnect_seconds", .number(1...60), default: 2, unit: "seconds",
      help: """
        The time between attempts to reach a server whose connection was lost. The first attempt \
        is made at once. A server that refuses is asked less and less often.
        """)
    outageAlarmSeconds = form.value(
      "publish.outage_alarm_seconds", .wholeNumber(0...86_400), default: 300, unit: "seconds",
      help: """
        Time in which the main server has not taken the stream, relays aside, after which the event "outage_long" tells it: \
        once for each outage. 0 for never.
        """)
    forgottenMinutes = form.value(
      "publish.forgotten_minutes", .zeroOr(10...1_440), default: 0, unit: "minutes",
      help: """
        Ends a broadcast in which viewers have had nothing but silence and a still picture for this time. The lamp warns \
        five minutes before. Pauses do not count. 0 for never.
        """)
    autostart = form.value(
      "publish.autostart", .choice(), default: .resume, effect: .nextStart,
      help: """
        What OnAir does when it starts: "resume" continues what it did last (at the first start: \
        nothing), "always" starts a broadcast, "never" does not. A pause stays a pause, except \
        with "never".
        """)
    playUrl = form.value(
      "publish.play_url", .webAddress, default: "",
      help: """
        The address at which people watch, as the platform shows it to share. The page shows it as \
        a link and as a QR code.
        """)
  }
}
