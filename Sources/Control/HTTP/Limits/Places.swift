// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Access
internal import Base

/// Who may stay connected when there are more clients than places. Pure: the caller passes the time.
///
/// A new client gets in, and one of whoever has most connections goes for it, so that a crowd drives out itself. Clients
/// that are not logged in count by address, those that are by session or token. A few places are kept for either kind.
struct Places {
  /// What happens on a connection.
  enum Stage {
    /// Between two requests, or before the first.
    case idle
    /// A request is coming.
    case receiving
    /// The request is whole, and its answer has not begun.
    case working
    case answering
  }

  /// Nobody goes so soon after coming, if anybody else can.
  static let graceNanos = Int64.seconds(1)

  private struct Entry {
    let address: Address?
    let came: MediaTime
    /// When it came, or last began or ended a request.
    var since: MediaTime
    var stage = Stage.idle
    /// `nil` until it is logged in.
    var credential: Credential?
  }

  /// The order in which the connections of a crowd go. The last ones wait for the server, not for their client.
  private enum Turn: Comparable {
    case idle, busy, new, working
  }

  private let most: Int
  private let reserved: Int
  private var entries: [Int: Entry] = [:]
  private var lastNumber = 0

  /// - Parameters:
  ///   - most: places.
  ///   - reserved: of these, how many only clients that are logged in may take, and how many they leave to others.
  init(most: Int, reserved: Int) {
    self.most = most
    self.reserved = reserved
  }

  var count: Int { entries.count }

  /// A client has come.
  /// - Parameter address: what counts as one client; `nil` for all on a Unix socket.
  /// - Returns: its number, and the number of the one that has to go for it; that may be itself.
  mutating func enter(_ address: Address?, now: MediaTime) -> (number: Int, leaves: Int?) {
    lastNumber += 1
    let number = lastNumber
    let victim = victim(for: number, now: now)
    entries[number] = Entry(address: address, came: now, since: now)
    if let victim { entries[victim] = nil }
    return (number, victim)
  }

  mutating func leave(_ number: Int) { entries[number] = nil }

  mutating func set(_ stage: Stage, of number: Int, now: MediaTime) {
    // The rest of a request may come after its answer has begun.
    if stage == .working, entries[number]?.stage != .receiving { return }
    entries[number]?.stage = stage
    if stage == .receiving || stage == .idle { entries[number]?.since = now }
  }

  /// A request has shown that the client is logged in.
  mutating func know(_ number: Int, _ credential: Credential) {
    entries[number]?.credential = credential
  }

  /// Nanoseconds since it came, or last began or ended a request; `nil` if it has gone.
  func age(of number: Int, now: MediaTime) -> Int64? { entries[number].map { now - $0.since } }

  private func victim(for number: Int, now: MediaTime) -> Int? {
    let unknown = entries.filter { $0.value.credential == nil }
    let known = entries.filter { $0.value.credential != nil }
    guard unknown.count >= most - reserved || entries.count >= most else { return nil }
    let (crowd, _) = Places.largest(unknown, by: \.address)
    let stranger = Places.first(of: crowd, now: now)
    if let stranger, unknown.count >= reserved || known.isEmpty { return stranger }
    let (knownCrowd, size) = Places.largest(known, by: \.credential)
    if let victim = Places.first(of: knownCrowd, now: now),
      size > 1 || entries[victim]?.stage == .idle
    {
      return victim
    }
    // Nobody has too many, and all are at work.
    return stranger ?? number
  }

  /// The connections of whoever has most; of several, of all of them.
  private static func largest<Holder: Hashable>(
    _ entries: [Int: Entry], by holder: (Entry) -> Holder
  ) -> (crowd: [Int: Entry], size: Int) {
    let sizes = Dictionary(grouping: entries.values, by: holder).mapValues(\.count)
    let size = sizes.values.max() ?? 0
    return (entries.filter { sizes[holder($0.value)] == size }, size)
  }

  private static func first(of crowd: [Int: Entry], now: MediaTime) -> Int? {
    func key(_ number: Int, _ entry: Entry) -> (Turn, MediaTime, Int) {
      if entry.stage == .working { return (.working, entry.since, number) }
      // Requests do not make a new connection newer.
      if now - entry.came < graceNanos { return (.new, entry.came, number) }
      return (entry.stage == .idle ? .idle : .busy, entry.since, number)
    }
    return crowd.min { key($0.key, $0.value) < key($1.key, $1.value) }?.key
  }
}
