// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Glibc
internal import Synchronization

/// A slow or stalling connection between a client and a server on loopback.
package final class Relay: Sendable {
  private let server: FakeServer
  private let ends: Ends

  private final class Ends: Sendable {
    let list = Mutex<[Bool]>([])
  }

  /// For each connection that the client closed: whether it was a reset.
  package var resets: [Bool] { ends.list.withLock { $0 } }

  /// The port to connect to instead of the server's.
  package var port: Int { server.port }

  /// - Parameters:
  ///   - server: the server's port.
  ///   - dribble: nanoseconds for each byte of the server after its first 8,000 bytes; `nil` for no delay.
  ///   - stall: bytes of the client after which nothing more is read from it.
  package init(before server: Int, dribble: Int64? = nil, stall: Int = .max) throws {
    let ends = Ends()
    self.ends = ends
    self.server = try FakeServer { client in
      let upstream = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(upstream) }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = in_port_t(server).bigEndian
      address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
      let status = unsafe withUnsafePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe connect(upstream, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      guard status == 0 else { throw ScriptEndedError() }
      var one: Int32 = 1
      _ = unsafe setsockopt(
        client.socket, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
      let socket = client.socket
      let down = MediaThread(name: "relay down", urgency: .ordinary) {
        _ = Relay.copy(from: upstream, to: socket, dribble: dribble, stall: .max)
      }
      let isReset = Relay.copy(from: socket, to: upstream, dribble: nil, stall: stall)
      ends.list.withLock { $0.append(isReset) }
      _ = down.join(until: .now() + .seconds(10))
    }
  }

  package func end() { server.end() }

  /// - Returns: whether the source was reset.
  private static func copy(
    from source: Int32, to sink: Int32, dribble: Int64?, stall: Int
  ) -> Bool {
    var isReset = false
    var block = [UInt8](repeating: 0, count: 65_536)
    var passed = 0
    while passed < stall {
      let isSlow = dribble != nil && passed >= 8_000
      let count = unsafe recv(source, &block, isSlow ? 1 : block.count, 0)
      isReset = count < 0 && errno == ECONNRESET
      guard count > 0, unsafe send(sink, block, count, Int32(MSG_NOSIGNAL)) == count else { break }
      passed += count
      if isSlow, let dribble { (MediaTime.now() + dribble).sleepUntil() }
    }
    if passed >= stall {
      // Until the client closes the connection.
      var waiting = pollfd(fd: source, events: 0x2000, revents: 0)
      _ = unsafe poll(&waiting, 1, 300_000)
    }
    shutdown(sink, Int32(SHUT_WR))
    if passed >= stall { shutdown(source, Int32(SHUT_RDWR)) }
    return isReset
  }
}
