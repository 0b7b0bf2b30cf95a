// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Settings

/// Reports when the address to publish to expires: once a minute before, and once when it has. Pure: the caller
/// passes the time.
struct Expiry {
  private static let warning: Int64 = 60

  private let expiresAt: Int64?
  /// The setting that holds the address.
  let setting: String
  private var reported: Event.Code?

  /// Watches the address that expires first.
  /// - Parameters:
  ///   - expiresAt: seconds since 1970; `nil` when it never does.
  ///   - backupExpiresAt: the same of the backup server's address.
  init(expiresAt: Int64?, backupExpiresAt: Int64? = nil) {
    let isBackup = (backupExpiresAt ?? .max) < (expiresAt ?? .max)
    self.expiresAt = isBackup ? backupExpiresAt : expiresAt
    setting = isBackup ? "publish.backup_url" : "publish.url"
  }

  /// Reports again, since another broadcast begins.
  mutating func beginAgain() { reported = nil }

  /// - Parameter wallClock: seconds since 1970.
  /// - Returns: a warning that has not been reported yet.
  mutating func look(wallClock: Int64) -> (code: Event.Code, sentence: String)? {
    guard let expiresAt, wallClock >= expiresAt - Expiry.warning else { return nil }
    let code: Event.Code = wallClock >= expiresAt ? .urlExpired : .urlExpiring
    guard code != reported else { return nil }
    reported = code
    let remedy =
      "get a new one from the platform's page, set \(setting) and the key, and run \"onair reload\"."
    return code == .urlExpired
      ? (
        code,
        "The address in \(setting) has expired. The broadcast may go on until the connection breaks: \(remedy)"
      )
      : (code, "The address in \(setting) expires in \(expiresAt - wallClock) s: \(remedy)")
  }
}

extension Expiry {
  init(_ configuration: Configuration) {
    self.init(
      expiresAt: configuration.destination?.expiresAt,
      backupExpiresAt: configuration.backup?.expiresAt)
  }
}
