// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// A change of the network while it is tried: it has to work, and where it may have cut a person off, to be confirmed.
/// Pure: the caller passes the time.
struct NetworkTrial: Sendable, Equatable {
  enum Kind: Sendable, Equatable {
    case wifi(String)
    case address(String)
  }

  /// The saved connection that is tried.
  enum Connection: Sendable, Equatable {
    /// It was there.
    case saved(String)
    /// It is new, and goes if it does not work.
    case added(String)
    /// It was there, with these settings.
    case changed(String, from: BusValue)

    var path: String {
      switch self {
      case .saved(let path), .added(let path), .changed(let path, _): path
      }
    }

    var added: String? { if case .added(let path) = self { path } else { nil } }
  }

  /// NetworkManager itself gives up an address after 45 s, and then says why.
  static let patience = Int64.seconds(60)
  /// How long a person has to confirm.
  static let confirmation = Int64.seconds(60)

  enum Verdict: Equatable {
    case wait
    /// It works, and nobody has to confirm it.
    case done
    /// It works; it is kept if somebody confirms it.
    case unconfirmed
    case failed(String)
    /// It was not confirmed in time.
    case undo
  }

  let number: Int
  let kind: Kind
  /// The path of the device.
  let device: String
  /// The active connection that the change has made.
  let active: String
  /// Takes everything back; `nil` where there was nothing to go back to.
  let checkpoint: String?
  let connection: Connection
  let startedAt: MediaTime
  /// Since when it works and waits for somebody.
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

  /// Seconds until it is undone; `nil` unless it waits to be confirmed.
  func secondsLeft(_ now: MediaTime) -> Int? {
    worksSince.map { Int(max(0, $0 + NetworkTrial.confirmation - now) / 1_000_000_000) }
  }

  /// Judges whether the change works, still has time, waits to be confirmed, has failed, or must be undone.
  /// - Parameter failure: why the device has failed since the change, as a sentence; `nil` if it has not.
  mutating func judge(_ view: NetworkView, failure: String?, now: MediaTime) -> Verdict {
    if let worksSince {
      return now - worksSince >= NetworkTrial.confirmation ? .undo : .wait
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
    guard now - startedAt >= NetworkTrial.patience else { return .wait }
    switch kind {
    case .wifi(let name): return .failed(Failure.other.sentence("the Wi-Fi \(name)", wifi: name))
    case .address(let interface): return .failed("\(interface) does not work with that address.")
    }
  }
}
