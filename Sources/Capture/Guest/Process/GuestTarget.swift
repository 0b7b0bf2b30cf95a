// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CGuest
internal import Posix

/// The server in a guest's address. OnAir itself needs nothing else of it: libavformat reads the whole.
struct GuestTarget: Equatable, Sendable {
  /// The schemes of the addresses of guests, each with its usual port; 0 if it has none.
  private static let usualPorts: [String: UInt16] = [
    "rtmp": 1935, "rtmps": 443, "http": 80, "https": 443, "rtsp": 554, "rtsps": 322, "srt": 0,
  ]

  var scheme: String
  /// A host name, or an IP address without brackets.
  var host: String
  var port: UInt16

  /// - Returns: `nil` for a text that is not an absolute URL of one of the schemes above with a host and a port.
  init?(_ text: String) {
    let isPlain = text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    guard isPlain, text.utf8.count <= Int(ONAIR_GUEST_ADDRESS),
      let colon = text.firstRange(of: "://"),
      let usual = GuestTarget.usualPorts[text[..<colon.lowerBound].lowercased()]
    else { return nil }
    scheme = text[..<colon.lowerBound].lowercased()
    var rest = text[colon.upperBound...].prefix { !"/?#".contains($0) }
    // A user and a password come before the last "@".
    if let at = rest.lastIndex(of: "@") { rest = rest[rest.index(after: at)...] }
    if rest.hasPrefix("[") {
      host = String(rest.dropFirst().prefix { $0 != "]" })
      rest = rest.dropFirst(host.utf8.count + 1)
      guard IPAddress.bytes(host)?.count == 16, rest.popFirst() == "]" else { return nil }
    } else {
      host = String(rest.prefix { $0 != ":" })
      guard (1...253).contains(host.utf8.count) else { return nil }
      rest = rest.dropFirst(host.utf8.count)
    }
    if rest.isEmpty {
      port = usual
    } else {
      guard rest.hasPrefix(":"), let number = UInt16(rest.dropFirst()) else { return nil }
      port = number
    }
    guard port > 0 else { return nil }
  }
}
