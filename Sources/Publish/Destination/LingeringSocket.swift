// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Synchronization

/// Keeps the socket of a timed-out connection open, so that its RST can still reach the server. Otherwise the server
/// would reserve the stream for the dead connection. The socket stays open even when the box is paused, because its
/// unsent bytes were handed to the kernel before the pause.
final class LingeringSocket: Sendable {
  /// A socket that is kept open, and the server that it belongs to.
  private struct KeptSocket {
    var handle: ConnectionControl.Handle
    /// The index of the socket's server in `ServerList.Snapshot.targets`.
    var target: Int
  }

  /// The socket that is kept open; `nil` if there is none.
  private let kept = Mutex<KeptSocket?>(nil)

  /// Keeps a socket open, unless an older socket to the same server is kept already. Closes a kept socket to another
  /// server.
  func keep(_ handle: ConnectionControl.Handle, target: Int) {
    // A socket that is replaced is closed outside the lock.
    let replaced = kept.withLock { kept -> KeptSocket? in
      guard kept?.target != target else { return nil }
      defer { kept = KeptSocket(handle: handle, target: target) }
      return kept
    }
    withExtendedLifetime(replaced) {}
  }

  /// Closes the kept socket if it belongs to the server with the index `target`.
  func release(target: Int) {
    let released = kept.withLock { kept -> KeptSocket? in
      guard kept?.target == target else { return nil }
      defer { kept = nil }
      return kept
    }
    withExtendedLifetime(released) {}
  }

  /// Closes the kept socket, if there is one.
  func release() {
    let released = kept.withLock { kept in
      defer { kept = nil }
      return kept
    }
    withExtendedLifetime(released) {}
  }
}
