// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Decides when a client may try a password or a code again. Reads no clock and does no I/O: the time is passed in.
///
/// An attempt counts as wrong from its beginning, so that a client gains nothing by many attempts at once. An attempt
/// that turns out to be right is then taken out of the count. The wrong attempts of one client make no other client
/// wait, up to a limit for all clients together.
struct LoginThrottle: Sendable {
  /// Wrong attempts that a client may make without a pause.
  static let freeAttempts = 5
  /// The longest pause between two attempts of a client, in seconds.
  static let longestPauseSeconds = 60
  /// Nanoseconds without an attempt after which the wrong attempts of a client are forgotten.
  static let forgetAfterNanos = Int64.seconds(900)
  /// The most clients whose attempts are remembered.
  static let maxClients = 1_024

  /// The number of a client's wrong attempts, and the time of the last one.
  private struct Record {
    var wrongCount: Int
    var last: MediaTime

    /// When the client may make its next attempt.
    var next: MediaTime {
      guard wrongCount >= LoginThrottle.freeAttempts else { return last }
      // The shift is limited: by 64 bits or more it would give 0.
      let pause = min(
        1 << min(wrongCount - LoginThrottle.freeAttempts, 30), LoginThrottle.longestPauseSeconds)
      return last + .seconds(Int64(pause))
    }
  }

  /// The identity of a client, by which its attempts are counted.
  private enum Client: Hashable {
    case address(Address)
    /// A browser in which somebody has logged in, by the digest of its device secret.
    case device([UInt8])
  }

  /// The /64 networks that this machine is in: see `Address.client(in:)`.
  var networks: Set<Address> = []
  /// The wrong attempts of each client that has made any.
  private var records: [Client: Record] = [:]
  /// The attempts that all clients outside the local network may still make together. The budget is separate, so that
  /// an attacker with many addresses cannot keep the local network out.
  private var strangerBudget = AttemptBudget()
  /// The attempts that clients on the local network may still make together if they have made one or more attempts in
  /// the last quarter of an hour.
  private var neighbourBudget = AttemptBudget()
  /// The attempts that clients on the local network may still make together if they have made none in the last quarter
  /// of an hour. The budget is separate, so that a few devices that go on guessing cannot keep other devices out.
  private var newNeighbourBudget = AttemptBudget()

  /// The number of clients whose attempts are remembered.
  var count: Int { records.count }

  /// Begins an attempt, unless the client has to wait.
  /// - Parameters:
  ///   - device: the digest of the device secret of a browser in which somebody has logged in before. The attempts of
  ///     such a browser are counted apart: whatever other clients do, even at its address, does not make it wait.
  ///   - isKnown: whether the client has a session. Then the limit for all clients together does not count.
  /// - Returns: the seconds to wait; `nil` when the attempt may be made. The attempt then counts as wrong until
  ///   `forgive` or `refund` is called.
  mutating func beginAttempt(
    _ caller: Caller, device: Digest? = nil, isKnown: Bool = false, at now: MediaTime
  ) -> Int? {
    guard let client = client(caller, device) else { return nil }
    var record = records[client] ?? Record(wrongCount: 0, last: now)
    if now - record.last >= Self.forgetAfterNanos { record = Record(wrongCount: 0, last: now) }
    if record.next > now { return Self.seconds(record.next - now) }
    if !isKnown, device == nil {
      let wait = spend(caller, isFirst: record.wrongCount == 0, at: now)
      if wait > 0 { return Self.seconds(wait) }
    }
    if records[client] == nil { makeRoom(at: now) }
    records[client] = Record(wrongCount: record.wrongCount + 1, last: now)
    return nil
  }

  /// Notes that the last attempt of a client was right: all attempts of that client are forgotten.
  /// - Parameter isKnown: the same value as in the call of `beginAttempt`.
  mutating func forgive(_ caller: Caller, device: Digest? = nil, isKnown: Bool = false) {
    guard let client = client(caller, device) else { return }
    refundBudget(
      caller, isKnown: isKnown || device != nil, isFirst: records[client]?.wrongCount == 1)
    records[client] = nil
  }

  /// Takes the client's last attempt out of the count, but no earlier one. For an attempt that could not be checked, or
  /// that was right but does not show that the client knows the owner's password.
  /// - Parameter isKnown: the same value as in the call of `beginAttempt`.
  mutating func refund(_ caller: Caller, device: Digest? = nil, isKnown: Bool = false) {
    guard let client = client(caller, device) else { return }
    refundBudget(
      caller, isKnown: isKnown || device != nil, isFirst: records[client]?.wrongCount == 1)
    guard let record = records[client] else { return }
    records[client] =
      record.wrongCount > 1
      ? Record(wrongCount: record.wrongCount - 1, last: record.last) : nil
  }

  /// The client as which a caller is counted; `nil` for the owner, whose attempts are not limited.
  private func client(_ caller: Caller, _ device: Digest?) -> Client? {
    guard let address = caller.address else { return nil }
    return device.map { .device($0.bytes) } ?? .address(address.client(in: networks))
  }

  /// Takes an attempt from the budget that the caller shares with others. Returns the nanoseconds to wait; 0 when the
  /// attempt has been taken.
  /// - Parameter isFirst: whether no attempts of the caller are remembered.
  private mutating func spend(_ caller: Caller, isFirst: Bool, at now: MediaTime) -> Int64 {
    guard caller.isOnLocalNetwork else { return strangerBudget.spend(at: now) }
    return isFirst ? newNeighbourBudget.spend(at: now) : neighbourBudget.spend(at: now)
  }

  /// Gives an attempt back to the budget from which `spend` has taken it.
  /// - Parameters:
  ///   - isKnown: whether `spend` was not called for the attempt, since the client is known.
  ///   - isFirst: the same value as in the call of `spend`.
  private mutating func refundBudget(_ caller: Caller, isKnown: Bool, isFirst: Bool) {
    if isKnown { return }
    guard caller.isOnLocalNetwork else { return strangerBudget.refund() }
    if isFirst { newNeighbourBudget.refund() } else { neighbourBudget.refund() }
  }

  /// If `maxClients` clients are remembered, forgets all clients that have made no attempt within `forgetAfterNanos`.
  /// If there is no such client, forgets the client with the fewest wrong attempts; of several with equally few, the
  /// one whose last attempt is longest ago. So an attacker cannot get rid of a long pause by making attempts from many
  /// other addresses.
  private mutating func makeRoom(at now: MediaTime) {
    guard records.count >= Self.maxClients else { return }
    records = records.filter { now - $0.value.last < Self.forgetAfterNanos }
    guard records.count >= Self.maxClients else { return }
    let least = records.min {
      ($0.value.wrongCount, $0.value.last) < ($1.value.wrongCount, $1.value.last)
    }
    if let least { records[least.key] = nil }
  }

  /// Nanoseconds as seconds, rounded up.
  private static func seconds(_ nanos: Int64) -> Int { Int((nanos + 999_999_999) / 1_000_000_000) }
}
