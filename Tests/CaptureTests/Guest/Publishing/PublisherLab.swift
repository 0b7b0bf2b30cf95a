// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Mux
import TestSupport

@testable import Capture

/// What a receiver made of the bytes of a publisher.
struct Reception: Equatable {
  var events: [RTMPReceiver.Event] = []
  var answers: [UInt8] = []

  /// Passes the bytes on in portions, and accepts the stream.
  init(_ portions: some Sequence<ArraySlice<UInt8>>) {
    var receiver = RTMPReceiver()
    for portion in portions {
      take(receiver.receive(portion), from: &receiver)
      answers += receiver.takeAnswers()
    }
  }

  /// Passes the bytes on as a socket does.
  init(_ bytes: [UInt8]) {
    self.init(
      stride(from: 0, to: bytes.count, by: 65_536).lazy.map { bytes[$0...].prefix(65_536) })
  }

  private mutating func take(_ more: [RTMPReceiver.Event], from receiver: inout RTMPReceiver) {
    events += more
    if case .wantsToPublish? = more.last { take(receiver.accept(), from: &receiver) }
  }

  /// The FLV file.
  var file: [UInt8] {
    events.flatMap { if case .media(let bytes) = $0 { bytes } else { [] as [UInt8] } }
  }

  /// The reason of the refusal; `nil` if there was none.
  var refusal: String? {
    if case .refused(let reason)? = events.last { reason } else { nil }
  }
}

/// A tag of an FLV file.
struct ReadTag: Equatable {
  var type: UInt8
  var time: UInt32
  var body: [UInt8]

  /// The tags of a well-formed file.
  static func all(_ file: [UInt8]) -> [ReadTag] {
    var tags: [ReadTag] = []
    var rest = file.dropFirst(13)
    while rest.count >= 15 {
      var bytes = BigEndianReader(rest)
      guard let type = bytes.integer(1), let length = bytes.integer(3), let low = bytes.integer(3),
        let high = bytes.integer(1)
      else { break }
      tags.append(
        ReadTag(
          type: UInt8(type), time: UInt32(high << 24 | low),
          body: Array(rest.dropFirst(11).prefix(length))))
      rest = rest.dropFirst(15 + length)
    }
    return tags
  }
}

/// Writes what a publisher sends.
struct SenderScript {
  private(set) var bytes: [UInt8] = []
  var chunkSize = 128
  /// Whether the chunks within a message repeat an extended timestamp, as the specification demands.
  var repeatsTimestamp = true

  /// C0, C1 and C2.
  mutating func greet(version: UInt8 = 3) {
    bytes.append(version)
    bytes += (0..<3_072).map { UInt8(truncatingIfNeeded: $0) }
  }

  mutating func put(_ more: [UInt8]) { bytes += more }

  /// The basic header of a chunk.
  private static func basic(_ format: UInt8, _ channel: Int) -> [UInt8] {
    switch channel {
    case ..<64: [format << 6 | UInt8(channel)]
    case ..<320: [format << 6, UInt8(channel - 64)]
    default: [format << 6 | 1, UInt8((channel - 64) & 0xFF), UInt8((channel - 64) >> 8)]
    }
  }

  /// The chunks of a message.
  /// - Parameter time: the timestamp with format 0, else the difference.
  func chunks(
    _ type: UInt8, _ body: [UInt8], format: UInt8 = 0, channel: Int = 3, stream: UInt8 = 1,
    time: UInt32 = 0
  ) -> [[UInt8]] {
    let isExtended = time >= 0xFF_FFFF
    let extended = isExtended ? AMF0.bigEndian(time) : []
    var header = SenderScript.basic(format, channel)
    if format <= 2 { header += AMF0.bigEndian(isExtended ? 0xFF_FFFF : time).dropFirst() }
    if format <= 1 { header += AMF0.bigEndian(UInt32(body.count)).dropFirst() + [type] }
    if format == 0 { header += [stream, 0, 0, 0] }
    header += extended
    return stride(from: 0, to: max(1, body.count), by: chunkSize).map { start in
      let further = SenderScript.basic(3, channel) + (repeatsTimestamp ? extended : [])
      return (start == 0 ? header : further) + body[start..<min(start + chunkSize, body.count)]
    }
  }

  mutating func send(
    _ type: UInt8, _ body: [UInt8], format: UInt8 = 0, channel: Int = 3, stream: UInt8 = 1,
    time: UInt32 = 0
  ) {
    bytes += chunks(
      type, body, format: format, channel: channel, stream: stream, time: time
    ).joined()
  }

  mutating func command(_ values: [AMF0]) { send(0x14, AMF0.encode(values), stream: 0) }

  mutating func connect() {
    command([.string("connect"), .number(1), .object([.init("app", .string("live"))])])
  }

  mutating func publish(_ key: String = "key") {
    command([.string("publish"), .number(0), .null, .string(key), .string("live")])
  }

  mutating func setChunkSize(_ size: Int) {
    send(1, AMF0.bigEndian(UInt32(size)), channel: 2, stream: 0)
    chunkSize = size
  }

  /// Everything up to the stream.
  static func publishing() -> SenderScript {
    var script = SenderScript()
    script.greet()
    script.connect()
    script.command([.string("createStream"), .number(2), .null])
    script.publish()
    return script
  }
}
