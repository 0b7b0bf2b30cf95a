// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// The part that is too long, or that no server could mean.
public enum RTMPTargetError: Error, Hashable {
  case host
  case port
  case app
  case streamKey
  case tcURL
}

/// Where to publish: an RTMP server, and the stream on it.
///
/// The stream key is a secret: neither the description nor the mirror contains it.
public struct RTMPTarget: Sendable, Hashable {
  /// The connection under RTMP.
  public enum Transport: Sendable, Hashable {
    /// rtmp://: TCP.
    case plain
    /// rtmps://: TLS. `authorities` is a PEM file with the certificate authorities to trust; "" for the system's.
    case tls(authorities: String)

    var scheme: String { self == .plain ? "rtmp" : "rtmps" }
    /// The port of a URL that names none.
    var standardPort: Int { self == .plain ? 1_935 : 443 }
  }

  /// A user name and a password, for servers that ask for them (`RTMPChallenge`). The password is a secret.
  public struct Login: Sendable, Hashable, CustomReflectable {
    let user: String
    let password: String

    public init(user: String, password: String) {
      self.user = user
      self.password = password
    }

    public var customMirror: Mirror { Mirror(self, children: [:]) }
  }

  /// Where a server may send the stream.
  public enum Redirects: Sendable, Hashable {
    case sameHost
    case any
  }

  public let transport: Transport
  /// A name, or an address without brackets.
  public let host: String
  /// 1 to 65,535.
  public let port: Int
  /// The application: the part of a URL between the host and the key. May contain a query, and may be empty.
  let app: String
  /// The name of the stream on the server. May contain a query, and is empty where the application is the stream.
  let streamKey: String
  let tcURL: String
  /// `nil` if there is none.
  let login: Login?
  let redirects: Redirects
  /// The answer to the server's challenge; "" while there is none.
  var authorization = ""

  /// The server that has sent the publisher here; `nil` if a person has named this one.
  public internal(set) var sender: String?

  /// Whether there is a user name and a password.
  package var hasLogin: Bool { login != nil }

  /// What "connect" says: the application, with the answer to the server's challenge in its query.
  var sentApp: String { app + addition(to: app) }
  var sentURL: String { tcURL + addition(to: app) }

  private func addition(to text: String) -> String {
    authorization.isEmpty ? "" : (text.contains("?") ? "&" : "?") + authorization
  }

  /// Whether both name the same port of the same host, whatever the stream.
  func isSameServer(as other: RTMPTarget) -> Bool {
    host == other.host && port == other.port && transport == other.transport
  }

  /// - Parameters:
  ///   - port: 1935, or 443 with TLS, unless given.
  ///   - tcURL: sent as `tcUrl`; rtmp://host:port/app by default.
  /// - Throws: the part that is too long or contains control characters, or a host that is empty. The commands are not
  ///   built by librtmp, whose buffers hold 1,024 bytes: RTMP itself allows 65,535 for each.
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
    guard RTMPTarget.fits(app, 0...RTMPTarget.longest) else { throw .app }
    guard RTMPTarget.fits(streamKey, 0...RTMPTarget.longest) else { throw .streamKey }
    guard RTMPTarget.fits(url, 1...RTMPTarget.longest + 300) else { throw .tcURL }
    self.transport = transport
    self.host = host
    self.port = port
    self.app = app
    self.streamKey = streamKey
    self.tcURL = url
    self.login = login
    self.redirects = redirects
  }

  /// Bytes of an application or a key. More than the settings allow.
  private static let longest = 8_192

  private static func fits(_ text: String, _ lengths: ClosedRange<Int>) -> Bool {
    lengths.contains(text.utf8.count) && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  }

  /// The application's name without its sub-path and query, either of which may contain a key or a token.
  package var plainApp: String { String(app.prefix { $0 != "?" && $0 != "/" }) }

  /// `rtmp[s]://HOST[:PORT]/APP/***`: the URL without what may be secret.
  package var maskedURL: String {
    "\(transport.scheme)://\(server)/" + (plainApp.isEmpty ? "" : "\(plainApp)/") + "***"
  }

  /// `HOST[:PORT]`, with brackets around an IPv6 address and without the standard port.
  private var server: String {
    let bracketed = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
    return bracketed + (port == transport.standardPort ? "" : ":\(port)")
  }

  private static func withoutQuery(_ text: String) -> String {
    String(text.prefix { $0 != "?" })
  }

  /// Makes a text of the server fit to be shown: one line, at most 200 Unicode scalars, and without the key or any
  /// part of a query, which some servers repeat: as they are, in other letter case, percent-encoded or decoded, or eight
  /// and more characters of them.
  ///
  /// It works on scalars: a combining mark after the key would change the key's last character, and a character
  /// may have any number of marks.
  package func shown(_ text: String) -> String {
    var line = Array(text.onOneLine.unicodeScalars.prefix(2_000))
    for secret in secrets {
      for form in [secret, secret.percentEncoded, secret.percentDecoded] {
        line = line.hiding(Array(form.unicodeScalars))
      }
    }
    return String(String.UnicodeScalarView(line.prefix(200)))
  }

  /// The longest first: replacing a short one first could leave the rest of a longer one visible.
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
  /// Host and port.
  public var description: String { "\(host) port \(port)" }
  /// Host and port, in a debugger too.
  public var debugDescription: String { description }
  /// Host and port, for `dump` too.
  public var customMirror: Mirror { Mirror(self, children: ["host": host, "port": port]) }
}
