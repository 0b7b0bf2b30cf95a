// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// This box's own end of the way out, as the kernel tells it in files.
struct LocalNetwork: Equatable {
  /// The interface of the default route; `nil` without one.
  var interface: String?
  var hasCarrier = false
  /// Of the radio, if it is one, in dBm.
  var signalDBm: Int?

  init() {
    interface =
      LocalNetwork.defaultInterface(
        v4: LocalNetwork.read("/proc/net/route"), v6: LocalNetwork.read("/proc/net/ipv6_route"))
    guard let interface else { return }
    hasCarrier = LocalNetwork.read("/sys/class/net/\(interface)/carrier").hasPrefix("1")
    signalDBm = LocalNetwork.signal(of: interface, LocalNetwork.read("/proc/net/wireless"))
  }

  /// The interface of the default route of least metric (proc(5)).
  static func defaultInterface(v4: String, v6: String) -> String? {
    var best: (metric: Int, name: String)?
    for line in v4.split(separator: "\n").dropFirst() {
      let fields = line.split(whereSeparator: { $0 == "\t" || $0 == " " })
      guard fields.count >= 8, fields[1] == "00000000", fields[7] == "00000000",
        let flags = Int(fields[3], radix: 16), flags & 1 != 0, let metric = Int(fields[6])
      else { continue }
      if metric < best?.metric ?? .max { best = (metric, String(fields[0])) }
    }
    if let best { return best.name }
    for line in v6.split(separator: "\n") {
      let fields = line.split(separator: " ")
      guard fields.count >= 10, fields[1] == "00", fields[0].allSatisfy({ $0 == "0" }),
        fields[9] != "lo", let flags = Int(fields[8], radix: 16), flags & 1 != 0,
        let metric = Int(fields[5], radix: 16)
      else { continue }
      if metric < best?.metric ?? .max { best = (metric, String(fields[9])) }
    }
    return best?.name
  }

  /// The level of a radio, from the wireless extensions' table.
  static func signal(of interface: String, _ table: String) -> Int? {
    for line in table.split(separator: "\n") {
      let fields = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
      guard fields.first == "\(interface):", fields.count >= 4 else { continue }
      return Int(fields[3].prefix { $0 == "-" || $0.isNumber })
    }
    return nil
  }

  private static func read(_ path: String) -> String {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe Glibc.read(descriptor, &bytes, bytes.count)
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : ""
  }
}
