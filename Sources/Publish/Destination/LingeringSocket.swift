// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Synchronization

/// Keeps a timed-out socket open so that its RST can still reach the server, which otherwise would hold the stream for
/// the dead connection. It is kept through a pause: its bytes were handed to the kernel before.
final class LingeringSocket: Sendable {
  private struct Kept {
    var handle: ConnectionControl.Handle
    /// The index of its server in `ServerList.Snapshot.targets`.
    var target: Int
  }

  private let kept = Mutex<Kept?>(nil)

  /// Keeps a socket, unless there is an older one to the same server.
  func keep(_ handle: ConnectionControl.Handle, target: Int) {
    // A socket that is replaced is closed outside the lock.
    let replaced = kept.withLock { kept -> Kept? in
      guard kept?.target != target else { return nil }
      defer { kept = Kept(handle: handle, target: target) }
      return kept
    }
    withExtendedLifetime(replaced) {}
  }

  /// Closes the socket if it is to this server.
  func release(target: Int) {
    let released = kept.withLock { kept -> Kept? in
      guard kept?.target == target else { return nil }
      defer { kept = nil }
      return kept
    }
    withExtendedLifetime(released) {}
  }

  /// Closes the socket.
  func release() {
    let released = kept.withLock { kept in
      defer { kept = nil }
      return kept
    }
    withExtendedLifetime(released) {}
  }
}
