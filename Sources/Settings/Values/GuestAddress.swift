// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Posix

/// The address from which a guest is fetched (`guest.NAME.url`): `SCHEME://[USER[:PASSWORD]@]HOST[:PORT][/PATH][?QUERY]`.
///
/// Only schemes of the network are accepted: libavformat also knows some with which an address reads files, runs
/// through several protocols or waits for callers. `description` is masked, so it can be logged.
public struct GuestAddress: Sendable, Equatable, CustomStringConvertible,
  CustomDebugStringConvertible, CustomReflectable
{
  /// The protocols that a guest is fetched with.
  public enum Scheme: String, Sendable, CaseIterable {
    case rtmp, rtmps, http, https, rtsp, rtsps, srt

    /// The port of an address that names none; `nil` if an address must name one.
    fileprivate var standardPort: UInt16? {
      switch self {
      case .rtmp: 1935
      case .rtmps, .https: 443
      case .http: 80
      case .rtsp: 554
      case .rtsps: 322
      case .srt: nil
      }
    }
  }

  public let scheme: Scheme
  /// The host: a name, an IPv4 address, or an IPv6 address without its brackets.
  public let host: String
  /// The address's port, or the standard port of the scheme.
  public let port: UInt16
  /// The whole address, with its scheme in lower case.
  public let whole: Secret
  /// Whether the address holds a user name, and so most likely a password.
  let hasUser: Bool
  /// `SCHEME://HOST[:PORT]`, with `***` for each other part that is there. Cameras and services put passwords, keys and
  /// signatures into each of them.
  public let description: String

  /// Maximum length of an address in bytes.
  static let maxBytes = 2_000

  /// The same as `description`.
  public var debugDescription: String { description }

  /// A mirror without children, so that `dump` does not show the parts of the address.
  public var customMirror: Mirror { Mirror(self, children: [:]) }

  /// Whether the address plainly leads to the box itself. A name may still do so: whoever connects has to look.
  var namesOwnBox: Bool {
    if host.lowercased() == "localhost" { return true }
    guard let bytes = IPAddress.bytes(host) else { return false }
    let isMapped =
      bytes.count == 16 && bytes.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255]
    let plain = isMapped ? bytes.suffix(4) : bytes[...]
    return plain.count == 4
      ? [0, 127].contains(plain.first) : plain.dropLast().allSatisfy { $0 == 0 }
  }

  /// Parses and checks an address. The reason of a thrown `ValueError` never quotes it.
  init(_ text: String) throws(ValueError) {
    guard text.utf8.count <= Self.maxBytes else {
      throw .because("the URL is longer than \(Self.maxBytes) bytes", .addressTooLong)
    }
    guard text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
      throw .because(
        "the URL holds a space, a control character or one outside ASCII", .addressCharacters)
    }
    let name = text.prefix { $0 != ":" }
    guard let scheme = Scheme(rawValue: name.lowercased()),
      text.dropFirst(name.count).hasPrefix("://")
    else {
      throw .because("the URL must begin with \(Self.beginnings)", .guestAddressScheme)
    }
    // SRT's access control writes "#!::" into the query.
    let refused = "\"\\<>^`{|}\(scheme == .srt ? "" : "#")"
    guard !text.contains(where: { refused.contains($0) }) else {
      throw .because(
        "the URL holds a character that is not allowed in one (\" \\ < > ^ ` { | } #)",
        .addressCharacters)
    }
    let body = text.dropFirst(name.count + 3)
    let authority = body.prefix { $0 != "/" && $0 != "?" }
    let server = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] }
    let (host, port) = try RTMPURL.server(server ?? authority)
    guard let usedPort = port ?? scheme.standardPort else {
      throw .because("the URL needs a port, as in srt://HOST:9000", .addressPort)
    }
    let path = body.dropFirst(authority.count).prefix { $0 != "?" }
    let query = body.dropFirst(authority.count + path.count)
    (self.scheme, self.host, self.port) = (scheme, host, usedPort)
    hasUser = server != nil
    whole = Secret("\(scheme.rawValue)://\(body)")
    description =
      "\(scheme.rawValue)://" + (hasUser ? "***@" : "") + (server ?? authority)
      + (path.isEmpty || path == "/" ? path : "/***") + (query.isEmpty ? "" : "?***")
  }

  /// What an address may begin with: "rtmp://, rtmps://, … or srt://".
  static let beginnings = listed(Scheme.allCases.map { "\($0.rawValue)://" })
}

extension Kind where Value == GuestAddress? {
  /// The kind of a setting whose value is the address of a guest; an empty text is `nil`.
  static var guestAddress: Kind {
    .text(
      "an address with \(GuestAddress.beginnings), at most \(GuestAddress.maxBytes) bytes, or empty",
      read: { text throws(ValueError) in
        text.isEmpty ? .some(nil) : .some(try GuestAddress(text))
      },
      show: { $0?.description ?? "" })
  }
}
