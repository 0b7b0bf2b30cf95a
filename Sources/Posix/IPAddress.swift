// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// IP addresses as people write them.
public enum IPAddress {
  /// The 4 or 16 bytes of an IPv4 or IPv6 address in network order (inet_pton(3)): "192.0.2.1", "2001:db8::1".
  /// - Returns: `nil` for anything else, such as a name, brackets or a zone.
  public static func bytes(_ text: some StringProtocol) -> [UInt8]? {
    let text = String(text)
    // The C library would see another text.
    guard !text.utf8.contains(0) else { return nil }
    var room = [UInt8](repeating: 0, count: 16)
    if unsafe inet_pton(AF_INET, text, &room) == 1 { return Array(room.prefix(4)) }
    return unsafe inet_pton(AF_INET6, text, &room) == 1 ? room : nil
  }
}
