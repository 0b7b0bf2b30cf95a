// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// Parses IP addresses.
public enum IPAddress {
  /// The 4 bytes of an IPv4 address or the 16 bytes of an IPv6 address, in network byte order (inet_pton(3)), from text
  /// such as "192.0.2.1" or "2001:db8::1".
  /// - Returns: `nil` for any other text, such as a host name, or an address with brackets or a zone.
  public static func bytes(_ text: some StringProtocol) -> [UInt8]? {
    let text = String(text)
    // The C library would read only the text before the zero byte.
    guard !text.utf8.contains(0) else { return nil }
    var room = [UInt8](repeating: 0, count: 16)
    if unsafe inet_pton(AF_INET, text, &room) == 1 { return Array(room.prefix(4)) }
    return unsafe inet_pton(AF_INET6, text, &room) == 1 ? room : nil
  }
}
