// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Base64 without padding (RFC 4648): with "+" and "/" in stored hashes, with "-" and "_" (base64url) in secrets that
/// clients send.
enum Base64 {
  /// The 62 characters that both alphabets share.
  private static let letters = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
  /// The 64 characters of base64.
  private static let standard = letters + Array("+/".utf8)
  /// The 64 characters of base64url.
  private static let urlSafe = letters + Array("-_".utf8)

  /// The base64 of some bytes, or their base64url if `isURLSafe`.
  static func encode(_ bytes: [UInt8], isURLSafe: Bool = false) -> String {
    let alphabet = isURLSafe ? urlSafe : standard
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let part = bytes[start..<min(start + 3, bytes.count)]
      let padded = Array(part) + [0, 0]
      let bits = Int(padded[0]) << 16 | Int(padded[1]) << 8 | Int(padded[2])
      for index in 0...part.count { text.append(alphabet[bits >> (18 - 6 * index) & 63]) }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Decodes base64 with "+" and "/".
  /// - Returns: `nil` for a text that `encode` cannot have made.
  static func decode(_ text: some StringProtocol) -> [UInt8]? {
    var bytes: [UInt8] = []
    var bits = 0
    var count = 0
    for character in text.utf8 {
      guard let value = standard.firstIndex(of: character) else { return nil }
      bits = (bits << 6 | value) & 0xFFFF
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> count))
      }
    }
    // Refuse a length that base64 cannot have, and bits other than 0 after the last byte.
    guard count < 6, bits & (1 << count - 1) == 0 else { return nil }
    return bytes
  }
}
