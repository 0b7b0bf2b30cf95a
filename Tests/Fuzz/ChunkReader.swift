// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// A second reader of chunks, strictly by the RTMP specification 1.0, section 5.3.1. The program's own reader is
/// compared with it.
struct ChunkReader {
  private struct Channel {
    var type: UInt8 = 0
    var length = 0
    var extended = false
    var body: [UInt8]?
  }

  private var bytes: ArraySlice<UInt8>
  private var chunkSize = 128
  private var channels: [Int: Channel] = [:]

  init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

  /// The next complete message; `nil` at the end, or where the specification is violated.
  mutating func message() -> (type: UInt8, body: [UInt8])? {
    while let basic = integer(1) {
      let format = basic >> 6
      guard let id = channelID(basic & 0x3F) else { return nil }
      var channel = channels[id] ?? Channel()
      guard format == 3 || channel.body == nil else { return nil }
      if format <= 2 {
        guard let time = integer(3) else { return nil }
        channel.extended = time == 0xFF_FFFF
      }
      if format <= 1 {
        guard let length = integer(3), let type = integer(1) else { return nil }
        (channel.length, channel.type) = (length, UInt8(type))
      }
      if format == 0 { guard integer(4) != nil else { return nil } }
      // The specification repeats it in each chunk of the message.
      if channel.extended { guard integer(4) != nil else { return nil } }
      var body = channel.body ?? []
      guard let part = take(min(chunkSize, channel.length - body.count)) else { return nil }
      body += part
      let isWhole = body.count == channel.length
      channel.body = isWhole ? nil : body
      channels[id] = channel
      guard isWhole else { continue }
      if channel.type == 1, body.count >= 4 {
        chunkSize = body.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      }
      return (channel.type, body)
    }
    return nil
  }

  private mutating func channelID(_ basic: Int) -> Int? {
    switch basic {
    case 0: return integer(1).map { 64 + $0 }
    case 1:
      guard let low = integer(1), let high = integer(1) else { return nil }
      return 64 + low + high << 8
    default: return basic
    }
  }

  private mutating func integer(_ width: Int) -> Int? {
    take(width).map { $0.reduce(0) { $0 << 8 | Int($1) } }
  }

  private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    guard bytes.count >= count else { return nil }
    defer { bytes = bytes.dropFirst(count) }
    return bytes.prefix(count)
  }
}
