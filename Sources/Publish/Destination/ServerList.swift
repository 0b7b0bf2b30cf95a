// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Synchronization

/// The servers of a stream, and which of them is in use.
final class ServerList: Sendable {
  /// The servers of the list and the one in use, at one moment.
  struct Snapshot: Sendable {
    /// The first server of the stream and, if there is one, its backup server.
    var targets: [RTMPTarget]
    /// The index in `targets` of the server in use.
    var current = 0
    /// The version of the list, incremented by each `replace`.
    var version = 0

    var target: RTMPTarget { targets[current] }
  }

  /// The present servers, guarded by this mutex.
  private let list: Mutex<Snapshot>

  init(_ target: RTMPTarget, backup: RTMPTarget?) {
    list = Mutex(Snapshot(targets: [target] + (backup.map { [$0] } ?? [])))
  }

  /// A copy of the present list.
  var snapshot: Snapshot { list.withLock { $0 } }

  /// Replaces the servers.
  /// - Returns: `true` if the server in use stays in use: the first server is unchanged, and the one in use is still in
  ///   the list.
  func replace(_ target: RTMPTarget, backup: RTMPTarget?) -> Bool {
    list.withLock { list in
      let old = list
      list = Snapshot(targets: [target] + (backup.map { [$0] } ?? []), version: old.version + 1)
      guard old.targets[0] == target, let same = list.targets.firstIndex(of: old.target) else {
        return false
      }
      list.current = same
      return true
    }
  }

  /// Switches to the next server of the list, unless the list was replaced since `snapshot`.
  func failOver(from snapshot: Snapshot) {
    list.withLock {
      guard $0.version == snapshot.version else { return }
      $0.current = (snapshot.current + 1) % snapshot.targets.count
    }
  }
}
