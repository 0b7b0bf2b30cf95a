// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import Media
package import Publish

/// A server as one meets them, and what a publisher has to make of it. `all` is the table.
package struct BadServer: Sendable {
  package enum Place: Sendable {
    case ipv4(@Sendable (Peer) throws -> Void)
    case ipv6(@Sendable (Peer) throws -> Void)
    /// A port at which nothing listens.
    case nothing
    /// A listener whose queue of connections is full, so that the kernel drops each further SYN.
    case blackHole
    /// A name that no name server may know (RFC 6761, 6.4).
    case unknownName
  }

  /// What the publisher has to send for the server to show its badness.
  package enum Load: String, Sendable {
    case nothing
    case stream
    /// More than the server takes.
    case flood
  }

  package enum Retry: String, Sendable {
    /// At an even pace.
    case even
    /// With growing pauses.
    case growing
    /// The connection stays.
    case none
  }

  package var name: String
  package var place: Place
  /// The cause that has to be told, by its code; one of several where the network has a say. Empty
  /// if the server is not bad after all, and only looks so.
  package var codes: [String]
  /// The step whose deadline bounds it; `nil` if it shows at once.
  package var step: RTMPStep?
  package var retry: Retry
  package var load = Load.nothing

  /// A bad server at work.
  package final class Running: Sendable {
    package let host: String
    package let port: Int
    private let server: FakeServer?
    private let queued: [Int32]

    init(host: String, port: Int, server: FakeServer? = nil, queued: [Int32] = []) {
      self.host = host
      self.port = port
      self.server = server
      self.queued = queued
    }

    package func end() {
      server?.end()
      for socket in queued { close(socket) }
    }
  }

  package func run() throws -> Running {
    switch place {
    case .ipv4(let script):
      let server = try FakeServer(script: script)
      return Running(host: "127.0.0.1", port: server.port, server: server)
    case .ipv6(let script):
      let server = try FakeServer(ipv6: true, script: script)
      return Running(host: "::1", port: server.port, server: server)
    case .nothing: return Running(host: "127.0.0.1", port: try FakeServer.freePort())
    case .blackHole:
      let server = try FakeServer(script: nil)
      let queued = (0..<4).map { _ in FakeServer.begin(port: server.port) }
      return Running(host: "127.0.0.1", port: server.port, server: server, queued: queued)
    case .unknownName: return Running(host: "no-such-host.invalid", port: 1_935)
    }
  }
}
