// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Glibc
internal import Synchronization

/// The connection ended, or the peer did not do what the script expects.
package struct ScriptEndedError: Error {}

/// A tool that a test needs is missing. The test fails with the remedy; it is never skipped.
package struct MissingError: Error, CustomStringConvertible {
  package var description: String
  package init(description: String) { self.description = description }
}

/// A server on loopback that runs a script for each connection.
package final class FakeServer: Sendable {
  package let port: Int
  private let listener: Int32
  private let accepted = Atomic(0)
  private let thread = Mutex<MediaThread?>(nil)

  package var connections: Int { accepted.load(ordering: .relaxed) }

  /// A good server: it accepts each stream and reads it to the end.
  package static func reading() throws -> FakeServer {
    try FakeServer { peer in
      try peer.accept()
      peer.readToEnd()
    }
  }

  /// - Parameter script: `nil` for a server that never accepts, so that its backlog fills up.
  package init(ipv6: Bool = false, script: (@Sendable (Peer) throws -> Void)?) throws {
    (listener, port) = try FakeServer.listen(ipv6: ipv6, backlog: script == nil ? 0 : 16)
    guard let script else { return }
    let listener = self.listener
    let thread = MediaThread(name: "fake server", urgency: .ordinary) { [self] in
      while true {
        let socket = accept(listener, nil, nil)
        guard socket >= 0 else {
          // accept(2) fails at once without a free descriptor, and a test uses up all of them for a while.
          guard errno == EMFILE || errno == ENFILE else { return }
          (MediaTime.now() + .milliseconds(10)).sleepUntil()
          continue
        }
        accepted.add(1, ordering: .relaxed)
        _ = MediaThread(name: "fake peer", urgency: .ordinary) {
          let peer = Peer(socket: socket)
          try? script(peer)
          close(socket)
        }
      }
    }
    self.thread.withLock { $0 = thread }
  }

  package func end() {
    shutdown(listener, Int32(SHUT_RDWR))
    // Otherwise the thread could accept on another server's listener with the same descriptor number.
    _ = thread.withLock { $0 }?.join(until: MediaTime.now() + .seconds(5))
    close(listener)
  }

  private static let givenPorts = Mutex<Set<Int>>([])

  /// A loopback port where nothing listens. It is below the range from which the kernel assigns ephemeral ports, which
  /// other tests use all the time.
  package static func freePort() throws -> Int {
    for _ in 0..<1_000 {
      let port = Int.random(in: 12_000..<20_000)
      // Another test may not have opened its port yet.
      guard givenPorts.withLock({ $0.insert(port).inserted }) else { continue }
      if let (listener, _) = try? listen(ipv6: false, backlog: 1, port: port) {
        close(listener)
        return port
      }
    }
    throw MissingError(description: "no loopback port is free between 12,000 and 20,000")
  }

  /// Starts a connection to a loopback port, and does not wait for it.
  static func begin(port: Int) -> Int32 {
    let type = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue
    let client = socket(AF_INET, Int32(type), 0)
    var address = loopback
    address.sin_port = in_port_t(port).bigEndian
    _ = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe connect(client, address, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    return client
  }

  private static var loopback: sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    return address
  }

  private static func listen(
    ipv6: Bool, backlog: Int32, port: Int = 0
  ) throws -> (Int32, Int) {
    let listener = socket(ipv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    precondition(listener >= 0)
    if ipv6 {
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_addr = in6addr_loopback
      return (listener, try listen(listener, &address, backlog) { $0.sin6_port })
    }
    var address = loopback
    address.sin_port = in_port_t(port).bigEndian
    return (listener, try listen(listener, &address, backlog) { $0.sin_port })
  }

  private static func listen<Address>(
    _ listener: Int32, _ address: inout Address, _ backlog: Int32,
    port: (Address) -> in_port_t
  ) throws -> Int {
    var length = socklen_t(MemoryLayout<Address>.size)
    let listens = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe bind(listener, address, length) == 0
          && Glibc.listen(listener, backlog) == 0
          && getsockname(listener, address, &length) == 0
      }
    }
    guard listens else {
      close(listener)
      throw MissingError(description: "cannot listen on loopback (IPv4 and IPv6 are needed)")
    }
    return Int(port(address).bigEndian)
  }
}
