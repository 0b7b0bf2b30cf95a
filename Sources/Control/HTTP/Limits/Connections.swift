// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Access
internal import Base
internal import NIOCore
internal import Synchronization

/// The open connections of a listener. `Places` decides which one is closed when there are too many.
final class Connections: Sendable {
  /// The longest time, in nanoseconds from the head of a request on, for which its sender counts as waiting for the
  /// response. `ControlClient` waits as long for the answer to a command.
  static let patienceNanos = Int64.seconds(5)

  /// The open connections, under the lock of `state`.
  private struct State {
    var places: Places
    var channels: [Int: any Channel] = [:]
  }

  /// The open connections, and their places.
  private let state: Mutex<State>
  /// The clock for the ages of connections.
  private let clock: MediaClock

  /// - Parameters:
  ///   - most: the most open connections.
  ///   - reserved: how many of these are reserved for clients that are logged in. As many are reserved for clients that
  ///     are not.
  init(most: Int, reserved: Int, clock: MediaClock = .system) {
    state = Mutex(State(places: Places(most: most, reserved: reserved)))
    self.clock = clock
  }

  /// Gives a new connection a place, and closes the connection that has to make room, if one has to.
  /// - Returns: the number of the new connection.
  func enter(_ channel: any Channel) -> Int {
    let now = clock.now
    let address = channel.remoteAddress?.ipAddress.flatMap(Address.init)?.clientHere
    let (number, displaced) = state.withLock { state -> (Int, (any Channel)?) in
      let (number, closing) = state.places.enter(address, now: now)
      state.channels[number] = channel
      return (number, closing.flatMap { state.channels.removeValue(forKey: $0) })
    }
    displaced?.close(promise: nil)
    return number
  }

  /// Frees the place of a connection that has ended.
  func leave(_ number: Int) {
    state.withLock { state in
      state.places.leave(number)
      state.channels[number] = nil
    }
  }

  /// Closes all connections.
  func close() {
    for channel in state.withLock({ Array($0.channels.values) }) { channel.close(promise: nil) }
  }

  /// Notes that the exchange on a connection has reached a stage.
  func set(_ stage: Places.Stage, of number: Int) {
    let now = clock.now
    state.withLock { $0.places.set(stage, of: number, now: now) }
  }

  /// Notes that a request has shown that the client is logged in.
  func noteLogin(of number: Int, _ credential: Credential) {
    state.withLock { $0.places.noteLogin(of: number, credential) }
  }

  /// Whether the sender of the request that is being answered on a connection may still wait for the response.
  func isWaiting(_ channel: any Channel) -> Bool {
    let now = clock.now
    return state.withLock { state in
      guard let number = state.channels.first(where: { $0.value === channel })?.key,
        let age = state.places.age(of: number, now: now)
      else { return false }
      return age <= Connections.patienceNanos
    }
  }
}
