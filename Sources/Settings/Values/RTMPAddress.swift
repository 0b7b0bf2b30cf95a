// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Posix

/// The URL of a server and an application to publish to (`publish.url`): `rtmp://HOST[:PORT][/APP[/…]][?QUERY]`, or the
/// same with `rtmps`, which is RTMP over TLS. The application may be missing, since some platforms show none.
///
/// The parser is strict, so that a mistake is found before a broadcast. `description` is masked, so it can be logged.
public struct RTMPURL: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// Whether the scheme is `rtmps`.
  public let isSecure: Bool
  /// The host: a name, an IPv4 address, or an IPv6 address without its brackets.
  public let host: String
  /// The URL's port, or the standard port: 1935, or 443 with TLS.
  public let port: UInt16
  /// The parts of the path between its slashes; none of them is empty.
  let parts: [String]
  /// Whether the path ends with a slash.
  private let endsWithSlash: Bool
  /// The part of the URL after the first "?"; `nil` if that part is empty or missing.
  let query: String?

  /// The port of a URL that names none: 443 for `rtmps`, 1935 for `rtmp`.
  fileprivate static func standardPort(isSecure: Bool) -> UInt16 { isSecure ? 443 : 1935 }
  /// Maximum length of a URL or a stream key in bytes. An RTMP string may have 65,535 bytes, and keys with a signature
  /// (JSON Web Tokens) have 1,000 to 2,000. Neither a URL nor a key is passed to librtmp in a buffer of fixed size (see
  /// `RTMPSession`).
  package static let maxBytes = 4_096

  /// `rtmp[s]://host[:port]/app`, with `/***` for the rest of the path and `?***` for the query, since these may
  /// contain the stream key or a signature (`auth_key=…`).
  public var description: String {
    root + (parts.first.map { "/\($0)" } ?? "") + (parts.count > 1 ? "/***" : "")
      + (query == nil ? "" : "?***")
  }

  /// The whole URL, as it is written in settings.
  public var whole: Secret {
    let path = parts.map { "/\($0)" }.joined() + (endsWithSlash ? "/" : "")
    return Secret(root + path + (query.map { "?\($0)" } ?? ""))
  }

  /// The same as `description`.
  public var debugDescription: String { description }

  /// A mirror without children, so that `dump` does not show the parts of the URL.
  public var customMirror: Mirror { Mirror(self, children: [:]) }

  /// `rtmp://HOST[:PORT]`, or the same with `rtmps`, without the standard port.
  fileprivate var root: String {
    let isStandard = port == Self.standardPort(isSecure: isSecure)
    return (isSecure ? "rtmps://" : "rtmp://") + (host.contains(":") ? "[\(host)]" : host)
      + (isStandard ? "" : ":\(port)")
  }

  /// `parts` of the path, joined by slashes, with the query at the end.
  private func joinedWithQuery(_ parts: some Sequence<String>) -> String {
    parts.joined(separator: "/") + (query.map { "?\($0)" } ?? "")
  }

  /// Splits the URL and `key` into the application and the stream name. If `key` is not set, the stream name is taken
  /// from the URL; `nil` if the URL does not seem to contain the stream name.
  fileprivate func split(_ key: Secret) -> (app: String, name: String)? {
    if key.isSet { return (joinedWithQuery(parts), key.reveal()) }
    // The last part is the key: rtmp://HOST/APP/KEY.
    if parts.count > 1 {
      return (parts.dropLast().joined(separator: "/"), joinedWithQuery(parts.suffix(1)))
    }
    guard parts.count == 1, let query, Self.hasCredentialOrStreamName(query) else { return nil }
    // The query is the stream key: rtmp://HOST/APP/?streamname=…
    if endsWithSlash { return (parts[0], "?\(query)") }
    // The application names the stream, and the query contains the credentials for it: rtmp://HOST/NAME?user=…&pass=…
    // (MediaMTX).
    return (joinedWithQuery(parts), "")
  }

  /// Whether a query contains a credential or names a stream, so that no stream key is needed. "?backup=1" does
  /// neither.
  private static func hasCredentialOrStreamName(_ query: String) -> Bool {
    query.split(separator: "&").contains { field in
      let name = field.prefix { $0 != "=" }.lowercased()
      return name.utf8.count < field.utf8.count - 1
        && credentialWords.contains(where: name.contains)
    }
  }

  /// Parts of the names of query fields that contain a credential or name a stream.
  private static let credentialWords = [
    "user", "pass", "token", "key", "sig", "secret", "auth", "jwt", "stream",
  ]

  /// Parses and checks a URL. The reason of a thrown `ValueError` never quotes the URL.
  init(_ text: String) throws(ValueError) {
    guard text.utf8.count <= Self.maxBytes else {
      throw .because("the URL is longer than \(Self.maxBytes) bytes", .addressTooLong)
    }
    guard text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
      throw .because(
        "the URL holds a space, a control character or one outside ASCII", .addressCharacters)
    }
    let scheme = text.prefix { $0 != ":" }.lowercased()
    guard scheme == "rtmp" || scheme == "rtmps", text.dropFirst(scheme.count).hasPrefix("://")
    else {
      throw .because(
        "the URL must begin with rtmp:// or rtmps://, as in rtmp://HOST/APP", .addressScheme)
    }
    isSecure = scheme == "rtmps"
    // RFC 3986 does not allow these characters, and librtmp takes the backslash for an escape.
    guard !text.contains(where: { "\"\\<>^`{|}#".contains($0) }) else {
      throw .because(
        "the URL holds a character that is not allowed in one (\" \\ < > ^ ` { | } #)",
        .addressCharacters)
    }
    let body = text.dropFirst(scheme.count + 3)
    let authority = body.prefix { $0 != "/" && $0 != "?" }
    guard !authority.contains("@") else {
      throw .because(
        "USER:PASSWORD@ is not supported: RTMP servers take a key or a query instead",
        .addressPassword)
    }
    let (name, ownPort) = try Self.server(authority)
    host = name
    port = ownPort ?? Self.standardPort(isSecure: isSecure)
    let rest = body.dropFirst(authority.count)
    let path = rest.prefix { $0 != "?" }
    let afterPath = rest.dropFirst(path.count + 1)
    query = afterPath.isEmpty ? nil : String(afterPath)
    // Accept a slash at the end, since some platforms show the URL with one.
    var names = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    endsWithSlash = names.last == ""
    if endsWithSlash { names.removeLast() }
    guard !names.contains("") else {
      throw .because("the URL's path holds an empty part (//)", .addressPath)
    }
    parts = names.map(String.init)
  }

  /// The host and the port of `HOST[:PORT]`; the port is `nil` if it is missing.
  static func server(_ authority: Substring) throws(ValueError) -> (String, UInt16?) {
    let host: Substring
    let rest: Substring
    if authority.hasPrefix("[") {
      host = authority.dropFirst().prefix { $0 != "]" }
      rest = authority.dropFirst(host.count + 2)
      guard authority.dropFirst(host.count + 1).hasPrefix("]"), isIPv6(host) else {
        throw .because("the URL's host is not an IPv6 address in brackets", .addressHost)
      }
    } else {
      host = authority.prefix { $0 != ":" }
      rest = authority.dropFirst(host.count)
      guard isHostName(host) else {
        throw .because("the URL's host must be a name, an IPv4 address or [IPv6]", .addressHost)
      }
    }
    if rest.isEmpty { return (String(host), nil) }
    guard rest.hasPrefix(":"), isNumber(rest.dropFirst(), digits: 5),
      let port = UInt16(rest.dropFirst()), port > 0
    else { throw .because("the URL's port must be 1 to 65535", .addressPort) }
    return (String(host), port)
  }
}

