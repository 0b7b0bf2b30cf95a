// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// The level of the speed governor, from the metrics of a running OnAir.
enum EncoderLevel {
  private static let metric = "onair_video_speed_level"

  /// - Returns: `nil` if there is no such metric (at a fixed speed), or no OnAir.
  static func read(stateFolder: String) -> Double? {
    let text = get("/metrics", socket: "\(stateFolder)/control")
    let line = text.split(whereSeparator: \.isNewline).first { $0.hasPrefix(metric) }
    return line?.split(separator: " ").last.flatMap { Double(String($0)) }
  }

  /// The response to a request at a Unix socket; empty if nobody answers at once.
  private static func get(_ path: String, socket file: String) -> String {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var patience = timeval(tv_sec: 0, tv_usec: 200_000)
    let length = socklen_t(MemoryLayout<timeval>.size)
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, length)
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, length)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    guard file.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { return "" }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: file.utf8) }
    let connected = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    let request = Array("GET \(path) HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n\r\n".utf8)
    guard connected, unsafe write(descriptor, request, request.count) == request.count else {
      return ""
    }
    var response: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe recv(descriptor, &block, block.count, 0)
      guard count > 0 else { return String(decoding: response, as: UTF8.self) }
      response += block[..<count]
    }
  }
}
