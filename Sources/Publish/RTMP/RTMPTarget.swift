// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// The part of an RTMP target that is invalid: too long, out of range, empty where it must not be, or with control
/// characters.
public enum RTMPTargetError: Error, Hashable {
  /// The server's name or IP address.
  case host
  /// The server's port.
  case port
  /// The application: the part of a URL between the host and the key.
  case app
  /// The name of the stream on the server.
  case streamKey
  /// The URL that is sent with "connect" as `tcUrl`.
  case tcURL
}

/// An RTMP server, and the stream to publish on it.
///
/// The stream key is a secret: neither the description nor the mirror contains it.
public struct RTMPTarget: Sendable, Hashable {
  /// The transport beneath RTMP.
  public enum Transport: Sendable, Hashable {
    /// TCP, for rtmp://.
    case plain
    /// TLS, for rtmps://. `authorities` is a PEM file with the certificate authorities to trust; "" for the system's.
    case tls(authorities: String)

    var scheme: String { self == .plain ? "rtmp" : "rtmps" }
    /// The port that is used if a URL has none.
    var standardPort: Int { self == .plain ? 1_935 : 443 }
  }

  /// The user name and the password for a server that asks for them (`RTMPChallenge`). The password is a secret.
  public struct Login: Sendable, Hashable, CustomReflectable {
    let user: String
    let password: String

    public init(user: String, password: String) {
      self.user = user
      self.password = password
    }

    public var customMirror: Mirror { Mirror(self, children: [:]) }
  }

  /// The hosts to which a server may redirect the publisher.
  public enum Redirects: Sendable, Hashable {
    case sameHost
    case any
  }

  /// The transport beneath RTMP: TCP or TLS.
  public let transport: Transport
  /// The server's name, or its IP address without brackets.
  public let host: String
  /// The server's port, 1 to 65,535.
  public let port: Int
  /// The application: the part of a URL between the host and the key. May contain a query, and may be empty.
  let app: String
  /// The name of the stream on the server. May contain a query; empty if the application alone names the stream.
  let streamKey: String
  /// The URL of the application that is sent with "connect" as `tcUrl`.
  let tcURL: String
  /// The user name and the password; `nil` if there are none.
  let login: Login?
  /// The hosts to which the server may redirect the publisher.
  let redirects: Redirects
  /// The answer to the server's challenge, as parameters of a query; "" while there is none.
  var authorization = ""

  /// The host that has redirected the publisher to this target; `nil` if none has.
  public internal(set) var redirectingHost: String?

  /// Whether the target has a user name and a password.
  package var hasLogin: Bool { login != nil }

  /// The application as sent with "connect": with the answer to the server's challenge in its query.
  var sentApp: String { app + authorizationQuery(for: app) }
  /// The URL as sent with "connect": with the answer to the server's challenge in its query.
  var sentURL: String { tcURL + authorizationQuery(for: app) }

  /// The answer to the server's challenge as a query, or as a further part of the query, of `text`; "" if there is
  /// none.
  private func authorizationQuery(for text: String) -> String {
    authorization.isEmpty ? "" : (text.contains("?") ? "&" : "?") + authorization
  }

  /// Whether both targets have the same host, port and transport; the streams may differ.
  func isSameServer(as other: RTMPTarget) -> Bool {
    host == other.host && port == other.port && transport == other.transport
  }

  /// Whether both targets are the same stream at the same server, for the same user.
  func isSameStream(as other: RTMPTarget) -> Bool {
    isSameServer(as: other) && app == other.app && streamKey == other.streamKey
      && login == other.login
  }

