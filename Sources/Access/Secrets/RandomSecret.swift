// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// A secret of 32 random bytes that a client sends instead of a password: in the cookie of a session or of a browser,
/// or as a token. The box keeps only its SHA-256.
public struct RandomSecret: Sendable {
  /// The number of characters of a secret in base64url.
  static let length = 43

  /// The secret as 43 characters of base64url.
  private let text: Secret

  /// Makes a new secret. On Linux `SystemRandomNumberGenerator` reads getrandom(2).
  init() {
    var generator = SystemRandomNumberGenerator()
    let bytes = (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }
    text = Secret(Base64.encode(bytes, isURLSafe: true))
  }

  /// The secret as 43 characters of base64url. The caller must neither log nor keep it.
  public func reveal() -> String { text.reveal() }

  /// The SHA-256 of the secret, by which the box recognises it later.
  var digest: Digest { Digest(of: text.reveal()) }

  /// The digest of a secret that a client has sent; `nil` if the text cannot be a secret.
  static func digest(ofReceived text: String) -> Digest? {
    text.utf8.count == length ? Digest(of: text) : nil
  }
}