/// An `RTMPURL` combined with the stream key, split into the values that RTMP commands need.
///
/// `description` is the masked URL, so it can be logged.
public struct RTMPAddress: Sendable, Equatable, CustomStringConvertible {
  /// Whether the connection uses TLS.
  public let isSecure: Bool
  /// The host: a name, an IPv4 address, or an IPv6 address without its brackets.
  public let host: String
  /// The TCP port of the server.
  public let port: UInt16
  /// The application, as sent in `connect`. It includes the URL's query, unless the query belongs to the stream key.
  public let app: Secret
  /// The stream key, as sent in `publish`.
  public let playpath: Secret
  /// The user name for a server that asks for user and password; empty if there is none.
  public let user: String
  /// The password for `user`; not set if there is none.
  public let password: Secret
  /// `rtmp[s]://HOST[:PORT]/APP`, as sent in `connect`.
  public let tcURL: Secret
  /// `rtmp[s]://host[:port]/app/***`, for logs.
  public let description: String

  /// Identifies the stream at its server. Two addresses with the same identity publish to the same stream, and a
  /// platform would end the first of them. Two host names of one server give different identities.
  var identity: [String] {
    let isStandardPort = port == RTMPURL.standardPort(isSecure: isSecure)
    let application = app.reveal().split(separator: "?", maxSplits: 1)
    // A server ignores a query after the stream name, unless the name consists of the query alone.
    let name = playpath.reveal().prefix { $0 != "?" }
    let path = "\(application.first ?? "")/\(name.isEmpty ? playpath.reveal()[...] : name)"
    return [
      Self.canonical(host), isStandardPort ? "" : "\(port)", path.withoutPercentCodes,
      application.count > 1 ? String(application[1]) : "",
    ]
  }

  /// The spelling in which hosts are compared: a name in lower case, or the bytes of an IPv6 address.
  private static func canonical(_ host: String) -> String {
    guard host.contains(":"), let address = IPAddress.bytes(host) else { return host.lowercased() }
    return address.map { String($0, radix: 16) }.joined(separator: ".")
  }

  /// Combines `url` with `key`. Returns `nil` if `key` is not set and `url` does not seem to contain the stream key
  /// either.
  public init?(_ url: RTMPURL, key: Secret, user: String = "", password: Secret = Secret()) {
    guard let (appText, name) = url.split(key) else { return nil }
    playpath = Secret(name)
    self.user = user
    self.password = password
    isSecure = url.isSecure
    host = url.host
    port = url.port
    app = Secret(appText)
    tcURL = Secret("\(url.root)/\(appText)")
    description = url.root + (url.parts.first.map { "/\($0)" } ?? "") + "/***"
  }
}

extension String {
  /// The text with its percent-encoded bytes decoded: "%61" becomes "a".
  fileprivate var withoutPercentCodes: String {
    let parts = split(separator: "%", omittingEmptySubsequences: false)
    let bytes = parts.dropFirst().reduce(into: Array((parts.first ?? "").utf8)) { bytes, part in
      let digits = part.prefix(2)
      // Check for digits, since UInt8 also accepts a sign.
      if digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit),
        let byte = UInt8(digits, radix: 16)
      {
        bytes += [byte] + Array(part.dropFirst(2).utf8)
      } else {
        bytes += Array("%\(part)".utf8)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
