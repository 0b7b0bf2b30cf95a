// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Glibc
internal import Synchronization

/// An IPv4 or IPv6 address with its port, in the kernel's layout (`sockaddr_in`, `sockaddr_in6`).
struct Endpoint: Sendable, Equatable {
  /// AF_INET or AF_INET6.
  var family: Int32
  var bytes: [UInt8]
  /// The 4 or 16 bytes of the IP address.
  var address: [UInt8] {
    Array(family == AF_INET ? bytes.dropFirst(4).prefix(4) : bytes.dropFirst(8).prefix(16))
  }
}

/// Looks up host names on threads of their own: getaddrinfo(3) has no deadline and cannot be cancelled.
enum HostLookup {
  /// Why a host has no addresses.
  enum Fault: Error {
    case nameNotFound
    case nameServerUnreachable
    case timedOut
    /// The system cannot create a thread.
    case noThread
    /// The worker was asked to stop.
    case stopped
  }

  /// What the thread of a lookup leaves behind.
  private final class Lookup: Sendable {
    let outcome = Mutex<Result<[Endpoint], Fault>?>(nil)
  }

  /// The number of lookups under way. Each that a name server does not answer goes on for half a minute, and a new one
  /// begins with each attempt.
  private static let running = Atomic(0)
  private static let maxRunning = 8

  /// The addresses of a host, at least one, in the order in which they should be tried (RFC 6724).
  /// - Parameter worker: the worker of the calling thread.
  static func endpoints(
    of host: String, port: UInt16, by deadline: MediaTime, worker: Worker
  ) throws(Fault) -> [Endpoint] {
    if case .success(let endpoints) = look(host, port, flags: AI_NUMERICHOST) { return endpoints }
    guard running.add(1, ordering: .relaxed).newValue <= maxRunning else {
      running.subtract(1, ordering: .relaxed)
      throw .nameServerUnreachable
    }
    let lookup = Lookup()
    do throws(MediaThread.NoThreadError) {
      _ = try MediaThread(attempting: "resolve", urgency: .ordinary) {
        let outcome = look(host, port, flags: 0)
        running.subtract(1, ordering: .relaxed)
        lookup.outcome.withLock { $0 = outcome }
        worker.wake()
      }
    } catch {
      running.subtract(1, ordering: .relaxed)
      throw .noThread
    }
    while true {
      if let outcome = lookup.outcome.withLock({ $0 }) { return try outcome.get() }
      if worker.isStopping { throw .stopped }
      guard worker.clock.now < deadline else { throw .timedOut }
      worker.wait(until: deadline)
    }
  }

  private static func look(
    _ host: String, _ port: UInt16, flags: Int32
  ) -> Result<[Endpoint], Fault> {
    var hints = unsafe addrinfo()
    unsafe hints.ai_family = AF_UNSPEC
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    unsafe hints.ai_flags = flags | AI_NUMERICSERV
    var list: UnsafeMutablePointer<addrinfo>?
    let status = unsafe getaddrinfo(host, String(port), &hints, &list)
    guard status == 0 else {
      // -5 is EAI_NODATA, a GNU extension: the name exists, but has no address.
      return .failure(
        status == EAI_NONAME || status == -5 ? .nameNotFound : .nameServerUnreachable)
    }
    defer { unsafe freeaddrinfo(list) }
    var endpoints: [Endpoint] = []
    var entry = unsafe list
    while let here = unsafe entry {
      let length = unsafe Int(here.pointee.ai_addrlen)
      if let start = unsafe here.pointee.ai_addr {
        let bytes = unsafe Array(UnsafeRawBufferPointer(start: start, count: length))
        unsafe endpoints.append(Endpoint(family: here.pointee.ai_family, bytes: bytes))
      }
      unsafe entry = here.pointee.ai_next
    }
    return endpoints.isEmpty ? .failure(.nameNotFound) : .success(endpoints)
  }
}
