// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// What a client shows instead of a password: 32 random bytes, as the cookie of a session or as a token.
///
/// Printing, interpolating, reflecting or dumping it does not show it; `reveal()` is the only access, so every use can
/// be found in the source. The box keeps its SHA-256 only.
public struct RandomSecret: Sendable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// Characters of a secret's text.
  static let length = 43

  private let text: String

  /// A new one. On Linux `SystemRandomNumberGenerator` reads getrandom(2).
  init() {
    var generator = SystemRandomNumberGenerator()
    let bytes = (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }
    text = Base64.encode(bytes, isURLSafe: true)
  }

  /// 43 characters of base64url. The caller must neither log nor keep it.
  public func reveal() -> String { text }

  public var description: String { "(secret)" }

  public var debugDescription: String { description }

  /// A mirror without children, so that `dump` finds nothing either.
  public var customMirror: Mirror { Mirror(self, children: [:]) }

  var digest: Digest { Digest(of: text) }

  /// The digest of what a client shows; `nil` if it cannot be a secret.
  static func digest(ofShown text: String) -> Digest? {
    text.utf8.count == length ? Digest(of: text) : nil
  }
}
