// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// A token for scripts. The names of the fields are a contract.
public struct TokenReply: Codable, Sendable, Equatable {
  public var name: String
  /// "read", "control" or "admin".
  public var scope: String
  /// UTC in ISO 8601.
  public var made: String
  /// The secret, in the answer to its making alone.
  public var token: String?
}
