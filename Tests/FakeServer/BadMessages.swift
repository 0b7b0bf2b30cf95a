// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Mux
internal import Publish

// Servers that send malformed messages or too many, and unusual ones that are good.
extension BadServer {
  // MARK: Malformed

  static let malformed = [
    broken("a message of 16 MB") {
      try $0.write([3, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0x14, 0, 0, 0, 0])
    },
    broken("a message of 8,193 bytes") {
      try $0.write([3, 0, 0, 0, 0, 0x20, 1, 0x14, 0, 0, 0, 0])
    },
    // librtmp checks the length of the first chunk only.
    broken("a longer message within a short one") { peer in
      let part = [UInt8](repeating: 1, count: 128)
      try peer.write([3, 0, 0, 0, 0, 0, 200, 0x14, 0, 0, 0, 0] + part)
      try peer.write([0x43, 0, 0, 0, 0, 0x1F, 0x00, 0x14] + part)
    },
    broken("chunks of no bytes") { try $0.send(type: 1, channel: 2, [0, 0, 0, 0]) },
    broken("a window of half a number") { try $0.send(type: 6, channel: 2, [1]) },
    broken("a stream's number in words") { peer in
      try peer.answer(upTo: "createStream")
      try peer.send([.string("_result"), .number(4), .null, .string("one")])
    },
  ]

  private static func broken(_ name: String, _ script: @escaping Script) -> BadServer {
    bad(name, "server_misbehaved", .growing) { peer in
      try peer.greet()
      try script(peer)
      peer.readToEnd()
    }
  }

  // MARK: Flooding with valid messages

  static let flooding = [
    flood("floods with pings", type: 4, [0, 6, 0, 0, 0, 1]),
    flood("floods with acknowledgements", type: 3, [0, 0, 0, 1]),
    flood(
      "floods with commands", type: 0x14, AMF0.encode([.string("onHello"), .number(0), .null])),
  ]

  private static func flood(_ name: String, type: UInt8, _ body: [UInt8]) -> BadServer {
    bad(name, "server_misbehaved", .growing, load: .stream) { peer in
      try peer.accept()
      // The replies have to be read, or the flood would block.
      try peer.readingAside { while true { try peer.send(type: type, channel: 2, body) } }
    }
  }

  // MARK: Unusual, but good

  static let good = [
    BadServer(
      name: "IPv6 only",
      place: .ipv6 { peer in
        try peer.accept()
        peer.readToEnd()
      }, codes: [], retry: .none),
    // Some relays send a version in the handshake, but no digest.
    BadServer(
      name: "a versioned handshake",
      place: .ipv4 { peer in
        let client = try peer.read(1_537)
        try peer.write([3, 0, 0, 0, 1, 3, 5, 1, 1] + Peer.noise(1_524) + client.dropFirst())
        _ = try peer.read(1_536)
        try peer.answer(upTo: "publish")
        try peer.status("NetStream.Publish.Start")
        peer.readToEnd()
      }, codes: [], retry: .none),
  ]
}
