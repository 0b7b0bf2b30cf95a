// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Looks at what a server sent before librtmp does (RTMP specification 1.0, section 5.3.1).
///
/// librtmp reads chunk by chunk, blocking, and trusts the headers: a new length in the middle of a
/// message makes it write behind the message's buffer, and a length is a promise to allocate up to
/// 16 MB. So librtmp is only called when a whole chunk is there, which then never blocks, and only
/// when the chunk is one that a sane server sends to a publisher.
struct ChunkGate {
  /// The longest message that is taken. The longest that servers send are the answers to
  /// "connect", of some hundred bytes.
  static let longestMessage = 8_192
  /// Bytes of all messages that have begun and not ended, for which librtmp makes room at once.
  static let longestBegun = 65_536
  /// Chunk stream ids in one or two bytes; servers use 2 to 8 or so.
  static let channels = 320

  enum Verdict: Equatable {
    /// Wait for more bytes.
    case incomplete
    /// The first so many bytes are one whole chunk.
    case whole(Int)
    /// No sane server sends this.
    case refused
  }

  private struct Channel {
    var known = false
    var length = 0
    var read = 0
    var extended = false
  }

  private var state = [Channel](repeating: Channel(), count: ChunkGate.channels)
  /// Bytes of the messages that have begun and not ended, at their full lengths.
  private var begun = 0

  /// Judges the chunk that `bytes` begin with. After `.whole` the caller must consume it.
  /// - Parameter chunkSize: the server's present chunk size, at least 1.
  mutating func judge(_ bytes: Span<UInt8>, chunkSize: Int) -> Verdict {
    guard bytes.count >= 1 else { return .incomplete }
    let format = bytes[0] >> 6
    var id = Int(bytes[0] & 0x3F)
    var position = 1
    switch id {
    case 0:
      guard bytes.count >= 2 else { return .incomplete }
      id = 64 + Int(bytes[1])
      position = 2
    case 1:
      guard bytes.count >= 3 else { return .incomplete }
      id = 64 + Int(bytes[1]) + Int(bytes[2]) << 8
      position = 3
    default: break
    }
    guard id < ChunkGate.channels else { return .refused }
    var channel = state[id]

    // A message header in the middle of a message: only a continuation may come there.
    if channel.read > 0, format != 3 { return .refused }
    // Nothing to take the length from.
    if !channel.known, format >= 2 { return .refused }

    let headerBytes = [11, 7, 3, 0][Int(format)]
    guard bytes.count >= position + headerBytes else { return .incomplete }
    if format <= 2 {
      channel.extended = ChunkGate.integer24(bytes, at: position) == 0xFF_FFFF
    }
    if format <= 1 {
      channel.length = ChunkGate.integer24(bytes, at: position + 3)
      channel.known = true
    }
    guard channel.length <= ChunkGate.longestMessage else { return .refused }
    position += headerBytes + (channel.extended ? 4 : 0)

    let payload = min(chunkSize, channel.length - channel.read)
    guard bytes.count >= position + payload else { return .incomplete }
    let begins = channel.read == 0 ? channel.length : 0
    guard begun + begins <= ChunkGate.longestBegun else { return .refused }
    begun += begins
    channel.read += payload
    if channel.read == channel.length {
      begun -= channel.length
      channel.read = 0
    }
    state[id] = channel
    return .whole(position + payload)
  }

  private static func integer24(_ bytes: Span<UInt8>, at place: Int) -> Int {
    Int(bytes[place]) << 16 | Int(bytes[place + 1]) << 8 | Int(bytes[place + 2])
  }
}
