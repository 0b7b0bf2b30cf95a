// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Posix

/// The address of music on a network: an absolute http or https URL (RFC 3986) without a user and without a fragment.
public struct MusicAddress: Sendable, Equatable, CustomStringConvertible {
  /// The most bytes of an address.
  static let longest = 2_000

  let isSecure: Bool
  /// A host name, or an IP address without brackets.
  let host: String
  let port: UInt16
  /// The path with the query. It begins with "/", and bytes that a URL may not have are percent-encoded.
  let target: String

  public var description: String {
    let name = host.contains(":") ? "[\(host)]" : host
    let suffix = port == (isSecure ? 443 : 80) ? "" : ":\(port)"
    return "\(isSecure ? "https" : "http")://\(name)\(suffix)\(target)"
  }

  /// The value of the field Host of a request (RFC 9110, section 7.2).
  var hostField: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
  }

  /// Parses an absolute URL.
  /// - Returns: `nil` for any text that is not one of http or https.
  public init?(_ text: String) {
    guard text.utf8.count <= MusicAddress.longest,
      let scheme = MusicAddress.scheme(of: text[...]), ["http", "https"].contains(scheme),
      text.dropFirst(scheme.count).hasPrefix("://")
    else { return nil }
    self.init(isSecure: scheme == "https", afterSlashes: text.dropFirst(scheme.count + 3))
  }

  private init?(isSecure: Bool, afterSlashes rest: Substring) {
    let authority = rest.prefix { !"/?#".contains($0) }
    guard let (host, port) = MusicAddress.split(authority, standard: isSecure ? 443 : 80),
      let target = MusicAddress.encoded(rest.dropFirst(authority.count).prefix { $0 != "#" })
    else { return nil }
    self.init(isSecure: isSecure, host: host, port: port, target: target)
  }

  private init(isSecure: Bool, host: String, port: UInt16, target: String) {
    self.isSecure = isSecure
    self.host = host
    self.port = port
    self.target = target.hasPrefix("/") ? target : "/" + target
  }

  /// The address that a reference stands for: in a playlist at this address, or in a redirect from it (RFC 3986,
  /// section 5.2).
  /// - Returns: `nil` if that is not an http or https URL: "file:", "data:" and so on are refused.
  func resolve(_ reference: String) -> MusicAddress? {
    if MusicAddress.scheme(of: reference[...]) != nil { return MusicAddress(reference) }
    guard reference.utf8.count <= MusicAddress.longest else { return nil }
    if reference.hasPrefix("//") {
      return MusicAddress(isSecure: isSecure, afterSlashes: reference.dropFirst(2))
    }
    guard let given = MusicAddress.encoded(reference.prefix { $0 != "#" }) else { return nil }
    let path = target.prefix { $0 != "?" }
    var merged = given
    if given.isEmpty {
      merged = target
    } else if given.hasPrefix("?") {
      merged = path + given
    } else if !given.hasPrefix("/") {
      merged = path[...(path.lastIndex(of: "/") ?? path.startIndex)] + given
    }
    return MusicAddress(
      isSecure: isSecure, host: host, port: port, target: MusicAddress.withoutDots(merged))
  }

  /// The scheme of a URL, in lower case; `nil` for a relative reference. A letter before the colon counts as a scheme,
  /// so that a path of Windows ("C:\Music") is none of ours.
  private static func scheme(of text: Substring) -> String? {
    let start = text.prefix { !":/?#".contains($0) }
    guard text.dropFirst(start.count).hasPrefix(":"), let first = start.unicodeScalars.first,
      first.isASCII, first.properties.isAlphabetic,
      start.unicodeScalars.allSatisfy({
        $0.isASCII && ($0.properties.isAlphabetic || "0123456789+-.".unicodeScalars.contains($0))
      })
    else { return nil }
    return start.lowercased()
  }

  private static func split(_ authority: Substring, standard: UInt16) -> (String, UInt16)? {
    var host = authority
    var rest: Substring = ""
    if authority.hasPrefix("[") {
      host = authority.dropFirst().prefix { $0 != "]" }
      guard IPAddress.bytes(host)?.count == 16 else { return nil }
      rest = authority.dropFirst(host.count + 2)
    } else {
      host = authority.prefix { $0 != ":" }
      rest = authority.dropFirst(host.count)
      let isName =
        (1...253).contains(host.utf8.count)
        && host.unicodeScalars.allSatisfy {
          $0.isASCII && ($0.properties.isAlphabetic || "0123456789-._".unicodeScalars.contains($0))
        }
      guard isName else { return nil }
    }
    if rest.isEmpty || rest == ":" { return (host.lowercased(), standard) }
    guard rest.hasPrefix(":"), rest.dropFirst().allSatisfy({ "0123456789".contains($0) }),
      let port = UInt16(rest.dropFirst()), port > 0
    else { return nil }
    return (host.lowercased(), port)
  }

  /// Percent-encodes the bytes that a path or a query may not have. People write blanks and umlauts in playlists.
  /// - Returns: `nil` if the text has control characters.
  private static func encoded(_ text: Substring) -> String? {
    var out = ""
    for byte in text.utf8 {
      switch byte {
      case 0..<0x20, 0x7F: return nil
      case 0x20, 0x80...0xFF, UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"),
        UInt8(ascii: "\\"), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"),
        UInt8(ascii: "|"), UInt8(ascii: "}"):
        let hex = String(byte, radix: 16, uppercase: true)
        out += "%" + (hex.count < 2 ? "0" : "") + hex
      default: out.unicodeScalars.append(Unicode.Scalar(byte))
      }
    }
    return out
  }

  /// Removes "." and ".." from a path (RFC 3986, section 5.2.4). The query stays as it is.
  private static func withoutDots(_ target: some StringProtocol) -> String {
    let path = target.prefix { $0 != "?" }
    var parts: [Substring] = []
    let given = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    for (index, part) in given.enumerated() {
      let isLast = index == given.count - 1
      switch part {
      case ".": if isLast { parts.append("") }
      case "..":
        _ = parts.popLast()
        if isLast { parts.append("") }
      default: parts.append(Substring(part))
      }
    }
    return "/" + parts.joined(separator: "/") + target.dropFirst(path.count)
  }
}
