// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import Media

/// What a box with a password keeps.
struct AccessRecord: Sendable {
  var password: PasswordHash
  var sessions = Sessions()
  var tokens = Tokens()

  /// The file is not what this program writes.
  struct Malformed: Error {}
}

/// The file's JSON. A checksum covers all of it: a bit that the disk has lost must not turn one scope into another, or
/// a password into none.
private struct Envelope: Codable {
  struct Content: Codable {
    struct Session: Codable {
      let digest: Digest
      /// Seconds since 1970.
      let lastUse: Int64

      enum CodingKeys: String, CodingKey {
        case digest = "sha256"
        case lastUse = "last_use"
      }
    }

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

    /// PHC string.
    let password: String
    let sessions: [Session]
    let tokens: [Entry]
  }

  /// Of this form of the file.
  static let currentVersion = 1

  let version: Int
  let access: Content
  /// Of `access` as `JSONEncoder` writes it here.
  let checksum: Digest

  static func bytes(_ value: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    // The same content has to give the same bytes.
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return Array(try encoder.encode(value))
  }
}

extension AccessRecord {
  /// - Parameters:
  ///   - bytes: of the file.
  ///   - now: to convert the times of last uses, with `wall`.
  ///   - wall: the time of day at `now`, in seconds since 1970.
  init(json bytes: [UInt8], now: MediaTime, wall: Int64) throws(Malformed) {
    guard let envelope = try? JSONDecoder().decode(Envelope.self, from: Data(bytes)),
      envelope.version == Envelope.currentVersion,
      let content = try? Envelope.bytes(envelope.access),
      Digest(of: content).matches(envelope.checksum),
      let password = PasswordHash(text: envelope.access.password)
    else { throw Malformed() }
    self.password = password
    // A clock that was set back since then makes a use one of the future: it counts as one of now.
    sessions = Sessions(
      envelope.access.sessions.suffix(Sessions.most).map { session in
        let age = min(
          max(0, wall.subtractingSaturated(session.lastUse)), Sessions.life / .seconds(1))
        let lastUse = now - .seconds(age)
        return Sessions.Session(digest: session.digest, lastUse: lastUse, writtenUse: lastUse)
      })
    sessions.removeEnded(at: now)
    tokens = Tokens()
    for entry in envelope.access.tokens {
      let token = Token(name: entry.name, scope: entry.scope, made: entry.made)
      do throws(AccessError) {
        try tokens.add(token, entry.digest)
      } catch {
        throw Malformed()
      }
    }
  }

  /// The bytes of the file.
  func json(now: MediaTime, wall: Int64) -> [UInt8] {
    let content = Envelope.Content(
      password: password.text,
      sessions: sessions.list.map {
        .init(digest: $0.digest, lastUse: wall - (now - $0.lastUse) / .seconds(1))
      },
      tokens: tokens.list.map {
        .init(
          name: $0.token.name, scope: $0.token.scope, made: $0.token.made, digest: $0.digest)
      })
    do {
      let checksum = Digest(of: try Envelope.bytes(content))
      return try Envelope.bytes(
        Envelope(version: Envelope.currentVersion, access: content, checksum: checksum))
    } catch {
      preconditionFailure("strings and numbers cannot be written as JSON: \(error)")
    }
  }
}

extension Int64 {
  fileprivate func subtractingSaturated(_ other: Int64) -> Int64 {
    let (difference, overflows) = subtractingReportingOverflow(other)
    return overflows ? (other > 0 ? .min : .max) : difference
  }
}
