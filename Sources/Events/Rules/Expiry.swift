// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Settings

/// Reports the expiry of an address to publish to: once in the last minute before the expiry, and once after it. Reads
/// no clock and does no I/O: the time is passed in.
package struct Expiry: Equatable {
  /// The report that an address expires, or has expired.
  package struct Report: Equatable {
    package var code: Event.Code
    /// The setting that holds the address, or "destination" for an address of this broadcast alone.
    package var subject: String
    /// The name of the destination: "main", or that of a relay.
    package var destination = "main"
    package var sentence: String
  }

  /// How many seconds before the expiry it is first reported.
  private static let warningSeconds: Int64 = 60

  /// When the address expires, in seconds since 1970; `nil` if it never does.
  private let expiresAt: Int64?
  /// The setting that holds the address, or "destination" for an address of this broadcast alone.
  package let subject: String
  /// The name of the destination: "main", or that of a relay.
  private let destination: String
  /// The address in words, at the beginning of a sentence: "The address in publish.url".
  private let addressWords: String
  /// Further advice, to follow "get a new one from the platform's page" in the sentence.
  private let remedy: String
  /// The last event that was reported: `urlExpiring` or `urlExpired`; `nil` for none.
  private var reported: Event.Code?

  /// Watches the main or the backup server's address in the settings, whichever expires first.
  /// - Parameters:
  ///   - expiresAt: when the main server's address expires, in seconds since 1970; `nil` when it never does.
  ///   - backupExpiresAt: when the backup server's address expires, in seconds since 1970; `nil` when it never does.
  init(expiresAt: Int64?, backupExpiresAt: Int64? = nil) {
    let isBackup = (backupExpiresAt ?? .max) < (expiresAt ?? .max)
    let setting = isBackup ? "publish.backup_url" : "publish.url"
    self.init(
      isBackup ? backupExpiresAt : expiresAt, setting, "The address in \(setting)",
      ", set \(setting) and the key, and run \"onair reload\".")
  }

  private init(
    _ expiresAt: Int64?, _ subject: String, destination: String = "main", _ addressWords: String,
    _ remedy: String
  ) {
    self.expiresAt = expiresAt
    self.subject = subject
    self.destination = destination
    self.addressWords = addressWords
    self.remedy = remedy
  }

  /// Watches a relay's address.
  static func relay(_ name: String, expiresAt: Int64?) -> Expiry {
    Expiry(
      expiresAt, "relay.\(name).url", destination: name, "The address of the relay \(name)",
      ", and set it and its key on the page, or with \"onair relay set \(name) url -\".")
  }

  /// Watches an address that is used for the current broadcast alone.
  package static func once(expiresAt: Int64?) -> Expiry {
    Expiry(
      expiresAt, "destination", "The address that this broadcast was started with",
      ", and hand it in with PUT /api/destination: the broadcast goes on there.")
  }

  /// Makes the reports due again, because another broadcast begins.
  package mutating func resetReports() { reported = nil }

  /// The event that has to be reported now, and was not reported before; `nil` if there is none.
  /// - Parameter wallClock: seconds since 1970.
  fileprivate func due(_ wallClock: Int64) -> Event.Code? {
    guard let expiresAt, wallClock >= expiresAt - Expiry.warningSeconds else { return nil }
    let code: Event.Code = wallClock >= expiresAt ? .urlExpired : .urlExpiring
    return code == reported ? nil : code
  }

  /// Makes the report that is due.
  /// - Parameter wallClock: seconds since 1970.
  /// - Returns: a report that is due and has not been made yet; `nil` if there is none.
  package mutating func check(wallClock: Int64) -> Report? {
    guard let expiresAt, let code = due(wallClock) else { return nil }
    reported = code
    let advice = "get a new one from the platform's page\(remedy)"
    let sentence =
      code == .urlExpired
      ? "\(addressWords) has expired. The broadcast may go on until the connection breaks: "
        + advice
      : "\(addressWords) expires in \(expiresAt - wallClock) s: \(advice)"
    return Report(code: code, subject: subject, destination: destination, sentence: sentence)
  }
}

extension Expiry {
  package init(_ configuration: Configuration) {
    self.init(
      expiresAt: configuration.destination?.expiresAt,
      backupExpiresAt: configuration.backup?.expiresAt)
  }
}

/// Reports that the addresses of relays expire, with one `Expiry` for each relay.
package struct RelayExpiries {
  /// The expiry of each relay's address, by the name of the relay.
  private var all: [String: Expiry] = [:]

  package init() {}

  /// Watches the addresses of the relays of a configuration from now on.
  /// - Returns: the names of the settings with an address that now expires at another time, or that was removed.
  package mutating func watch(_ configuration: Configuration) -> [String] {
    let before = all
    var changed: [String] = []
    all = [:]
    for relay in configuration.relays {
      let name = relay.settings.name
      let new = Expiry.relay(name, expiresAt: relay.address?.expiresAt)
      let isSame = before[name]?.expiresAtSameTime(as: new) ?? false
      all[name] = isSame ? before[name] : new
      if !isSame { changed.append(new.subject) }
    }
    return changed + before.filter { all[$0.key] == nil }.map(\.value.subject)
  }

  /// Makes all reports due again, because another broadcast begins.
  package mutating func resetReports() {
    for name in all.keys { all[name]?.resetReports() }
  }

  /// Makes the reports that are due.
  /// - Parameters:
  ///   - wallClock: seconds since 1970.
  ///   - isWanted: returns whether the relay of this name has to get the stream. The expiry of other relays' addresses
  ///     is not reported.
  package mutating func check(wallClock: Int64, isWanted: (String) -> Bool) -> [Expiry.Report] {
    let due = all.filter { $0.value.due(wallClock) != nil }.keys.filter(isWanted).sorted()
    return due.compactMap { all[$0]?.check(wallClock: wallClock) }
  }
}

extension Expiry {
  /// Whether the address of another `Expiry` expires at the same time, whatever reports the two have made.
  fileprivate func expiresAtSameTime(as other: Expiry) -> Bool { expiresAt == other.expiresAt }
}
