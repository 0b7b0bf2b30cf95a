// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Whether the address to publish to runs out: told once a minute before, and once when it has. Pure: it is told
/// the time.
struct Expiry {
  private static let warning: Int64 = 60

  private let expiresAt: Int64?
  private let setting: String
  private var told: Event.Code?

  /// Watches the address that runs out first.
  /// - Parameters:
  ///   - expiresAt: seconds since 1970; `nil` when it never does.
  ///   - backupExpiresAt: the same of the second server's address.
  init(expiresAt: Int64?, backupExpiresAt: Int64? = nil) {
    let isBackup = (backupExpiresAt ?? .max) < (expiresAt ?? .max)
    self.expiresAt = isBackup ? backupExpiresAt : expiresAt
    setting = isBackup ? "publish.backup_url" : "publish.url"
  }

  /// Another broadcast begins, whoever was told during the one before.
  mutating func beginAgain() { told = nil }

  /// - Parameter wallClock: seconds since 1970.
  /// - Returns: what to tell, if it is news.
  mutating func look(wallClock: Int64) -> (code: Event.Code, sentence: String)? {
    guard let expiresAt, wallClock >= expiresAt - Expiry.warning else { return nil }
    let code: Event.Code = wallClock >= expiresAt ? .urlExpired : .urlExpiring
    guard code != told else { return nil }
    told = code
    let remedy =
      "get a new one from the platform's page, set \(setting) and the key, and run \"onair reload\"."
    return code == .urlExpired
      ? (
        code,
        "The address in \(setting) has run out; what is on the air may go on until it breaks: \(remedy)"
      )
      : (code, "The address in \(setting) runs out in \(expiresAt - wallClock) s: \(remedy)")
  }
}
