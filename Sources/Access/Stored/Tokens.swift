// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// A token for scripts, without its secret.
public struct Token: Hashable, Codable, Sendable {
  /// The name of the token, which no other token of the box has.
  public let name: String
  /// The rights of a client that has the token.
  public let scope: Scope
  /// When the token was made: UTC in ISO 8601.
  public let made: String
}

/// A token that has just been made, with its secret, which is not shown again.
public struct NewToken: Sendable {
  /// The name, scope and date of the token.
  public let token: Token
  /// The secret that a client sends with its requests.
  public let secret: RandomSecret
}

/// The tokens, with the digests of their secrets.
struct Tokens: Sendable {
  /// The most tokens that a box may have.
  static let maxCount = 32

  /// A token, with the digest of its secret.
  struct Entry: Sendable {
    let token: Token
    let digest: Digest
  }

  /// All tokens of the box.
  private(set) var list: [Entry] = []

  init() {}

  init(_ list: [Entry]) { self.list = list }

  /// Whether a token may have this name: 1 to 32 characters, each a letter or digit of ASCII, "_" or "-".
  static func isFit(_ name: String) -> Bool {
    (1...32).contains(name.utf8.count)
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
          true
        default: false
        }
      }
  }

  /// Adds a token.
  /// - Throws: `.unfitTokenName`, `.tokenExists` or `.tooManyTokens`.
  mutating func add(_ token: Token, _ digest: Digest) throws(AccessError) {
    guard Self.isFit(token.name) else { throw .unfitTokenName }
    guard !list.contains(where: { $0.token.name == token.name }) else { throw .tokenExists }
    guard list.count < Self.maxCount else { throw .tooManyTokens }
    list.append(Entry(token: token, digest: digest))
  }

  /// Removes all tokens.
  mutating func removeAll() { list = [] }

  /// Removes the token of this name.
  /// - Throws: `.unknownToken`.
  mutating func remove(_ name: String) throws(AccessError) {
    guard let index = list.firstIndex(where: { $0.token.name == name }) else {
      throw .unknownToken
    }
    list.remove(at: index)
  }

  /// The scope of the token whose secret has this digest; `nil` if there is no such token.
  func scope(of digest: Digest) -> Scope? {
    // Compare with every entry, so that the time that this takes does not reveal which entry matches.
    list.filter { $0.digest.matches(digest) }.first?.token.scope
  }
}
