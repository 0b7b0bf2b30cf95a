// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Testing

@testable import Publish

@Suite struct ServerListTests {
  private func server(_ host: String) throws -> RTMPTarget {
    try RTMPTarget(host: host, app: "live", streamKey: "key")
  }

  /// The connection to the server in use stays when only the other one has changed.
  @Test func theServerInUseStays() throws {
    let (a, b, c) = (try server("a"), try server("b"), try server("c"))
    let list = ServerList(a, backup: b)
    #expect(list.replace(a, backup: c))
    #expect(list.replace(a, backup: nil))
    #expect(list.replace(a, backup: b))
    #expect(list.snapshot.target == a)

    list.failOver(from: list.snapshot)
    #expect(list.snapshot.target == b)
    #expect(list.replace(a, backup: b), "the backup is in use, and stays")
    #expect(list.snapshot.target == b)
    #expect(!list.replace(a, backup: c), "the backup in use has gone")
    #expect(list.snapshot.target == a)

    list.failOver(from: list.snapshot)
    #expect(!list.replace(b, backup: c), "a new first server is tried first")
    #expect(list.snapshot.target == b)
  }

  /// A failure on a server of the earlier list is not one of the new list's.
  @Test func anEarlierListDoesNotFailOver() throws {
    let list = ServerList(try server("a"), backup: try server("b"))
    let before = list.snapshot
    _ = list.replace(try server("a"), backup: try server("c"))
    list.failOver(from: before)
    #expect(list.snapshot.target == (try server("a")))
  }
}
