// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CPosix
internal import Glibc

/// Watches for changes of this machine's routes, interfaces and addresses (rtnetlink(7)).
public final class RouteWatch: Sendable {
  /// The rtnetlink socket; negative if the system could not create it.
  private let descriptor: Int32

  /// If the system cannot create a socket, `hasChanged` is always `false`.
  public init() { descriptor = onair_route_watch() }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Whether anything has changed since the last call. Never blocks.
  public func hasChanged() -> Bool {
    guard descriptor >= 0 else { return false }
    var changed = false
    var bytes: UInt64 = 0
    // recv(2) discards the rest of each message. ENOBUFS: there were more messages than the buffer holds.
    while true {
      let count = unsafe recv(descriptor, &bytes, MemoryLayout<UInt64>.size, Int32(MSG_DONTWAIT))
      if count >= 0 || errno == ENOBUFS {
        changed = true
      } else if errno != EINTR {
        return changed
      }
    }
  }
}
