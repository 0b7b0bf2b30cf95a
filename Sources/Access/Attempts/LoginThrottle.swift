// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Decides when a client may try a password or a code again. Reads no clock and does no I/O: the time is passed in.
///
/// An attempt counts as wrong from its beginning, so that a client gains nothing by many attempts at once. An attempt
/// that turns out to be right does not count any more. The wrong attempts of one client make no other client wait, up
/// to a limit for all clients together.
struct LoginThrottle: Sendable {
  /// Wrong attempts that a client may make without a pause.
  static let free = 5
  /// The longest pause between two attempts of a client, in seconds.
  static let longestPause = 60
  /// Nanoseconds without an attempt after which the wrong attempts of a client are forgotten.
  static let memory = Int64.seconds(900)
  /// The most clients whose attempts are remembered.
  static let most = 1_024

  private struct Record {
    var wrong: Int
    var last: MediaTime

    /// When the client may make its next attempt.
    var next: MediaTime {
      guard wrong >= LoginThrottle.free else { return last }
      // A shift by more than the bits of an Int is 0.
      let pause = min(1 << min(wrong - LoginThrottle.free, 30), LoginThrottle.longestPause)
      return last + .seconds(Int64(pause))
    }
  }

  /// A client, as its attempts are counted.
  private enum Client: Hashable {
    case address(Address)
    /// A browser in which somebody has logged in, by the digest of its device secret.
    case device([UInt8])
  }

  /// The /64 networks that this machine is in: see `Address.client(in:)`.
  var networks: Set<Address> = []
  private var records: [Client: Record] = [:]
  /// The budget for clients outside the local network. It is a separate one: an attacker with many addresses must not
  /// keep the local network out.
  private var strangers = AttemptBudget()
  /// The budget for clients on the local network, from their second attempt on.
  private var neighbours = AttemptBudget()
  /// The budget for clients on the local network that have made no attempt for a quarter of an hour: a few devices that
  /// go on guessing do not keep the others out.
  private var newNeighbours = AttemptBudget()

  /// The number of clients whose attempts are remembered.
  var count: Int { records.count }

  /// Begins an attempt, unless the client has to wait.
  /// - Parameters:
  ///   - device: the digest of the device secret of a browser in which somebody has logged in before. The attempts of
  ///     such a browser are counted apart: whatever other clients do, even at its address, does not make it wait.
  ///   - isKnown: whether the client has a session. Then the limit for all clients together does not count.
  /// - Returns: the seconds to wait; `nil` when the attempt may be made. It then counts as wrong until `forgive` or
  ///   `takeBack` is called.
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

  /// Notes that an attempt was right: it does not count, and the wrong attempts of the client are forgotten.
  /// - Parameter isKnown: the value that `begin` got.
  mutating func forgive(_ caller: Caller, device: Digest? = nil, isKnown: Bool = false) {
    guard let client = client(caller, device) else { return }
    refund(caller, isKnown: isKnown || device != nil, isFirst: records[client]?.wrong == 1)
    records[client] = nil
  }

  /// Takes the client's last attempt out of the count, but none before it: the attempt could not be checked, or does
  /// not show that the client knows the owner's password.
  /// - Parameter isKnown: the value that `begin` got.
  mutating func takeBack(_ caller: Caller, device: Digest? = nil, isKnown: Bool = false) {
    guard let client = client(caller, device) else { return }
    refund(caller, isKnown: isKnown || device != nil, isFirst: records[client]?.wrong == 1)
    guard let record = records[client] else { return }
    records[client] = record.wrong > 1 ? Record(wrong: record.wrong - 1, last: record.last) : nil
  }

  /// The client as which a caller is counted; `nil` for the owner, whose attempts are not limited.
  private func client(_ caller: Caller, _ device: Digest?) -> Client? {
    guard let address = caller.address else { return nil }
    return device.map { .device($0.bytes) } ?? .address(address.client(in: networks))
  }

  private mutating func spend(_ caller: Caller, isFirst: Bool, at now: MediaTime) -> Int64 {
    guard caller.isOnLocalNetwork else { return strangers.spend(at: now) }
    return isFirst ? newNeighbours.spend(at: now) : neighbours.spend(at: now)
  }

  /// Gives an attempt back to the budget from which `spend` has taken it.
  /// - Parameter isFirst: the value that `spend` got.
  private mutating func refund(_ caller: Caller, isKnown: Bool, isFirst: Bool) {
    if isKnown { return }
    guard caller.isOnLocalNetwork else { return strangers.refund() }
    if isFirst { newNeighbours.refund() } else { neighbours.refund() }
  }

  /// Forgets clients when there are `most`: all without an attempt within `memory`; if there are none, one with the
  /// fewest wrong attempts, and of these the one whose last attempt is longest ago. So nobody loses a long pause by
  /// making attempts from other addresses.
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