  /// - Parameters:
  ///   - port: `nil` for 1935, or for 443 with TLS.
  ///   - tcURL: sent with "connect" as `tcUrl`; `nil` for rtmp[s]://host[:port]/app.
  /// - Throws: the part that is invalid. The limits of length are this program's: librtmp's buffers of 1,024 bytes are
  ///   not used for commands, and RTMP itself allows 65,535 bytes for each part.
  public init(
    transport: Transport = .plain, host: String, port: Int? = nil, app: String, streamKey: String,
    tcURL: String? = nil, login: Login? = nil, redirects: Redirects = .sameHost
  ) throws(RTMPTargetError) {
    let standardPort = transport.standardPort
    let port = port ?? standardPort
    let bracketed = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
    let server = bracketed + (port == standardPort ? "" : ":\(port)")
    let url = tcURL ?? "\(transport.scheme)://\(server)/\(app)"
    guard RTMPTarget.fits(host, 1...253) else { throw .host }
    guard (1...65_535).contains(port) else { throw .port }
    guard RTMPTarget.fits(app, 0...RTMPTarget.maxTextBytes) else { throw .app }
    guard RTMPTarget.fits(streamKey, 0...RTMPTarget.maxTextBytes) else { throw .streamKey }
    guard RTMPTarget.fits(url, 1...RTMPTarget.maxTextBytes + 300) else { throw .tcURL }
    self.transport = transport
    self.host = host
    self.port = port
    self.app = app
    self.streamKey = streamKey
    self.tcURL = url
    self.login = login
    self.redirects = redirects
  }

  /// The most bytes of an application or a stream key. The settings allow fewer.
  private static let maxTextBytes = 8_192

  /// Whether the number of the text's bytes is in `lengths`, and the text has no control characters.
  private static func fits(_ text: String, _ lengths: ClosedRange<Int>) -> Bool {
    lengths.contains(text.utf8.count) && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  }

  /// The name of the application without its sub-path and query, either of which may contain a key or a token.
  package var plainApp: String { String(app.prefix { $0 != "?" && $0 != "/" }) }

  /// The application in a form that may be shown: without its query, and with "***" in place of its sub-path.
  package var shownApp: String {
    plainApp + (RTMPTarget.withoutQuery(app) == plainApp ? "" : "/***")
  }

  /// The URL with "***" in place of the parts that may be secret: `rtmp[s]://HOST[:PORT]/APP/***`, or with
  /// `/APP/***/***` if the application has a sub-path.
  package var maskedURL: String {
    "\(transport.scheme)://\(server)/" + (plainApp.isEmpty ? "" : "\(shownApp)/") + "***"
  }

  /// `HOST[:PORT]`, with brackets around an IPv6 address and without the standard port.
  private var server: String {
    let bracketed = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
    return bracketed + (port == transport.standardPort ? "" : ":\(port)")
  }

  /// The text before its first "?".
  private static func withoutQuery(_ text: String) -> String {
    String(text.prefix { $0 != "?" })
  }

  /// A text of the server in a form that may be shown: one line, at most 200 Unicode scalars, and without the secrets.
  /// These are the stream key, the password, sub-paths and any part of a query, which some servers repeat. A secret is
  /// hidden in any letter case, percent-encoded or decoded, and even if only eight or more consecutive characters of it
  /// appear.
  ///
  /// Secrets are searched for by scalar: a combining mark after the key would change the key's last character, and a
  /// character may have any number of marks.
  package func shown(_ text: String) -> String {
    var line = Array(text.onOneLine.unicodeScalars.prefix(2_000))
    for secret in secrets {
      for form in [secret, secret.percentEncoded, secret.percentDecoded] {
        line = line.hiding(Array(form.unicodeScalars))
      }
    }
    return String(String.UnicodeScalarView(line.prefix(200)))
  }

  /// The texts to hide, the longest first: if a short text were replaced first, the rest of a longer text could stay
  /// visible.
  private var secrets: [String] {
    let name = RTMPTarget.withoutQuery(streamKey)
    let queries = [app, streamKey].compactMap { text in
      text.firstIndex(of: "?").map { String(text[text.index(after: $0)...]) }
    }
    let values = queries.flatMap { $0.split(separator: "&") }
      .flatMap { $0.split(separator: "=").dropFirst() }
    let parts = RTMPTarget.withoutQuery(app).split(separator: "/").dropFirst()
    let password = login?.password ?? ""
    return ([streamKey, name, password] + queries + (values + parts).map(String.init)).filter {
      !$0.isEmpty
    }
    .sorted { $0.utf8.count > $1.utf8.count }
  }
}

extension RTMPTarget: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The host and the port: never the path or the stream key.
  public var description: String { "\(host) port \(port)" }
  /// The host and the port only, in a debugger too.
  public var debugDescription: String { description }
  /// The host and the port only, for `dump` too.
  public var customMirror: Mirror { Mirror(self, children: ["host": host, "port": port]) }
}
