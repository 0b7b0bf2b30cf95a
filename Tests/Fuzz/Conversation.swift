// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Mux
import Publish

/// Conversations of servers in chunks: the fuzzer's initial corpus.
struct Conversation {
  /// S0, S1 and S2, with zeros instead of random bytes (specification 5.2).
  static let handshake: [UInt8] = [3] + [UInt8](repeating: 0, count: 3_072)

  private(set) var bytes: [UInt8] = []
  private(set) var messages: [[UInt8]] = []
  private var chunkSize = 128

  init(_ build: (inout Conversation) -> Void) { build(&self) }

  /// - Parameters:
  ///   - channel: up to 319. From 64 on its id needs two bytes.
  ///   - time: from 0xFFFFFF on as an extended timestamp.
  mutating func say(
    type: UInt8, channel: Int = 2, stream: UInt8 = 0, time: Int = 0, _ body: [UInt8]
  ) {
    messages.append([type] + body)
    func basic(_ format: UInt8) -> [UInt8] {
      channel < 64 ? [format << 6 | UInt8(channel)] : [format << 6, UInt8(channel - 64)]
    }
    let extended = time >= 0xFF_FFFF ? Conversation.integer(time, 4) : []
    bytes += basic(0) + Conversation.integer(min(time, 0xFF_FFFF), 3)
    bytes += Conversation.integer(body.count, 3) + [type, stream, 0, 0, 0] + extended
    for start in stride(from: 0, to: max(1, body.count), by: chunkSize) {
      if start > 0 { bytes += basic(3) + extended }
      bytes += body[start..<min(start + chunkSize, body.count)]
    }
    if type == 1 { chunkSize = body.prefix(4).reduce(0) { $0 << 8 | Int($1) } }
  }

  mutating func say(_ command: [AMF0], stream: UInt8 = 0) {
    say(type: 0x14, channel: 3, stream: stream, AMF0.encode(command))
  }

  mutating func say(status code: String, level: String = "status", _ description: String = "") {
    say(
      [
        .string("onStatus"), .number(0), .null,
        .object([
          .init("level", .string(level)), .init("code", .string(code)),
          .init("description", .string(description)),
        ]),
      ], stream: 1)
  }

  mutating func say(raw: [UInt8]) { bytes += raw }

  mutating func sayChunkSize(_ size: Int) { say(type: 1, Conversation.integer(size, 4)) }

  /// Replies to "connect", "createStream" and "publish" with librtmp's transaction ids.
  mutating func sayAccepted() {
    sayConnected()
    say([.string("_result"), .number(4), .null, .number(1)])
    say(status: "NetStream.Publish.Start", "Start publishing")
  }

  mutating func sayConnected() {
    say([
      .string("_result"), .number(1),
      .object([.init("fmsVer", .string("FMS/3,0,1,123")), .init("capabilities", .number(31))]),
      .object([
        .init("level", .string("status")), .init("code", .string("NetConnection.Connect.Success")),
        .init("description", .string("Connection succeeded.")), .init("objectEncoding", .number(0)),
      ]),
    ])
  }

  static func integer(_ value: Int, _ width: Int) -> [UInt8] {
    (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * (width - 1 - $0))) }
  }
}

// MARK: Conversations of real and unusual servers

extension Conversation {
  private static let ping: [UInt8] = [0, 6, 0, 0, 0x12, 0x34]

  /// nginx-rtmp: control messages, a large chunk size, then the answers.
  private static let nginx = Conversation {
    $0.say(type: 5, integer(5_000_000, 4))
    $0.say(type: 6, integer(5_000_000, 4) + [2])
    $0.sayChunkSize(4_096)
    $0.sayAccepted()
    $0.say(type: 4, ping)
    $0.say(type: 3, integer(100_000, 4))
    $0.say(status: "NetStream.Unpublish.Success", "Stop publishing")
  }

  /// SRS: a reply to each call, and calls of its own.
  private static let srs = Conversation {
    $0.say(type: 5, integer(2_500_000, 4))
    $0.say(type: 6, integer(2_500_000, 4) + [2])
    $0.sayChunkSize(60_000)
    $0.say([
      .string("_result"), .number(1),
      .object([.init("fmsVer", .string("FMS/3,5,3,888")), .init("mode", .number(1))]),
      .object([
        .init("level", .string("status")), .init("code", .string("NetConnection.Connect.Success")),
        .init(
          "data",
          .ecmaArray([.init("version", .string("3,5,3,888")), .init("id", .number(4_711))])),
      ]),
    ])
    $0.say([.string("onBWDone"), .number(0), .null])
    $0.say([.string("_result"), .number(2), .null, .undefined])
    $0.say([.string("_result"), .number(3), .null, .undefined])
    $0.say([.string("_result"), .number(4), .null, .number(1)])
    $0.say([.string("onFCPublish"), .number(0), .null, .object([.init("code", .string("x"))])])
    $0.say(status: "NetStream.Publish.Start", "Started publishing stream.")
    $0.say([.string("_onbwcheck"), .number(7), .null])
    $0.say([.string("ping"), .number(8), .null])
    $0.say([.string("close"), .number(0), .null])
  }

  private static let authentication = Conversation {
    $0.say([
      .string("_error"), .number(1), .null,
      .object([
        .init("level", .string("error")), .init("code", .string("NetConnection.Connect.Rejected")),
        .init(
          "description",
          .string("[ AccessManager.Reject ] : [ code=403 need auth; authmod=adobe ] : ")),
      ]),
    ])
  }

