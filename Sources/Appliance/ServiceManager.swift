// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import Posix

/// Sends status datagrams to the service manager's socket NOTIFY_SOCKET (sd_notify(3)). Does nothing if the environment
/// has no NOTIFY_SOCKET.
public struct ServiceManager: Sendable {
  /// The address of the socket NOTIFY_SOCKET; `nil` if the environment names none.
  private let address: UnixSocketAddress?
  /// Nanoseconds between two keep-alives for the watchdog; `nil` if there is no watchdog.
  public let watchdogNanos: Int64?

  public init(environment: [String: String]) {
    address = environment["NOTIFY_SOCKET"].flatMap { UnixSocketAddress($0) }
    let isForUs = environment["WATCHDOG_PID"].map { $0 == "\(getpid())" } ?? true
    let limit = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
    // Half the limit, as sd_watchdog_enabled(3) advises. More than a day counts as no watchdog.
    watchdogNanos = isForUs && (1...86_400_000_000).contains(limit) ? limit * 1_000 / 2 : nil
  }

  /// Sends a status, without waiting for the service manager.
  /// - Parameter state: "READY=1", "STOPPING=1", "WATCHDOG=1" or "STATUS=…".
  public func notify(_ state: String) {
    guard let address else { return }
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    // Ignore errors: the service manager may have ended, or may not read.
    try? address.send(Array(state.utf8), from: descriptor)
  }
}
