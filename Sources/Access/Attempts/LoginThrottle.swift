// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Decides when a client may try a password or code again.
///
/// Each attempt counts as wrong from its beginning, so that many at once get no further than one after the other; a
/// right one is forgiven. The wrong attempts of one client make no other one wait, up to a limit for all together.
struct LoginThrottle: Sendable {
  /// Wrong attempts of a client that are answered at once.
  static let free = 5
  /// Seconds between attempts, at most.
  static let longestPause = 60
  /// After so long without an attempt a client is a new one.
  static let memory = Int64.seconds(900)
  /// Clients in the table.
  static let most = 1_024

  private struct Record {
    var wrong: Int
    var last: MediaTime

    /// When the next attempt may be made.
    var next: MediaTime {
      guard wrong >= LoginThrottle.free else { return last }
      // A shift by more than the bits of an Int is 0.
      let pause = min(1 << min(wrong - LoginThrottle.free, 30), LoginThrottle.longestPause)
      return last + .seconds(Int64(pause))
    }
  }

  /// Who makes attempts.
  private enum Client: Hashable {
    case address(Address)
    /// A browser in which somebody has logged in: the digest of its secret.
    case device([UInt8])
  }

  /// The /64s that this machine is in: see `Address.client`.
  var networks: Set<Address> = []
  private var records: [Client: Record] = [:]
  /// Addresses of the Internet. Somebody who has many of them must not keep the local network out.
  private var strangers = AttemptBudget()
  private var neighbours = AttemptBudget()
  /// First attempts in a quarter of an hour of addresses of the local network: a few devices that go on guessing do not
  /// keep the others out.
  private var newNeighbours = AttemptBudget()

  /// Clients in the table.
  var count: Int { records.count }

  /// Asks for an attempt.
  /// - Parameters:
  ///   - device: of a browser in which somebody has logged in before. It has attempts of its own: whatever other clients do,
  ///     also from its address, does not make it wait.
  ///   - isKnown: the client has a session, so the limit for all together does not count.
  /// - Returns: the seconds to wait; `nil` when the attempt may be made, which has then been counted as wrong.
  mutating func begin(
    _ caller: Caller, device: Digest? = nil, isKnown: Bool = false, at now: MediaTime
  ) -> Int? {
    guard let client = client(caller, device) else { return nil }
    var record = records[client] ?? Record(wrong: 0, last: now)
    if now - record.last >= Self.memory { record = Record(wrong: 0, last: now) }
    if record.next > now { return Self.seconds(record.next - now) }
    if !isKnown, device == nil {
      let wait = spend(caller, isFirst: record.wrong == 0, at: now)
      if wait > 0 { return Self.seconds(wait) }
    }
    if records[client] == nil { makeRoom(at: now) }
    records[client] = Record(wrong: record.wrong + 1, last: now)
    return nil
  }

  /// The attempt was right: it costs nothing, and the client's wrong ones are forgotten.
  /// - Parameter isKnown: as at its beginning.
  mutating func forgive(_ caller: Caller, device: Digest? = nil, isKnown: Bool = false) {
    guard let client = client(caller, device) else { return }
    refund(caller, isKnown: isKnown || device != nil, isFirst: records[client]?.wrong == 1)
    records[client] = nil
  }

  /// The attempt could not be examined: it was not made.
  /// - Parameter isKnown: as at its beginning.
  mutating func takeBack(_ caller: Caller, device: Digest? = nil, isKnown: Bool = false) {
    guard let client = client(caller, device) else { return }
    refund(caller, isKnown: isKnown || device != nil, isFirst: records[client]?.wrong == 1)
    guard let record = records[client] else { return }
    records[client] = record.wrong > 1 ? Record(wrong: record.wrong - 1, last: record.last) : nil
  }

  /// `nil` for the owner.
  private func client(_ caller: Caller, _ device: Digest?) -> Client? {
    guard let address = caller.address else { return nil }
    return device.map { .device($0.bytes) } ?? .address(address.client(in: networks))
  }

  private mutating func spend(_ caller: Caller, isFirst: Bool, at now: MediaTime) -> Int64 {
    guard caller.isOnLocalNetwork else { return strangers.spend(at: now) }
    return isFirst ? newNeighbours.spend(at: now) : neighbours.spend(at: now)
  }

  /// - Parameter isFirst: as `spend` was told.
  private mutating func refund(_ caller: Caller, isKnown: Bool, isFirst: Bool) {
    if isKnown { return }
    guard caller.isOnLocalNetwork else { return strangers.refund() }
    if isFirst { newNeighbours.refund() } else { neighbours.refund() }
  }

  /// Forgets a client when the table is full: one with the fewest wrong attempts, and of these the one whose last
  /// attempt is longest ago. So nobody loses a long pause by making attempts from other addresses.
  private mutating func makeRoom(at now: MediaTime) {
    guard records.count >= Self.most else { return }
    records = records.filter { now - $0.value.last < Self.memory }
    guard records.count >= Self.most else { return }
    let least = records.min { ($0.value.wrong, $0.value.last) < ($1.value.wrong, $1.value.last) }
    if let least { records[least.key] = nil }
  }

  /// Nanoseconds as seconds, rounded up.
  private static func seconds(_ nanos: Int64) -> Int { Int((nanos + 999_999_999) / 1_000_000_000) }
}