  private static func refusal(_ code: String) -> Conversation {
    Conversation {
      $0.sayConnected()
      $0.say([.string("_result"), .number(4), .null, .number(1)])
      $0.say(status: code, level: "error", "stream swordfish?auth=xyzzy")
    }
  }

  /// Unusual, but allowed by the specification.
  private static let odd = Conversation {
    $0.sayChunkSize(1)
    $0.say(type: 4, channel: 70, ping)
    $0.sayChunkSize(100)
    $0.say(type: 0x14, channel: 3, time: 0x0123_4567, AMF0.encode([.string("ping")]))
    $0.say(type: 8, channel: 4, [])
    $0.say(type: 8, channel: 5, time: 0xFF_FFFF, [UInt8](repeating: 1, count: 300))
    $0.say(type: 8, channel: 5, time: 0xFF_FFFF, [1])
    $0.say(raw: [0xC5] + integer(0xFF_FFFF, 4) + [2])
    // An abort, an aggregate, shared objects, a command in AMF3.
    $0.say(type: 2, integer(5, 4))
    $0.say(type: 0x16, channel: 6, [UInt8](repeating: 8, count: 40))
    $0.say(type: 0x13, channel: 6, [1, 2, 3])
    $0.say(type: 0x10, channel: 6, [1, 2, 3])
    $0.say(
      type: 0x11, channel: 3, [0] + AMF0.encode([.string("_result"), .number(1), .null, .null]))
    // A new chunk size between the chunks of a message.
    $0.say(raw: [7, 0, 0, 0, 0, 0, 250, 9, 1, 0, 0, 0] + [UInt8](repeating: 3, count: 100))
    $0.sayChunkSize(150)
    $0.say(type: 4, ping)
    $0.say(raw: [0xC7] + [UInt8](repeating: 4, count: 150))
    $0.sayAccepted()
    $0.say(raw: [0x82, 0, 0, 1] + ping + [0xC2] + ping)
    $0.say(raw: [0x01, 0xFF, 0x00])
  }

  /// Many acknowledgements, and calls that expect a reply.
  private static let noisy = Conversation {
    $0.say(type: 6, integer(10_000, 4) + [2])
    $0.sayChunkSize(1_000)
    $0.sayAccepted()
    for _ in 0..<20 {
      $0.say(type: 4, ping)
      $0.say([.string("onBWDone"), .number(0), .null])
      $0.say(type: 0x14, channel: 3, [UInt8](repeating: 5, count: 500))
    }
  }

  /// Incomplete messages on many channels.
  private static let parts = Conversation { talk in
    for id in 64..<184 {
      let header: [UInt8] = [0, UInt8(id - 64), 0, 0, 0]
      talk.say(raw: header + integer(500, 3) + [8, 0, 0, 0, 0])
      talk.say(raw: [UInt8](repeating: 0, count: 128))
    }
  }

  /// Nested values of each kind.
  private static let values = Conversation {
    $0.say([
      .string("_result"), .number(1),
      .strictArray([.null, .undefined, .boolean(true), .date(1), .strictArray([.number(.nan)])]),
      .object([
        .init("a", .ecmaArray([.init("b", .object([.init("c", .string("d"))]))])),
        .init("code", .number(1)), .init("description", .string("\u{202E}é\n\u{FFFF}")),
      ]),
    ])
    $0.say(type: 0x14, [0x0C, 0, 0, 0, 7] + Array("_result".utf8) + [0, 0, 0, 0, 0, 0, 0, 0, 0])
    $0.say([.string("_result"), .number(.infinity), .null, .number(1e300)])
  }

  /// The initial corpus, by name.
  static var seeds: [(name: String, input: [UInt8])] {
    var all: [(String, Conversation)] = [
      ("nginx", nginx), ("srs", srs), ("authentication", authentication), ("odd", odd),
      ("noisy", noisy), ("parts", parts), ("values", values),
    ]
    for code in [
      "NetStream.Publish.BadName", "NetStream.Publish.Denied", "NetStream.Failed",
      "NetConnection.Connect.Closed", "NetConnection.Connect.InvalidApp",
    ] { all.append((code, refusal(code))) }
    var seeds: [(name: String, input: [UInt8])] = []
    for (name, talk) in all {
      seeds.append(("\(name)-whole", [0, 0] + talk.bytes))
      seeds.append(("\(name)-pieces", [0, 7] + talk.bytes))
      seeds.append(("\(name)-deaf", [Choices.deaf.rawValue, 40] + talk.bytes))
      seeds.append(("\(name)-goodbye", [Choices.goodbye.rawValue, 7] + talk.bytes))
      seeds.append(("\(name)-messages", [Choices.messagesOnly.rawValue, 9] + talk.bytes))
      for (index, message) in talk.messages.prefix(12).enumerated() {
        seeds.append(("\(name)-message-\(index)", [Choices.parsersOnly.rawValue, 0] + message))
      }
    }
    // With each size of the buffer another reply, or a part of it, does not fit.
    for buffer in stride(from: UInt8(20), through: 120, by: 2) {
      seeds.append(("deaf-\(buffer)", [Choices.deaf.rawValue, buffer] + noisy.bytes))
    }
    let own = Choices.ownHandshake.rawValue
    for (name, version) in [("plain", UInt8(3)), ("encrypted", 6), ("wrong", 72)] {
      let greeting = [version] + handshake.dropFirst()
      seeds.append(("handshake-\(name)", [own, 5] + greeting + nginx.bytes))
    }
    seeds.append(("handshake-short", [own, 1] + handshake.prefix(2_000)))
    return seeds
  }
}
