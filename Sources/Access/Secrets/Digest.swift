// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CGnuTLS

/// The SHA-256 of a secret. The box stores only this digest, never the secret. The secrets are random and long, so a
/// slow hash is not needed.
struct Digest: Sendable, Codable {
  /// The 32 bytes of the SHA-256.
  let bytes: [UInt8]

  init(of text: some StringProtocol) { self.init(of: Array(text.utf8)) }

  init(of text: [UInt8]) {
    var result = [UInt8](repeating: 0, count: 32)
    let status = unsafe gnutls_hash_fast(GNUTLS_DIG_SHA256, text, text.count, &result)
    precondition(status == 0, "GnuTLS has no SHA-256")
    bytes = result
  }

  /// Whether two digests are equal. The comparison takes the same time wherever they differ.
  func matches(_ other: Digest) -> Bool { Self.areEqual(bytes, other.bytes) }

  /// Whether two secrets are equal, in a time that depends on nothing but their lengths.
  static func areEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    guard a.count == b.count else { return false }
    return unsafe gnutls_memcmp(a, b, a.count) == 0
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let decoded = Base64.decode(try container.decode(String.self)), decoded.count == 32 else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "no SHA-256")
    }
    bytes = decoded
  }

  /// Encodes the digest as a string of base64.
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(Base64.encode(bytes))
  }
}
