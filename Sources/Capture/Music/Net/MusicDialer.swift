// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Glibc

/// Looks up the host of a music address and connects to it, each with a deadline. Used by one thread.
struct MusicDialer {
  /// The most addresses of a host that are tried.
  private static let maxAddresses = 4

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

  /// Looks up the host of an address.
  private func resolve(
    _ address: MusicAddress, by deadline: MediaTime, seconds: Int
  ) throws(MusicTrouble) -> [Endpoint] {
    do throws(HostLookup.Fault) {
      return try HostLookup.endpoints(
        of: address.host, port: address.port, by: deadline, worker: worker)
    } catch {
      switch error {
      case .nameNotFound: throw .nameNotFound(of: "\(address)")
      case .nameServerUnreachable: throw .nameServerUnreachable(of: "\(address)")
      case .timedOut: throw .timedOut(of: "\(address)", seconds: seconds)
      case .noThread: throw .noConnection(of: "\(address)")
      case .stopped: throw .interrupted
      }
    }
  }
}
