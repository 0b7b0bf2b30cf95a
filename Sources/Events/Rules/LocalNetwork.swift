// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Posix

/// The state of the network interface with this machine's default route, read from /proc and /sys.
struct LocalNetwork: Equatable {
  /// The name of the interface with the default route; `nil` if there is no default route.
  var interface: String?
  /// Whether the interface has a link: a cable or a radio connection.
  var hasCarrier = false
  /// The signal level in dBm; `nil` if the interface is no radio.
  var signalDBm: Int?

  init() {
    interface =
      LocalNetwork.defaultInterface(
        v4: File.kernelText("/proc/net/route") ?? "",
        v6: File.kernelText("/proc/net/ipv6_route") ?? "")
    guard let interface else { return }
    hasCarrier = File.firstLine("/sys/class/net/\(interface)/carrier") == "1"
    signalDBm = File.kernelText("/proc/net/wireless").flatMap {
      LocalNetwork.signal(of: interface, $0)
    }
  }

  /// The interface of the default route with the smallest metric; `nil` if there is no default route. IPv6 counts only
  /// if IPv4 has none.
  /// - Parameters:
  ///   - v4: the content of /proc/net/route (proc(5)).
  ///   - v6: the content of /proc/net/ipv6_route.
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

  /// The signal level of a radio in dBm; `nil` if the interface is no radio.
  /// - Parameter table: the content of /proc/net/wireless.
  static func signal(of interface: String, _ table: String) -> Int? {
    for line in table.split(separator: "\n") {
      let fields = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
      guard fields.first == "\(interface):", fields.count >= 4 else { continue }
      return Int(fields[3].prefix { $0 == "-" || $0.isNumber })
    }
    return nil
  }
}
