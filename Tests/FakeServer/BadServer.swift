// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Glibc
package import Publish

/// A misbehaving server, and what a publisher has to report about it. `all` is the table.
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

  /// What the publisher has to send to make the server misbehave.
  package enum Load: String, Sendable {
    case nothing
    case stream
    /// More than the server reads.
    case flood
  }

  package enum Retry: String, Sendable {
    /// At regular intervals.
    case even
    /// After growing pauses.
    case growing
    /// The connection stays up.
    case none
  }

  package var name: String
  package var place: Place
  /// The code of the cause that has to be reported; one of several if it depends on the network. Empty if the server
  /// is unusual but good.
  package var codes: [String]
  /// The step whose deadline has to pass first; `nil` if the cause is found at once.
  package var step: RTMPStep?
  package var retry: Retry
  package var load = Load.nothing
  /// The code of the cause that needs a person, which several such failures in a row have to lead to; `nil` if none.
  package var fault: String?

  /// A running bad server.
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
