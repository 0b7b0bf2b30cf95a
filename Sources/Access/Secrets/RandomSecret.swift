// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// What a client shows instead of a password: 32 random bytes, as the cookie of a session or as a token. The box keeps its
/// SHA-256 only.
public struct RandomSecret: Sendable {
  /// Characters of a secret's text.
  static let length = 43

  private let text: Secret

  /// A new one. On Linux `SystemRandomNumberGenerator` reads getrandom(2).
  init() {
    var generator = SystemRandomNumberGenerator()
    let bytes = (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }
    text = Secret(Base64.encode(bytes, isURLSafe: true))
  }

  /// 43 characters of base64url. The caller must neither log nor keep it.
  public func reveal() -> String { text.reveal() }

  var digest: Digest { Digest(of: text.reveal()) }

  /// The digest of what a client shows; `nil` if it cannot be a secret.
  static func digest(ofShown text: String) -> Digest? {
    text.utf8.count == length ? Digest(of: text) : nil
  }
}
