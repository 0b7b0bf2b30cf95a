// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import FoundationEssentials

/// What a box with a password stores: its passwords, sessions, tokens and known browsers.
struct AccessRecord: Sendable {
  /// The hash of the owner's password.
  var password: PasswordHash
  /// The hash of the operator's password, which gives the scope `operate` only; `nil` if there is none.
  var operatorPassword: PasswordHash?
  /// The sessions of those who are logged in.
  var sessions = Sessions()
  /// The tokens for scripts.
  var tokens = Tokens()
  /// The browsers in which somebody has logged in.
  var devices = KnownDevices()
}

/// The JSON of the access file. Checksums cover all of its content: a bit that the disk has lost must not turn one
/// scope into another, or a password into none.
struct AccessEnvelope: Codable {
  /// The content that every version of OnAir reads and writes.
  struct Content: Codable {
    struct Session: Codable {
      let digest: Digest
      /// When the session was last used, in seconds since 1970.
      let lastUse: Int64

      enum CodingKeys: String, CodingKey {
        case digest = "sha256"
        case lastUse = "last_use"
      }
    }

    /// A token, without its secret.
    struct Entry: Codable {
      let name: String
      let scope: Scope
      let made: String
      let digest: Digest

      enum CodingKeys: String, CodingKey {
        case name, scope, made
        case digest = "sha256"
      }
    }

    /// The hash of the owner's password as a PHC string.
    let password: String
    let sessions: [Session]
    let tokens: [Entry]
  }

  /// Content that was added in later versions. It is kept apart from `Content`: an older OnAir, which comes back when
  /// an update is undone, must neither find the file damaged nor mistake an operator for the owner.
  struct Additions: Codable {
    /// The hash of the operator's password as a PHC string; `nil` if there is none.
    let operatorPassword: String?
    let operatorSessions: [Content.Session]
    let operatorTokens: [Content.Entry]
    let devices: [Digest]

    enum CodingKeys: String, CodingKey {
      case operatorPassword = "operator_password"
      case operatorSessions = "operator_sessions"
      case operatorTokens = "operator_tokens"
      case devices
    }

    var isEmpty: Bool {
      operatorPassword == nil && operatorSessions.isEmpty && operatorTokens.isEmpty
        && devices.isEmpty
    }
  }

  /// The version of the file format that this program writes.
  static let currentVersion = 1

  /// The version of the file's format.
  let version: Int
  /// The content that every version of OnAir reads and writes.
  let access: Content
  /// The SHA-256 of `access`, as `bytes` encodes it.
  let checksum: Digest
  /// The content that was added in later versions of OnAir; `nil` if there is none.
  let additions: Additions?
  /// The SHA-256 of `additions`, as `bytes` encodes it; `nil` if there are none.
  let additionsChecksum: Digest?

  enum CodingKeys: String, CodingKey {
    case version, access, checksum, additions
    case additionsChecksum = "additions_checksum"
  }

  /// Whether the checksums match the content.
  fileprivate var isWhole: Bool {
    guard let content = try? AccessEnvelope.bytes(access), Digest(of: content).matches(checksum)
    else {
      return false
    }
    guard let additions else { return additionsChecksum == nil }
    guard let content = try? AccessEnvelope.bytes(additions), let additionsChecksum else {
      return false
    }
    return Digest(of: content).matches(additionsChecksum)
  }

  /// The JSON of a value, over which a checksum is computed.
  fileprivate static func bytes(_ value: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    // For the checksum, the same content must always give the same bytes.
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return Array(try encoder.encode(value))
  }
}

extension AccessRecord {
  /// - Parameters:
  ///   - envelope: the content of the file.
  ///   - now: the present time of CLOCK_MONOTONIC. The times of last use are converted from the time of day to that
  ///     clock.
  ///   - wall: the time of day at `now`, in seconds since 1970.
  /// - Returns: `nil` if the content is damaged or of another version.
  init?(_ envelope: AccessEnvelope, now: MediaTime, wall: Int64) {
    guard envelope.version == AccessEnvelope.currentVersion, envelope.isWhole,
      let password = PasswordHash(text: envelope.access.password)
    else { return nil }
    self.password = password
    let additions = envelope.additions
    if let text = additions?.operatorPassword {
      guard let hash = PasswordHash(text: text) else { return nil }
      operatorPassword = hash
    }
    devices = KnownDevices(additions?.devices ?? [])
    let all: [(AccessEnvelope.Content.Session, Scope)] =
      envelope.access.sessions.suffix(Sessions.maxCount).map { ($0, .admin) }
      + (additions?.operatorSessions ?? []).suffix(Sessions.maxCount).map { ($0, .operate) }
    // A last use in the future means that the clock was set back since then: treat it as a use right now.
    sessions = Sessions(
      all.map { session, scope in
        let age = min(
          max(0, wall.subtractingSaturated(session.lastUse)), Sessions.lifetimeNanos / .seconds(1))
        let lastUse = now - .seconds(age)
        return Sessions.Session(
          digest: session.digest, lastUse: lastUse, writtenUse: lastUse, scope: scope)
      })
    sessions.removeEnded(at: now)
    tokens = Tokens()
    for entry in envelope.access.tokens + (additions?.operatorTokens ?? []) {
      let token = Token(name: entry.name, scope: entry.scope, made: entry.made)
      guard (try? tokens.add(token, entry.digest)) != nil else { return nil }
    }
  }

  /// The content of the file for this record.
  /// - Parameters:
  ///   - now: the present time of CLOCK_MONOTONIC.
  ///   - wall: the time of day at `now`, in seconds since 1970.
  func envelope(now: MediaTime, wall: Int64) -> AccessEnvelope {
    func sessionEntries(ofOperators: Bool) -> [AccessEnvelope.Content.Session] {
      sessions.list.filter { ($0.scope == .operate) == ofOperators }.map {
        .init(digest: $0.digest, lastUse: wall - (now - $0.lastUse) / .seconds(1))
      }
    }
    func tokenEntries(ofOperators: Bool) -> [AccessEnvelope.Content.Entry] {
      tokens.list.filter { ($0.token.scope == .operate) == ofOperators }.map {
        .init(
          name: $0.token.name, scope: $0.token.scope, made: $0.token.made, digest: $0.digest)
      }
    }
    let content = AccessEnvelope.Content(
      password: password.text, sessions: sessionEntries(ofOperators: false),
      tokens: tokenEntries(ofOperators: false))
    let additions = AccessEnvelope.Additions(
      operatorPassword: operatorPassword?.text, operatorSessions: sessionEntries(ofOperators: true),
      operatorTokens: tokenEntries(ofOperators: true), devices: devices.list)
    do {
      return AccessEnvelope(
        version: AccessEnvelope.currentVersion, access: content,
        checksum: Digest(of: try AccessEnvelope.bytes(content)),
        additions: additions.isEmpty ? nil : additions,
        additionsChecksum: additions.isEmpty
          ? nil : Digest(of: try AccessEnvelope.bytes(additions)))
    } catch {
      preconditionFailure("strings and numbers cannot be written as JSON: \(error)")
    }
  }
}

extension Int64 {
  /// The difference, or the nearest Int64 if it overflows.
  fileprivate func subtractingSaturated(_ other: Int64) -> Int64 {
    let (difference, overflows) = subtractingReportingOverflow(other)
    return overflows ? (other > 0 ? .min : .max) : difference
  }
}
