// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// What the service manager is told (sd_notify(3)): one datagram to the socket that it names.
/// Does nothing where there is none.
public struct ServiceManager: Sendable {
  private let address: String?
  /// How often the watchdog wants to hear, in nanoseconds; `nil` without a watchdog.
  public let watchdogNanos: Int64?

  public init(environment: [String: String]) {
    address = environment["NOTIFY_SOCKET"].flatMap { $0.isEmpty ? nil : $0 }
    let isForUs = environment["WATCHDOG_PID"].map { $0 == "\(getpid())" } ?? true
    let limit = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
    // Half the limit, as sd_watchdog_enabled(3) advises; more than a day is none.
    watchdogNanos = isForUs && (1...86_400_000_000).contains(limit) ? limit * 1_000 / 2 : nil
  }

  /// - Parameter state: "READY=1", "STOPPING=1", "WATCHDOG=1", "STATUS=…".
  public func notify(_ state: String) {
    guard let address else { return }
    var target = sockaddr_un()
    target.sun_family = sa_family_t(AF_UNIX)
    var path = Array(address.utf8)
    let capacity = MemoryLayout.size(ofValue: target.sun_path)
    guard path.count < capacity else { return }
    // A leading @ stands for the abstract namespace, which begins with a zero byte.
    if path.first == UInt8(ascii: "@") { path[0] = 0 }
    unsafe withUnsafeMutableBytes(of: &target.sun_path) { unsafe $0.copyBytes(from: path) }
    let length = socklen_t(MemoryLayout<sockaddr_un>.size - capacity + path.count)

    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    let text = Array(state.utf8)
    unsafe withUnsafePointer(to: &target) { pointer in
      let generic = unsafe UnsafeRawPointer(pointer).assumingMemoryBound(to: sockaddr.self)
      // Never to be held up by a service manager that does not read.
      _ = unsafe sendto(
        descriptor, text, text.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL),
        generic, length)
    }
  }
}
