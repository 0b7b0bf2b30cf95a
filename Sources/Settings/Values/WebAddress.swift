// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Checks an address that becomes a link on the page: it must lead to a web page, and must not be a script that a
/// browser would run.
enum WebAddress {
  /// Maximum length of the address in bytes. A QR code of a longer one would be too dense to be read from a screen.
  static let maxBytes = 500

  /// Why a text cannot be the address of a web page, as a continuation of "publish.play_url: "; `nil` if it can.
  static func problem(_ text: String) -> String? {
    guard text.utf8.count <= maxBytes else { return "is longer than \(maxBytes) characters" }
    let scheme = text.prefix { $0 != ":" }
    guard ["http", "https"].contains(scheme.lowercased()),
      text.dropFirst(scheme.count).hasPrefix("://")
    else { return "must begin with https:// or http://" }
    // RFC 3986 allows no other characters; browsers percent-encode other characters (%20) when a user copies an
    // address.
    guard text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }),
      !text.contains(where: { "\"\\<>^`{|}".contains($0) })
    else { return "holds a character that is not allowed in an address: copy it from the browser" }
    let authority = text.dropFirst(scheme.count + 3).prefix { !"/?#".contains($0) }
    guard !authority.contains("@") else {
      return "holds a user name: copy the address that everybody may see"
    }
    var host = authority
    var port: Substring?
    if authority.hasPrefix("[") {
      host = authority.dropFirst().prefix { $0 != "]" }
      let rest = authority.dropFirst(host.count + 2)
      guard authority.contains("]"), isIPv6(host), rest.isEmpty || rest.hasPrefix(":") else {
        return "names no server"
      }
      port = rest.isEmpty ? nil : rest.dropFirst()
    } else if let colon = authority.lastIndex(of: ":") {
      (host, port) = (authority[..<colon], authority[authority.index(after: colon)...])
    }
    guard authority.hasPrefix("[") || isHostName(host) else { return "names no server" }
    if let port, !isNumber(port, digits: 5) || !(1...65_535).contains(Int(port) ?? 0) {
      return "has a port that is not 1 to 65535"
    }
    return nil
  }
}

extension Kind where Value == String {
  /// The kind of a setting whose value is the address of a web page, or empty.
  static var webAddress: Kind {
    .text(
      "https://… or http://…, at most \(WebAddress.maxBytes) characters, or empty",
      read: { text throws(ValueError) in
        if !text.isEmpty, let problem = WebAddress.problem(text) {
          throw .because(problem, .notAllowed)
        }
        return text
      }, show: { $0 })
  }
}
