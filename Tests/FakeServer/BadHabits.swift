// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Glibc
internal import Mux
internal import Publish

// The building blocks of bad servers.
extension Peer {
  static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

  /// Pseudo-random bytes, the same each time. Read as chunks they start with a message of 11 MB.
  static func noise(_ count: Int) -> [UInt8] {
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    return [3, 7, 7, 7]
      + (0..<count).map { index in
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return UInt8(truncatingIfNeeded: state >> 24) | (index == 0 ? 0xA0 : 0)
      }
  }

  /// Writes twenty bytes a second.
  func dribble(_ bytes: [UInt8]) throws {
    for byte in bytes {
      try write([byte])
      (MediaTime.now() + .milliseconds(50)).sleepUntil()
    }
  }

  /// - Parameter redirect: the server to which the publisher is sent.
  package func refuseConnect(
    _ code: String, _ description: String, redirect: String? = nil
  ) throws {
    if received.isEmpty { _ = try message() }
    let ex: [AMF0.Property] =
      redirect.map {
        [.init("ex", .object([.init("code", .number(302)), .init("redirect", .string($0))]))]
      } ?? []
    try send([
      .string("_error"), .number(1), .null,
      .object(
        [
          .init("level", .string("error")), .init("code", .string(code)),
          .init("description", .string(description)),
        ] + ex),
    ])
    readToEnd()
  }

  /// Reads and discards input while `body` runs.
  func readingAside(_ body: () throws -> Void) throws {
    let socket = socket
    let reader = MediaThread(name: "fake reader", urgency: .ordinary) {
      var bytes = Peer.zeros(65_536)
      while unsafe recv(socket, &bytes, bytes.count, 0) > 0 {}
    }
    defer {
      shutdown(socket, Int32(SHUT_RDWR))
      _ = reader.join(until: MediaTime.now() + .seconds(5))
    }
    try body()
  }
}
