// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import CGnuTLS

/// The key of a signed address that expires: `auth_key=EXPIRES-RAND-UID-HASH`, as the content delivery network of
/// Alibaba Cloud has it (its "signature type A"), so that the tools for it make addresses for the box, too.
///
/// EXPIRES is in seconds since 1970, RAND and UID are any words, and HASH is the MD5 of "PATH-EXPIRES-RAND-UID-SECRET"
/// in hexadecimal digits.
public struct AuthKey: Sendable {
  /// The most characters of EXPIRES, of RAND and of UID.
  private static let mostDigits = 12, mostCharacters = 64

  /// The key as it stands in the address: digits, letters, "_" and "-".
  public let text: String
  /// When the address expires, in seconds since 1970.
  private let expires: Int64
  /// The key without the hash: "EXPIRES-RAND-UID".
  private let signed: String
  /// The hash in lower case.
  private let hash: [UInt8]

  /// Reads a key; `nil` if the text is none.
  public init?(_ text: String) {
    let fields = text.split(separator: "-", omittingEmptySubsequences: false)
    guard fields.count == 4, (1...AuthKey.mostDigits).contains(fields[0].utf8.count),
      fields[0].utf8.allSatisfy({ (48...57).contains($0) }), let expires = Int64(fields[0]),
      fields[1...2].allSatisfy({ $0.utf8.count <= AuthKey.mostCharacters }),
      fields[1...3].allSatisfy({ $0.utf8.allSatisfy(AuthKey.isWordCharacter) }),
      fields[3].utf8.count == 32
    else { return nil }
    self.text = text
    self.expires = expires
    signed = fields[0...2].joined(separator: "-")
    hash = Array(fields[3].lowercased().utf8)
  }

  private static func isWordCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case 48...57, 65...90, 97...122, 95: true
    default: false
    }
  }

  /// Whether the key is that of this path and has not expired. The hashes are compared in a time that does not depend on
  /// where they differ.
  /// - Parameters:
  ///   - path: the path of the address, without host and query: "/live/programme.flv".
  ///   - now: seconds since 1970.
  public func opens(_ path: String, secret: Secret, now: Int64) -> Bool {
    let right = AuthKey.hash("\(path)-\(signed)-\(secret.reveal())")
    let isRight = unsafe gnutls_memcmp(right, hash, right.count) == 0
    return isRight && now < expires
  }

  /// The MD5 of a text in hexadecimal digits, 32 bytes.
  private static func hash(_ text: String) -> [UInt8] {
    let bytes = Array(text.utf8)
    var result = [UInt8](repeating: 0, count: 16)
    let status = unsafe gnutls_hash_fast(GNUTLS_DIG_MD5, bytes, bytes.count, &result)
    precondition(status == 0, "GnuTLS has no MD5")
    let digits = Array("0123456789abcdef".utf8)
    return result.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
  }
}
