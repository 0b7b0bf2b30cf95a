// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CGuest
internal import Glibc
internal import Synchronization

/// The service manager's socket at which it starts a reader for each connection (systemd/onair-guest.socket).
final class GuestService: Sendable {
  /// How many readers in a row that do not begin show that the service manager cannot start them.
  private static let mostFailures = 3

  /// `nil` where no service manager starts readers.
  static let ofEnvironment = unsafe getenv("ONAIR_GUEST_READERS").map {
    GuestService(at: unsafe String(cString: $0))
  }

  private let path: String
  private let failures = Atomic(0)

  init(at path: String) { self.path = path }

  /// Whether it has not started the last readers.
  var hasFailed: Bool { failures.load(ordering: .relaxed) >= GuestService.mostFailures }

  /// Asks for a reader.
  /// - Parameter given: the descriptors that it gets besides the control socket.
  /// - Returns: OnAir's end of the control socket; `nil` if nobody listens.
  func call(_ given: [Int32]) -> Int32? {
    let control = unsafe onair_guest_call(path, given, given.count)
    return control < 0 ? nil : control
  }

  /// Notes the end of a reader.
  /// - Parameter hasBegun: whether it has run at all.
  func note(hasBegun: Bool) {
    if hasBegun {
      failures.store(0, ordering: .relaxed)
    } else {
      failures.add(1, ordering: .relaxed)
    }
  }
}
