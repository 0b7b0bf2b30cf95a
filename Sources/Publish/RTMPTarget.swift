// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

/// Where to publish: one RTMP server and the stream there.
///
/// The stream key is a secret: neither a description nor a mirror shows it.
public struct RTMPTarget: Sendable, Hashable {
  /// What librtmp's fixed buffers cannot take, or what no server could mean.
  public enum Invalid: Error, Hashable {
    case host
    case port
    case app
    case streamKey
    case tcURL
  }

  /// What the conversation runs over.
  public enum Transport: Sendable, Hashable {
    /// RTMP.
    case plain
    /// RTMPS: the server's certificate has to come from one of the authorities in a file (PEM); ""
    /// for the system's.
    case tls(authorities: String)

    /// In URLs.
    var scheme: String { self == .plain ? "rtmp" : "rtmps" }
    /// Where none is named.
    var standardPort: Int { self == .plain ? 1_935 : 443 }
  }

  public let transport: Transport
  /// A name or an address without brackets.
  public let host: String
  /// 1 to 65,535.
  public let port: Int
  /// The application: what stands between the host and the key in a URL; may carry a query.
  let app: String
  /// The stream's name at the server ("playpath"); may carry a query.
  let streamKey: String
  let tcURL: String

  /// - Parameters:
  ///   - port: 1935, or 443 with TLS, unless given.
  ///   - tcURL: what is sent as `tcUrl`; rtmp://host:port/app unless given.
  /// - Throws: the part that is empty, too long or has control characters in it. librtmp builds
  ///   "connect" in 4,096 bytes and "publish" in 1,024.
  public init(
    transport: Transport = .plain, host: String, port: Int? = nil, app: String, streamKey: String,
    tcURL: String? = nil
  ) throws(Invalid) {
    let standardPort = transport.standardPort
    let port = port ?? standardPort
    let bracketed = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
    let server = bracketed + (port == standardPort ? "" : ":\(port)")
    let url = tcURL ?? "\(transport.scheme)://\(server)/\(app)"
    guard RTMPTarget.fits(host, 1...253) else { throw .host }
    guard (1...65_535).contains(port) else { throw .port }
    guard RTMPTarget.fits(app, 1...1_000) else { throw .app }
    guard RTMPTarget.fits(streamKey, 1...900) else { throw .streamKey }
    guard RTMPTarget.fits(url, 1...1_500) else { throw .tcURL }
    self.transport = transport
    self.host = host
    self.port = port
    self.app = app
    self.streamKey = streamKey
    self.tcURL = url
  }

  private static func fits(_ text: String, _ lengths: ClosedRange<Int>) -> Bool {
    lengths.contains(text.utf8.count) && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  }

  /// The application's own name: what follows it, and its query, may be a key or a token.
  package var plainApp: String { String(app.prefix { $0 != "?" && $0 != "/" }) }

  private static func withoutQuery(_ text: String) -> String {
    String(text.prefix { $0 != "?" })
  }

  /// What a server said, fit to be shown: one line, at most 200 Unicode scalars, and without the key
  /// or a query in it, since some servers repeat them.
  ///
  /// By scalars, since a combining mark makes another character of the key's last one, and a character
  /// may have any number of marks.
  package func shown(_ text: String) -> String {
    var line = text.onOneLine.unicodeScalars
    for secret in secrets { line.replace(secret.unicodeScalars, with: "…".unicodeScalars) }
    return String(line.prefix(200))
  }

  /// The longest first, so that a part never hides the whole.
  private var secrets: [String] {
    let name = RTMPTarget.withoutQuery(streamKey)
    let queries = [app, streamKey].compactMap { text in
      text.firstIndex(of: "?").map { String(text[text.index(after: $0)...]) }
    }
    let values = queries.flatMap { $0.split(separator: "&") }
      .flatMap { $0.split(separator: "=").dropFirst() }
    let parts = RTMPTarget.withoutQuery(app).split(separator: "/").dropFirst()
    return ([streamKey, name] + queries + (values + parts).map(String.init)).filter { !$0.isEmpty }
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
