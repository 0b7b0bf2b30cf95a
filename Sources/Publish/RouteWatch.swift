// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CPosix
internal import Glibc

/// Tells when a way out of this machine, or an address of it, has changed.
public final class RouteWatch: Sendable {
  private let descriptor: Int32

  /// Without the kernel's help nothing is ever told.
  public init() { descriptor = onair_route_watch() }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Whether anything has changed since it was last asked. Never blocks.
  public func hasChanged() -> Bool {
    guard descriptor >= 0 else { return false }
    var changed = false
    var bytes: UInt64 = 0
    // What is not read of a message is gone. Too many for the socket's buffer are an error, and a change.
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
