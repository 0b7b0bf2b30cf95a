// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Mux

/// The messages of OnAir to a publisher, each in one chunk (RTMP specification 1.0, sections 5.4, 7.1 and 7.2).
enum RTMPAnswer {
  /// The size of the chunks that OnAir announces. Each of its messages is shorter.
  private static let chunkSize: UInt32 = 4_096
  /// How many bytes either side may send before it waits for an acknowledgement. Nobody waits; senders expect the message.
  static let windowBytes: UInt32 = 2_500_000
  /// The message stream that each publisher gets.
  static let streamID: UInt32 = 1
  /// Most bytes of a description: those of the text that comes from elsewhere.
  private static let maxDescriptionBytes = 1_024

  /// S0, S1 and S2 of the simple handshake (5.2). A publisher that sent a digest in C1 takes them, too: S1 has the version
  /// number 0, which says that there is no digest in it.
  static func handshake(_ c1: ArraySlice<UInt8>) -> [UInt8] {
    [3] + [UInt8](repeating: 0, count: 1_536) + c1
  }

  /// What precedes the answer to `connect`.
  static func limits() -> [UInt8] {
    message(type: 5, channel: 2, AMF0.bigEndian(windowBytes))
      // Limit type 2, "dynamic".
      + message(type: 6, channel: 2, AMF0.bigEndian(windowBytes) + [2])
      + message(type: 1, channel: 2, AMF0.bigEndian(chunkSize))
  }

  static func acknowledgement(_ bytes: Int) -> [UInt8] {
    message(type: 3, channel: 2, AMF0.bigEndian(UInt32(truncatingIfNeeded: bytes)))
  }

  /// The answer to a ping, with the four bytes of its timestamp.
  static func pong(_ timestamp: ArraySlice<UInt8>) -> [UInt8] {
    message(type: 4, channel: 2, [0, 7] + timestamp)
  }

  /// The user control message that says that a stream can be used.
  static func streamBegin(_ stream: UInt32) -> [UInt8] {
    message(type: 4, channel: 2, [0, 0] + AMF0.bigEndian(stream))
  }

  static func connected(transaction: Double) -> [UInt8] {
    result(
      transaction,
      .object([.init("fmsVer", .string("FMS/3,0,1,123")), .init("capabilities", .number(31))]),
      information(
        "status", "NetConnection.Connect.Success", "Connected.",
        // Commands of both sides are in AMF0, also where the publisher can do AMF3.
        [.init("objectEncoding", .number(0))]))
  }

  static func result(_ transaction: Double, _ object: AMF0, _ value: AMF0) -> [UInt8] {
    command([.string("_result"), .number(transaction), object, value], stream: 0)
  }

  /// An onStatus.
  static func status(
    _ level: String, _ code: String, _ description: String, stream: UInt32
  ) -> [UInt8] {
    command(
      [.string("onStatus"), .number(0), .null, information(level, code, description)],
      stream: stream)
  }

  private static func information(
    _ level: String, _ code: String, _ description: String, _ more: [AMF0.Property] = []
  ) -> AMF0 {
    let text = String(decoding: description.utf8.prefix(maxDescriptionBytes), as: UTF8.self)
    return .object(
      [
        .init("level", .string(level)), .init("code", .string(code)),
        .init("description", .string(text)),
      ] + more)
  }

  private static func command(_ values: [AMF0], stream: UInt32) -> [UInt8] {
    message(type: 0x14, channel: 3, stream: stream, AMF0.encode(values))
  }

  private static func message(
    type: UInt8, channel: UInt8, stream: UInt32 = 0, _ body: [UInt8]
  ) -> [UInt8] {
    [channel, 0, 0, 0] + AMF0.bigEndian(UInt32(body.count)).dropFirst() + [type]
      + AMF0.bigEndian(stream.byteSwapped) + body
  }
}
