// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CGnuTLS

/// Why a text cannot be decrypted, whatever the passphrase.
enum SealedTextError: Error, Equatable {
  /// The text is no sealed text, is one of a later version, or has been cut off.
  case unreadable
}

/// Encrypts settings files with a passphrase, and decrypts them. The result is text, too.
///
/// The first line is "onair-sealed-1 m=19456,t=2,p=1 SALT": the cost of argon2id (RFC 9106), which derives a key of 32
/// bytes from the passphrase (UTF-8) and the salt (16 bytes). The other lines are a nonce of 12 bytes, the text (UTF-8)
/// as ChaCha20-Poly1305 (RFC 8439) encrypts it with that key, and the tag of 16 bytes. The first line, without its line
/// end, is the additional data. Bytes are in base64 (RFC 4648) without padding, 76 characters a line.
enum SealedText {
  /// The name and version of the format, with which a sealed text begins.
  static let name = "onair-sealed-1"
  /// The most bytes that a sealed text may have.
  static let maxBytes = 1 << 18
  /// The lengths in bytes of the salt, the nonce, the tag and the key.
  private static let (saltBytes, nonceBytes, tagBytes, keyBytes) = (16, 12, 16, 32)
  /// The number of characters in a line of base64.
  private static let lineLength = 76

  /// Whether a text begins like a sealed one.
  static func isSealed(_ text: String) -> Bool { text.hasPrefix("\(name) ") }

  /// Encrypts a text with a passphrase.
  static func seal(_ text: String, _ passphrase: String) throws(PasswordHash.NoMemoryError)
    -> String
  {
    let cost = PasswordHash.Cost.usual
    let salt = random(saltBytes)
    let nonce = random(nonceBytes)
    let head = "\(name) m=\(cost.memoryKiB),t=\(cost.passes),p=\(cost.lanes) \(Base64.encode(salt))"
    let key = try PasswordHash.argon2id(passphrase, salt: salt, cost: cost, count: keyBytes)
    guard let sealed = apply(.encrypt, Array(text.utf8), key: key, nonce: nonce, head: head) else {
      throw PasswordHash.NoMemoryError()
    }
    let body = Array(Base64.encode(nonce + sealed).utf8)
    let lines = stride(from: 0, to: body.count, by: lineLength).map {
      String(decoding: body[$0..<min($0 + lineLength, body.count)], as: UTF8.self)
    }
    return ([head] + lines).joined(separator: "\n") + "\n"
  }

  /// The parts of a sealed text that are needed, besides the passphrase, to decrypt the text.
  struct Parts {
    /// The first line of the sealed text, without its line end.
    let head: String
    let cost: PasswordHash.Cost
    let salt: [UInt8]
    let nonce: [UInt8]
    /// The ciphertext, with the tag at its end.
    let sealed: [UInt8]

    init(_ text: String) throws(SealedTextError) {
      guard text.utf8.count <= SealedText.maxBytes else { throw .unreadable }
      // An editor may have changed the line ends.
      let lines = text.split(whereSeparator: \.isNewline)
      let fields = (lines.first ?? "").split(separator: " ", omittingEmptySubsequences: false)
      guard fields.count == 3, fields[0] == SealedText.name,
        let cost = PasswordHash.Cost(fields[1]), cost.isAcceptable,
        let salt = Base64.decode(fields[2]), salt.count == SealedText.saltBytes,
        let body = Base64.decode(lines.dropFirst().joined()),
        body.count >= SealedText.nonceBytes + SealedText.tagBytes
      else { throw .unreadable }
      head = String(lines[0])
      (self.cost, self.salt) = (cost, salt)
      nonce = Array(body.prefix(SealedText.nonceBytes))
      sealed = Array(body.dropFirst(SealedText.nonceBytes))
    }
  }

  /// Decrypts a sealed text; `nil` if the passphrase is wrong, or the text was changed.
  static func open(_ parts: Parts, _ passphrase: String) throws(PasswordHash.NoMemoryError)
    -> String?
  {
    let key = try PasswordHash.argon2id(
      passphrase, salt: parts.salt, cost: parts.cost, count: keyBytes)
    return apply(.decrypt, parts.sealed, key: key, nonce: parts.nonce, head: parts.head).flatMap {
      String(validating: $0, as: UTF8.self)
    }
  }

  /// `count` random bytes.
  private static func random(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }

  /// Whether `apply` encrypts or decrypts.
  private enum Direction { case encrypt, decrypt }

  /// Encrypts or decrypts bytes with ChaCha20-Poly1305.
  /// - Parameter head: the additional data, which the tag also protects. It is not encrypted.
  /// - Returns: `nil` if the tag does not match, or memory is short.
  private static func apply(
    _ direction: Direction, _ bytes: [UInt8], key: [UInt8], nonce: [UInt8], head: String
  ) -> [UInt8]? {
    var key = key
    let additional = Array(head.utf8)
    var result = [UInt8](repeating: 0, count: bytes.count + tagBytes)
    var count = result.count
    let status = unsafe key.withUnsafeMutableBufferPointer { key -> Int32 in
      var secret = unsafe gnutls_datum_t(data: key.baseAddress, size: UInt32(key.count))
      var cipher: gnutls_aead_cipher_hd_t?
      let opened = unsafe gnutls_aead_cipher_init(
        &cipher, GNUTLS_CIPHER_CHACHA20_POLY1305, &secret)
      guard opened >= 0 else { return opened }
      defer { unsafe gnutls_aead_cipher_deinit(cipher) }
      return switch direction {
      case .encrypt:
        unsafe gnutls_aead_cipher_encrypt(
          cipher, nonce, nonce.count, additional, additional.count, tagBytes, bytes, bytes.count,
          &result, &count)
      case .decrypt:
        unsafe gnutls_aead_cipher_decrypt(
          cipher, nonce, nonce.count, additional, additional.count, tagBytes, bytes, bytes.count,
          &result, &count)
      }
    }
    return status >= 0 ? Array(result.prefix(count)) : nil
  }
}
