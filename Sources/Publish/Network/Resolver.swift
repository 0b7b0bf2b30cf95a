// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Glibc
internal import Synchronization

/// An IPv4 or IPv6 address with its port, in the kernel's layout.
struct SocketAddress: Sendable, Equatable {
  /// AF_INET or AF_INET6.
  var family: Int32
  /// The bytes of a `sockaddr_in` or `sockaddr_in6`.
  var bytes: [UInt8]
}

/// Looks up a host name on a thread of its own: getaddrinfo(3) has no deadline and cannot be cancelled.
final class Resolver: Sendable {
  /// Whether a lookup is under way, and the results of earlier lookups.
  private struct Lookup {
    var isRunning = false
    /// The result of the last lookup, until a caller takes it.
    var outcome: Outcome?
    /// The addresses that were found last.
    var knownAddresses: [SocketAddress] = []
  }

  /// How long to wait for a lookup when addresses are known from an earlier one, in nanoseconds. The name server may be
  /// behind the same dead path as the server.
  private static let waitNanosWithKnownAddresses: Int64 = .milliseconds(500)

  /// The result of a lookup.
  enum Outcome {
    case found([SocketAddress])
    case failed(DestinationCause)
  }

  /// The state of the lookup, guarded by this mutex.
  private let lookup = Mutex(Lookup())
  /// Wakes the thread that waits in `addresses`.
  private let worker: Worker
  /// Looks up a name; may block.
  private let lookUp: @Sendable (RTMPTarget) -> Outcome

  /// - Parameters:
  ///   - worker: the worker of the thread that calls `addresses`. It is woken when a lookup ends.
  ///   - lookUp: looks up a name; may block.
  init(
    worker: Worker,
    lookUp: @escaping @Sendable (RTMPTarget) -> Outcome = { Resolver.resolve($0, flags: 0) }
  ) {
    self.worker = worker
    self.lookUp = lookUp
  }

  /// The addresses of a host, in the order in which they should be tried (RFC 6724).
  ///
  /// Called by one thread, always for the same host. A lookup that exceeds its deadline goes on, and the next call
  /// waits for it rather than starting another.
  /// - Parameter stopping: whether to end the wait, because the program stops or requests a new connection.
  func addresses(
    of target: RTMPTarget, until deadline: MediaTime, stopping: () -> Bool
  ) throws(PublishError) -> [SocketAddress] {
    // A numeric address needs no name server.
    if case .found(let addresses) = Resolver.resolve(target, flags: AI_NUMERICHOST) {
      return addresses
    }
    let start = lookup.withLock { lookup in
      if lookup.isRunning { return false }
      lookup.isRunning = true
      // Keep the result of a lookup that ended after the last call had given up.
      if case .found(let late)? = lookup.outcome { lookup.knownAddresses = late }
      lookup.outcome = nil
      return true
    }
    if start { try startLookup(target) }
    let known = lookup.withLock { $0.knownAddresses }
    let patience =
      known.isEmpty
      ? deadline : min(deadline, worker.clock.now + Resolver.waitNanosWithKnownAddresses)
    while true {
      let outcome = lookup.withLock { lookup in
        defer { lookup.outcome = nil }
        return lookup.outcome
      }
      switch outcome {
      case .found(let addresses):
        lookup.withLock { $0.knownAddresses = addresses }
        return addresses
      case .failed(.nameServerUnreachable) where !known.isEmpty: return known
      case .failed(let cause): throw .failed(cause)
      case nil: break
      }
      if stopping() { throw .stopped }
      guard worker.clock.now < patience else {
        guard known.isEmpty else { return known }
        throw .failed(.timedOut(.resolve))
      }
      worker.wait(until: patience)
    }
  }

  /// The number of lookups under way, of all destinations. If the name server does not answer, each lookup goes on for
  /// half a minute.
  private static let lookupsRunning = Atomic(0)
  /// The most lookups under way at the same time.
  private static let maxRunning = 16

  /// Starts a lookup on a new thread. Throws if too many lookups are under way, or if the system cannot create a
  /// thread.
  private func startLookup(_ target: RTMPTarget) throws(PublishError) {
    guard Resolver.lookupsRunning.add(1, ordering: .relaxed).newValue <= Resolver.maxRunning else {
      Resolver.lookupsRunning.subtract(1, ordering: .relaxed)
      lookup.withLock { $0.isRunning = false }
      throw .failed(.nameServerUnreachable)
    }
    do throws(MediaThread.NoThreadError) {
      _ = try MediaThread(attempting: "resolve", urgency: .ordinary) { [self] in
        let outcome = lookUp(target)
        Resolver.lookupsRunning.subtract(1, ordering: .relaxed)
        lookup.withLock { lookup in
          lookup.outcome = outcome
          lookup.isRunning = false
        }
        worker.wake()
      }
    } catch {
      Resolver.lookupsRunning.subtract(1, ordering: .relaxed)
      lookup.withLock { $0.isRunning = false }
      throw .failed(.systemError(error.code))
    }
  }

  /// Looks up a name with getaddrinfo(3), which may block. `flags` are those of `addrinfo`, such as AI_NUMERICHOST.
  private static func resolve(_ target: RTMPTarget, flags: Int32) -> Outcome {
    var hints = unsafe addrinfo()
    unsafe hints.ai_family = AF_UNSPEC
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    unsafe hints.ai_flags = flags | AI_NUMERICSERV
    var list: UnsafeMutablePointer<addrinfo>?
    let status = unsafe getaddrinfo(target.host, String(target.port), &hints, &list)
    guard status == 0 else { return .failed(cause(status, errno)) }
    defer { unsafe freeaddrinfo(list) }
    var addresses: [SocketAddress] = []
    var entry = unsafe list
    while let here = unsafe entry {
      let length = unsafe Int(here.pointee.ai_addrlen)
      if let address = unsafe here.pointee.ai_addr {
        let bytes = unsafe Array(UnsafeRawBufferPointer(start: address, count: length))
        unsafe addresses.append(
          SocketAddress(family: here.pointee.ai_family, bytes: bytes))
      }
      unsafe entry = here.pointee.ai_next
    }
    return addresses.isEmpty ? .failed(.nameNotFound) : .found(addresses)
  }

  /// The cause for a failed getaddrinfo(3): `status` is its result, and `code` is errno.
  private static func cause(_ status: Int32, _ code: Int32) -> DestinationCause {
    switch status {
    case EAI_SYSTEM: .systemError(code)
    // -5 is EAI_NODATA, a GNU extension: the name exists, but has no address.
    case EAI_NONAME, -5: outOfDescriptors ?? .nameNotFound
    default: outOfDescriptors ?? .nameServerUnreachable
    }
  }

  /// The cause of a failed lookup if no file descriptor is free; otherwise `nil`. Without a free one, getaddrinfo(3)
  /// can neither read /etc/hosts nor ask a name server, and then reports that the name does not exist.
  private static var outOfDescriptors: DestinationCause? {
    let probe = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard probe < 0 else {
      close(probe)
      return nil
    }
    return errno == EMFILE || errno == ENFILE ? .systemError(errno) : nil
  }
}
