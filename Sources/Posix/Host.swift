// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// Properties of this machine, and the user of this process.
public enum Host {
  /// The host name of this machine (gethostname(2)); empty if it cannot be read.
  public static var name: String {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let start = buffer.baseAddress, unsafe gethostname(start, 255) == 0 else { return "" }
      unsafe buffer[255] = 0
      return unsafe String(cString: start)
    }
  }

  /// The effective user ID (UID) of this process (geteuid(2)).
  public static var userID: UInt32 { geteuid() }

  /// The IPv4 addresses of this machine's network interfaces, without the loopback interface (getifaddrs(3)).
  public static var addresses: [String] {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard unsafe getifaddrs(&list) == 0 else { return [] }
    defer { unsafe freeifaddrs(list) }
    var addresses: [String] = []
    var next = unsafe list
    while let entry = unsafe next {
      unsafe next = entry.pointee.ifa_next
      guard unsafe entry.pointee.ifa_flags & UInt32(IFF_LOOPBACK) == 0,
        let address = unsafe entry.pointee.ifa_addr,
        unsafe address.pointee.sa_family == sa_family_t(AF_INET)
      else { continue }
      let number = unsafe address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
        unsafe UInt32(bigEndian: $0.pointee.sin_addr.s_addr)
      }
      addresses.append([24, 16, 8, 0].map { "\(number >> $0 & 255)" }.joined(separator: "."))
    }
    return addresses
  }

  /// The IP addresses of all network interfaces of this machine, 4 or 16 bytes each, in network byte order
  /// (getifaddrs(3)).
  public static var interfaceAddresses: [[UInt8]] {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard unsafe getifaddrs(&list) == 0 else { return [] }
    defer { unsafe freeifaddrs(list) }
    var addresses: [[UInt8]] = []
    var next = unsafe list
    while let entry = unsafe next {
      unsafe next = entry.pointee.ifa_next
      guard let address = unsafe entry.pointee.ifa_addr else { continue }
      // The address is at offset 4 of a sockaddr_in, at offset 8 of a sockaddr_in6.
      let place: (offset: Int, length: Int)
      switch unsafe Int32(address.pointee.sa_family) {
      case AF_INET: place = (4, 4)
      case AF_INET6: place = (8, 16)
      default: continue
      }
      let bytes = unsafe UnsafeRawPointer(address) + place.offset
      addresses.append(
        unsafe Array(UnsafeRawBufferPointer(start: bytes, count: place.length)))
    }
    return addresses
  }

  /// The IANA name of the system's time zone, such as "Europe/Berlin". The name is taken from the environment variable
  /// TZ, else from the symbolic link /etc/localtime (localtime(5)); "UTC" if neither is set.
  public static let timeZone: String = {
    if let named = unsafe getenv("TZ").map({ unsafe String(cString: $0) }), !named.isEmpty {
      return named.hasPrefix(":") ? String(named.dropFirst()) : named
    }
    var target = [UInt8](repeating: 0, count: 4_096)
    let count = unsafe readlink("/etc/localtime", &target, target.count)
    let path = String(decoding: target.prefix(max(0, count)), as: UTF8.self)
    let name = path.firstRange(of: "zoneinfo/").map { String(path[$0.upperBound...]) }
    return name.flatMap { $0.isEmpty ? nil : $0 } ?? "UTC"
  }()
}
