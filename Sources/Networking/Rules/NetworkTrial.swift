// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// A change of the network that is being tried. It is kept if it works. A change that may have cut off the person who
/// has requested it must also be confirmed. Reads no clock and does no I/O: the time is passed in.
struct NetworkTrial: Sendable, Equatable {
  /// The kind of the change: to join the Wi-Fi of this name, or to give the interface of this name another address.
  enum Kind: Sendable, Equatable {
    case wifi(String)
    case address(String)
  }

  /// The saved connection that the change activates: an old one, a new one, or an old one with new settings.
  enum Connection: Sendable, Equatable {
    /// A connection that was there before, with unchanged settings. The value is its object path.
    case saved(String)
    /// A new connection, which is deleted if it does not work. The value is its object path.
    case added(String)
    /// A connection that was there before, and has new settings. The values are its object path and its settings before
    /// the change.
    case changed(String, from: BusValue)

    var path: String {
      switch self {
      case .saved(let path), .added(let path), .changed(let path, _): path
      }
    }

    var added: String? { if case .added(let path) = self { path } else { nil } }
  }

  /// Nanoseconds after which a change that does not work yet counts as failed. This is more than the 45 s after which
  /// NetworkManager stops waiting for an address and reports the failure.
  static let workTimeout = Int64.seconds(60)
  /// Nanoseconds within which a person has to confirm a change.
  static let confirmationTimeout = Int64.seconds(60)

  /// The result of judging the change.
  enum Verdict: Equatable {
    /// The change still has time to work or to be confirmed.
    case wait
    /// The change works, and nobody has to confirm it.
    case done
    /// The change works, and is kept if somebody confirms it.
    case unconfirmed
    /// The change does not work; the sentence says why.
    case failed(String)
    /// The change was not confirmed in time, and has to be undone.
    case undo
  }

  /// The number of the change, as the API sends it.
  let number: Int
  /// Whether the change joins a Wi-Fi or sets the address of an interface.
  let kind: Kind
  /// The object path of the device that joins the network or gets the address.
  let device: String
  /// The object path of the active connection that the change has started.
  let active: String
  /// The object path of NetworkManager's checkpoint, to which the network can be rolled back; `nil` if the box was in
  /// no network through the device.
  let checkpoint: String?
  /// The saved connection that the change activates.
  let connection: Connection
  /// When the trial began.
  let startedAt: MediaTime
  /// Since when the change works and waits to be confirmed; `nil` while it does not work yet.
  private(set) var worksSince: MediaTime?

  init(
    number: Int, kind: Kind, device: String, active: String, checkpoint: String?,
    connection: Connection, now: MediaTime
  ) {
    self.number = number
    self.kind = kind
    self.device = device
    self.active = active
    self.checkpoint = checkpoint
    self.connection = connection
    startedAt = now
  }

  /// Seconds until the change is undone; `nil` unless it waits to be confirmed.
  func secondsLeft(_ now: MediaTime) -> Int? {
    worksSince.map { Int(max(0, $0 + NetworkTrial.confirmationTimeout - now) / 1_000_000_000) }
  }

  /// Judges whether the change works, has failed or has to be undone. To be called after each reading of
  /// NetworkManager's state.
  /// - Parameter failure: why the device could not join the network, as a sentence; `nil` if it has not failed.
  mutating func judge(_ view: NetworkView, failure: String?, now: MediaTime) -> Verdict {
    if let worksSince {
      return now - worksSince >= NetworkTrial.confirmationTimeout ? .undo : .wait
    }
    if let failure { return .failed(failure) }
    let works = view.devices.contains {
      $0.path == device && $0.state == .connected && $0.active == active && !$0.addresses.isEmpty
    }
    if works {
      guard checkpoint != nil else { return .done }
      worksSince = now
      return .unconfirmed
    }
    guard now - startedAt >= NetworkTrial.workTimeout else { return .wait }
    switch kind {
    case .wifi(let name): return .failed(Failure.other.sentence("the Wi-Fi \(name)", wifi: name))
    case .address(let interface): return .failed("\(interface) does not work with that address.")
    }
  }
}
