// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// A token for scripts, as the API reports it. The names of the fields are part of the API and must not change.
public struct TokenReply: Codable, Sendable, Equatable {
  /// The name that the owner has given the token.
  public var name: String
  /// The name of the token's `Scope`: "read", "operate", "control" or "admin".
  public var scope: String
  /// When the token was made: UTC in ISO 8601.
  public var made: String
  /// The secret of the token, in the response to the request that makes it; `nil` in any other.
  public var token: String?
}
