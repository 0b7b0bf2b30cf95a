// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Access
internal import Base

/// Decides which connection is closed when there are more connections than places. Reads no clock and does no I/O: the
/// time is passed in.
///
/// A new connection gets in, and a connection of the client that has the most connections is closed, so that a client
/// that floods the box displaces its own connections. Clients that are logged in are told apart by session or token,
/// the others by address. A few places are reserved for clients that are logged in, and as many for clients that are
/// not.
struct Places {
  /// The stage of the exchange on a connection.
  enum Stage {
    /// The connection is between two requests, or before the first.
    case idle
    /// The head of a request has arrived, and its body is arriving.
    case receiving
    /// The request has arrived completely, and its response has not begun.
    case working
    /// The response is being sent.
    case answering
  }

  /// Nanoseconds after its start in which a connection is not closed if another one can be closed instead.
  static let graceNanos = Int64.seconds(1)

  /// An open connection.
  private struct Entry {
    let address: Address?
    let openedAt: MediaTime
    /// When the connection was made, last received the head of a request, or last became idle, whichever came last.
    var since: MediaTime
    var stage = Stage.idle
    /// The session or token of the client; `nil` until a request has shown one.
    var credential: Credential?
  }

  /// The order in which the connections of the client that has the most are closed: first idle ones, then those with a
  /// request or response in transfer, then those younger than `graceNanos`, last those that wait for a response.
  private enum ClosingOrder: Comparable {
    case idle, busy, new, working
  }

  /// The number of places: the most open connections.
  private let most: Int
  /// The number of places that are reserved for clients that are logged in, and as many again for other clients.
  private let reserved: Int
  /// The open connections, by their numbers.
  private var entries: [Int: Entry] = [:]
  /// The number of the newest connection; 0 before the first.
  private var lastNumber = 0

  /// - Parameters:
  ///   - most: the number of places: the most open connections.
  ///   - reserved: how many of the places are reserved for clients that are logged in. As many are reserved for clients
  ///     that are not.
  init(most: Int, reserved: Int) {
    self.most = most
    self.reserved = reserved
  }

  /// The number of open connections.
  var count: Int { entries.count }

  /// Adds a new connection.
  /// - Parameter address: the client's address, from `Address.clientHere`; `nil` on a Unix socket, all clients of which
  ///   count as one.
  /// - Returns: the number of the new connection, and the number of the connection that has to be closed, which may be
  ///   the new one; `nil` if none has to be.
  mutating func enter(_ address: Address?, now: MediaTime) -> (number: Int, closing: Int?) {
    lastNumber += 1
    let number = lastNumber
    let victim = victim(for: number, now: now)
    entries[number] = Entry(address: address, openedAt: now, since: now)
    if let victim { entries[victim] = nil }
    return (number, victim)
  }

  /// Frees the place of a connection that has ended.
  mutating func leave(_ number: Int) { entries[number] = nil }

  /// Notes that the exchange on a connection has reached a stage.
  mutating func set(_ stage: Stage, of number: Int, now: MediaTime) {
    // Ignore the end of a request that arrives after its response has begun.
    if stage == .working, entries[number]?.stage != .receiving { return }
    entries[number]?.stage = stage
    if stage == .receiving || stage == .idle { entries[number]?.since = now }
  }

  /// Notes that a request has shown that the client is logged in.
  mutating func noteLogin(of number: Int, _ credential: Credential) {
    entries[number]?.credential = credential
  }

  /// Nanoseconds since a connection was made, last received the head of a request, or last became idle, whichever came
  /// last; `nil` if the connection is closed.
  func age(of number: Int, now: MediaTime) -> Int64? { entries[number].map { now - $0.since } }

  /// The connection that has to be closed so that the connection `number` can get in; `nil` if there is a free place.
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
    // No client that is logged in has more than one connection, and none of their connections is idle. So close a
    // connection of a client that is not logged in, or else the new connection.
    return stranger ?? number
  }

  /// The connections of the client that has the most (`size`). If several clients have that number, the connections of
  /// all of them.
  private static func largest<Holder: Hashable>(
    _ entries: [Int: Entry], by holder: (Entry) -> Holder
  ) -> (crowd: [Int: Entry], size: Int) {
    let sizes = Dictionary(grouping: entries.values, by: holder).mapValues(\.count)
    let size = sizes.values.max() ?? 0
    return (entries.filter { sizes[holder($0.value)] == size }, size)
  }

  /// The connection of `crowd` to close first; `nil` if `crowd` is empty.
  private static func first(of crowd: [Int: Entry], now: MediaTime) -> Int? {
    func key(_ number: Int, _ entry: Entry) -> (ClosingOrder, MediaTime, Int) {
      if entry.stage == .working { return (.working, entry.since, number) }
      // The grace time counts from the start of the connection: a request does not renew it.
      if now - entry.openedAt < graceNanos { return (.new, entry.openedAt, number) }
      return (entry.stage == .idle ? .idle : .busy, entry.since, number)
    }
    return crowd.min { key($0.key, $0.value) < key($1.key, $1.value) }?.key
  }
}
