// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// The sessions of those who are logged in, with the digests of the secrets in their cookies.
///
/// The age of a session is measured by CLOCK_MONOTONIC: a board without a battery-backed clock sets its time of day
/// after it has started, and nobody should be logged out by that.
struct Sessions: Sendable {
  /// The maximum number of operators' sessions (scope `operate`), and also of all other sessions. The two kinds are
  /// counted separately, so that an operator cannot end the owner's sessions.
  static let maxCount = 32
  /// The time without a use after which a session ends, in nanoseconds.
  static let lifetimeNanos = Int64.seconds(30 * 86_400)
  /// The longest time in nanoseconds by which a session's last use on the disk may lag behind its true last use: not
  /// each use is written.
  static let maxLagNanos = Int64.seconds(86_400)

  /// A session of a client that has logged in.
  struct Session: Sendable {
    let digest: Digest
    var lastUse: MediaTime
    /// The time of last use that is stored on the disk; may be earlier than `lastUse`.
    var writtenUse: MediaTime
    /// The rights of the session, which depend on the password with which it was begun.
    var scope = Scope.admin
  }

  /// All sessions. Some may have ended without being removed yet.
  private(set) var list: [Session] = []

  init() {}

  init(_ list: [Session]) { self.list = list }

  /// Adds a session. If there are `maxCount` sessions of its kind (operators' or others) already, the least recently
  /// used one of that kind ends.
  mutating func add(_ digest: Digest, _ scope: Scope = .admin, at now: MediaTime) {
    removeEnded(at: now)
    let alike = list.indices.filter { (list[$0].scope == .operate) == (scope == .operate) }
    if alike.count >= Self.maxCount,
      let oldest = alike.min(by: { list[$0].lastUse < list[$1].lastUse })
    {
      list.remove(at: oldest)
    }
    list.append(Session(digest: digest, lastUse: now, writtenUse: now, scope: scope))
  }

  /// Notes a use of the session with this digest.
  /// - Returns: what the session may do, and whether the use should be written to the disk; `nil` if there is no such
  ///   session.
  mutating func use(_ digest: Digest, at now: MediaTime) -> (scope: Scope, isDue: Bool)? {
    guard let index = index(of: digest, at: now) else { return nil }
    list[index].lastUse = now
    return (list[index].scope, now - list[index].writtenUse >= Self.maxLagNanos)
  }

  /// Whether there is a session whose secret has this digest, and that has not ended.
  func contains(_ digest: Digest, at now: MediaTime) -> Bool { index(of: digest, at: now) != nil }

  /// Ends the session whose secret has this digest, if there is one.
  mutating func remove(_ digest: Digest) { list.removeAll { $0.digest.matches(digest) } }

  /// Ends all sessions but the one whose secret has this digest; all of them for `nil`.
  mutating func removeAll(except digest: Digest?) {
    list.removeAll { session in !(digest.map { $0.matches(session.digest) } ?? false) }
  }

  /// Ends all sessions with this scope.
  mutating func removeAll(of scope: Scope) { list.removeAll { $0.scope == scope } }

  /// Removes the sessions that were not used for `lifetimeNanos`.
  mutating func removeEnded(at now: MediaTime) {
    list.removeAll { now - $0.lastUse >= Self.lifetimeNanos }
  }

  /// Takes over the times of last use in `others` that are later: sessions may have been used since this value was
  /// copied from `others`.
  mutating func mergeLastUses(of others: Sessions) {
    for index in list.indices {
      guard let other = others.list.first(where: { $0.digest.matches(list[index].digest) })
      else { continue }
      list[index].lastUse = max(list[index].lastUse, other.lastUse)
    }
  }

  /// Notes that all uses until now are stored on the disk.
  mutating func noteWritten() {
    for index in list.indices { list[index].writtenUse = list[index].lastUse }
  }

  /// The index in `list` of the session whose secret has this digest; `nil` if there is none, or it has ended.
  private func index(of digest: Digest, at now: MediaTime) -> Int? {
    // Compare with every entry, so that the time that this takes does not reveal which entry matches.
    let matching = list.indices.filter { list[$0].digest.matches(digest) }
    return matching.first { now - list[$0].lastUse < Self.lifetimeNanos }
  }
}
