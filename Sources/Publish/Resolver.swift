// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import Media
internal import Synchronization

/// An IPv4 or IPv6 address with its port, as the kernel takes it.
struct SocketAddress: Sendable, Equatable {
  var family: Int32
  /// The bytes of a `sockaddr`.
  var bytes: [UInt8]
}

/// Looks names up, on a thread of its own: getaddrinfo(3) cannot be given a deadline, and a hanging
/// one can only be left alone.
final class Resolver: Sendable {
  private struct Lookup {
    var running = false
    /// What the last look-up found, until somebody takes it.
    var outcome: Outcome?
    /// What was found last of all.
    var known: [SocketAddress] = []
  }

  /// How long a look-up may take where addresses are known from before: it, too, may wait for a path that is dead.
  private static let knownPatience: Int64 = .milliseconds(500)

  enum Outcome {
    case found([SocketAddress])
    case failed(DestinationCause)
  }

  private let lookup = Mutex(Lookup())
  private let wakeup: Wakeup
  private let look: @Sendable (RTMPTarget) -> Outcome

  /// - Parameters:
  ///   - wakeup: given when a look-up ends.
  ///   - look: looks a name up, for as long as that takes.
  init(
    wakeup: Wakeup,
    look: @escaping @Sendable (RTMPTarget) -> Outcome = { Resolver.resolve($0, flags: 0) }
  ) {
    self.wakeup = wakeup
    self.look = look
  }

  /// The addresses of a host, in the order in which they should be tried (RFC 6724).
  ///
  /// Called by one thread, always for the same host. A look-up that outlives its deadline goes on;
  /// the next call waits for it rather than for one more.
  func addresses(
    of target: RTMPTarget, until deadline: MediaTime, stopping: () -> Bool
  ) throws(PublishEnd) -> [SocketAddress] {
    // An address needs no name server, and no thread.
    if case .found(let addresses) = Resolver.resolve(target, flags: AI_NUMERICHOST) {
      return addresses
    }
    let start = lookup.withLock { lookup in
      if lookup.running { return false }
      lookup.running = true
      // What was found after everybody had stopped waiting for it.
      if case .found(let late)? = lookup.outcome { lookup.known = late }
      lookup.outcome = nil
      return true
    }
    if start { try startLookup(target) }
    let known = lookup.withLock { $0.known }
    let patience =
      known.isEmpty ? deadline : min(deadline, .now() + Resolver.knownPatience)
    while true {
      let outcome = lookup.withLock { lookup in
        defer { lookup.outcome = nil }
        return lookup.outcome
      }
      switch outcome {
      case .found(let addresses):
        lookup.withLock { $0.known = addresses }
        return addresses
      case .failed(.nameServerUnreachable) where !known.isEmpty: return known
      case .failed(let cause): throw .failed(cause)
      case nil: break
      }
      if stopping() { throw .stopped }
      guard MediaTime.now() < patience else {
        guard known.isEmpty else { return known }
        throw .failed(.timedOut(.resolve))
      }
      _ = wakeup.wait(until: patience)
    }
  }

  private func startLookup(_ target: RTMPTarget) throws(PublishEnd) {
    do throws(MediaThread.NoThread) {
      _ = try MediaThread(attempting: "resolve", urgency: .ordinary) { [self] in
        let outcome = look(target)
        lookup.withLock { lookup in
          lookup.outcome = outcome
          lookup.running = false
        }
        wakeup.give()
      }
    } catch {
      lookup.withLock { $0.running = false }
      throw .failed(.systemError(error.code))
    }
  }

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

  private static func cause(_ status: Int32, _ code: Int32) -> DestinationCause {
    switch status {
    case EAI_SYSTEM: .systemError(code)
    // -5 is EAI_NODATA, a GNU extension: the name exists and has no address.
    case EAI_NONAME, -5: lackOfDescriptors ?? .nameNotFound
    default: lackOfDescriptors ?? .nameServerUnreachable
    }
  }

  /// Without a descriptor getaddrinfo(3) can neither read /etc/hosts nor ask a name server, and
  /// puts it down to the name.
  private static var lackOfDescriptors: DestinationCause? {
    let probe = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard probe < 0 else {
      close(probe)
      return nil
    }
    return errno == EMFILE || errno == ENFILE ? .systemError(errno) : nil
  }
}
