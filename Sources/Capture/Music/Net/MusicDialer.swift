// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Glibc
internal import Synchronization

/// Looks up the host of a music address and connects to it, each with a deadline. Used by one thread.
struct MusicDialer {
  /// The most addresses of a host that are tried.
  private static let maxAddresses = 4

  /// An IPv4 or IPv6 address with its port, in the kernel's layout (`sockaddr_in`, `sockaddr_in6`).
  private struct Endpoint {
    var family: Int32
    var bytes: [UInt8]
    /// The 4 or 16 bytes of the IP address.
    var address: [UInt8] {
      Array(family == AF_INET ? bytes.dropFirst(4).prefix(4) : bytes.dropFirst(8).prefix(16))
    }
  }

  private enum Outcome {
    case found([Endpoint])
    case failed(MusicTrouble)
  }

  let rules: AddressRules
  let worker: Worker

  /// Connects to the host of an address.
  /// - Parameter allowsLocal: whether the host may be on the box's own network.
  /// - Returns: a blocking socket, and whether the host is on the box's own network.
  func connect(
    to address: MusicAddress, allowsLocal: Bool, by deadline: MediaTime, seconds: Int
  ) throws(MusicTrouble) -> (socket: Int32, isLocal: Bool) {
    let endpoints = try resolve(address, by: deadline, seconds: seconds)
    let allowed = endpoints.filter {
      let kind = rules.kind($0.address)
      return kind == .global || kind == .local && allowsLocal
    }
    guard !allowed.isEmpty else { throw .addressRefused(of: "\(address)") }
    var trouble = MusicTrouble.noConnection(of: "\(address)")
    for endpoint in allowed.prefix(MusicDialer.maxAddresses) {
      switch connect(to: endpoint, by: deadline) {
      case .success(let socket): return (socket, rules.kind(endpoint.address) == .local)
      case .failure(let error):
        if worker.isStopping { throw .interrupted }
        if error.code == ETIMEDOUT { trouble = .timedOut(of: "\(address)", seconds: seconds) }
      }
    }
    throw trouble
  }

  private struct ConnectError: Error {
    var code: Int32
  }

  private func connect(
    to endpoint: Endpoint, by deadline: MediaTime
  ) -> Result<Int32, ConnectError> {
    let type = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    let descriptor = socket(endpoint.family, Int32(type), Int32(IPPROTO_TCP))
    guard descriptor >= 0 else { return .failure(ConnectError(code: errno)) }
    var status = unsafe endpoint.bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return EINVAL }
      let result = unsafe Glibc.connect(
        descriptor, start.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
      return result == 0 ? 0 : errno
    }
    while status == EINPROGRESS {
      let events = worker.wait(until: deadline, for: descriptor, events: .writable)
      if worker.isStopping {
        status = EINTR
      } else if !events.isEmpty {
        var length = socklen_t(MemoryLayout<Int32>.size)
        status = 0
        if unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &status, &length) != 0 {
          status = errno
        }
      } else if worker.clock.now >= deadline {
        status = ETIMEDOUT
      }
    }
    guard status == 0 else {
      close(descriptor)
      return .failure(ConnectError(code: status))
    }
    // A request is short, so sending it hardly ever blocks; reading is never done without MSG_DONTWAIT.
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL, 0) & ~O_NONBLOCK)
    var limit = timeval(tv_sec: 5, tv_usec: 0)
    _ = unsafe setsockopt(
      descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    return .success(descriptor)
  }

  // MARK: Names

  /// What the thread of a lookup leaves behind.
  private final class Lookup: Sendable {
    let outcome = Mutex<Outcome?>(nil)
  }

  /// The number of lookups under way. Each that a name server does not answer goes on for half a minute, and a new one
  /// begins with each attempt.
  private static let running = Atomic(0)
  private static let maxRunning = 8

  /// Looks up a name on a thread of its own: getaddrinfo(3) has no deadline and cannot be cancelled.
  private func resolve(
    _ address: MusicAddress, by deadline: MediaTime, seconds: Int
  ) throws(MusicTrouble) -> [Endpoint] {
    if case .found(let endpoints) = MusicDialer.look(address, flags: AI_NUMERICHOST) {
      return endpoints
    }
    guard MusicDialer.running.add(1, ordering: .relaxed).newValue <= MusicDialer.maxRunning else {
      MusicDialer.running.subtract(1, ordering: .relaxed)
      throw .nameServerUnreachable(of: "\(address)")
    }
    let lookup = Lookup()
    let worker = worker
    do throws(MediaThread.NoThreadError) {
      _ = try MediaThread(attempting: "music-resolve", urgency: .ordinary) {
        let outcome = MusicDialer.look(address, flags: 0)
        MusicDialer.running.subtract(1, ordering: .relaxed)
        lookup.outcome.withLock { $0 = outcome }
        worker.wake()
      }
    } catch {
      MusicDialer.running.subtract(1, ordering: .relaxed)
      throw .noConnection(of: "\(address)")
    }
    while true {
      switch lookup.outcome.withLock({ $0 }) {
      case .found(let endpoints): return endpoints
      case .failed(let trouble): throw trouble
      case nil: break
      }
      if worker.isStopping { throw .interrupted }
      guard worker.clock.now < deadline else {
        throw .timedOut(of: "\(address)", seconds: seconds)
      }
      worker.wait(until: deadline)
    }
  }

  private static func look(_ address: MusicAddress, flags: Int32) -> Outcome {
    var hints = unsafe addrinfo()
    unsafe hints.ai_family = AF_UNSPEC
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    unsafe hints.ai_flags = flags | AI_NUMERICSERV
    var list: UnsafeMutablePointer<addrinfo>?
    let status = unsafe getaddrinfo(address.host, String(address.port), &hints, &list)
    guard status == 0 else {
      // -5 is EAI_NODATA, a GNU extension: the name exists, but has no address.
      return .failed(
        status == EAI_NONAME || status == -5
          ? .nameNotFound(of: "\(address)") : .nameServerUnreachable(of: "\(address)"))
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
    return endpoints.isEmpty ? .failed(.nameNotFound(of: "\(address)")) : .found(endpoints)
  }
}
