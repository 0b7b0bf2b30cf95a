// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Checks each chunk from the server before librtmp reads it (RTMP specification 1.0, section 5.3.1).
///
/// librtmp blocks while it reads a chunk, and it trusts the header: a new length in the middle of a message makes
/// it write past the end of the message's buffer, and it allocates whatever length the header claims, up to
/// 16 MB. So librtmp is called only when a whole chunk has arrived, which it reads without blocking, and only
/// when a sane server could have sent that chunk to a publisher.
struct ChunkGate {
  /// The longest message that is accepted. The longest that servers send to a publisher, the reply to "connect",
  /// has a few hundred bytes.
  static let maxMessageBytes = 8_192
  /// The most bytes of all incomplete messages together. librtmp allocates the whole message at its first chunk.
  static let maxIncompleteBytes = 65_536
  /// Accepted chunk stream ids are below this number, so that they fit in one or two bytes. Servers use 2 to about 8.
  static let chunkStreamLimit = 320

  /// The result of the check of a chunk.
  enum Verdict: Equatable {
    /// The chunk has not arrived completely yet.
    case incomplete
    /// The chunk has arrived completely and is valid. The value is its length in bytes, including its header.
    case complete(Int)
    /// The chunk is one that no sane server sends.
    case rejected
  }

  /// The state of one chunk stream: its last message's length, and how many bytes of that have been read.
  private struct ChunkStream {
    var isLengthKnown = false
    var length = 0
    var readBytes = 0
    var hasExtendedTimestamp = false
  }

  /// The states of all chunk streams, by their ids.
  private var streams = [ChunkStream](repeating: ChunkStream(), count: ChunkGate.chunkStreamLimit)
  /// The sum of the full lengths of all incomplete messages.
  private var incompleteBytes = 0

  /// Checks the chunk at the start of `bytes`. After `.complete` the caller has to consume the chunk.
  /// - Parameter chunkSize: the server's current chunk size, at least 1.
  mutating func check(_ bytes: Span<UInt8>, chunkSize: Int) -> Verdict {
    guard bytes.count >= 1 else { return .incomplete }
    let format = bytes[0] >> 6
    var id = Int(bytes[0] & 0x3F)
    // The index of the next byte to check. The basic header has one to three bytes.
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
    guard id < ChunkGate.chunkStreamLimit else { return .rejected }
    var stream = streams[id]

    // Within a message only a continuation (format 3) is allowed.
    if stream.readBytes > 0, format != 3 { return .rejected }
    // Formats 2 and 3 take the length from an earlier message, and there was none.
    if !stream.isLengthKnown, format >= 2 { return .rejected }

    let headerBytes = [11, 7, 3, 0][Int(format)]
    guard bytes.count >= position + headerBytes else { return .incomplete }
    if format <= 2 {
      stream.hasExtendedTimestamp = ChunkGate.integer24(bytes, at: position) == 0xFF_FFFF
    }
    if format <= 1 {
      stream.length = ChunkGate.integer24(bytes, at: position + 3)
      stream.isLengthKnown = true
    }
    guard stream.length <= ChunkGate.maxMessageBytes else { return .rejected }
    position += headerBytes + (stream.hasExtendedTimestamp ? 4 : 0)

    let payload = min(chunkSize, stream.length - stream.readBytes)
    guard bytes.count >= position + payload else { return .incomplete }
    let begins = stream.readBytes == 0 ? stream.length : 0
    guard incompleteBytes + begins <= ChunkGate.maxIncompleteBytes else { return .rejected }
    incompleteBytes += begins
    stream.readBytes += payload
    if stream.readBytes == stream.length {
      incompleteBytes -= stream.length
      stream.readBytes = 0
    }
    streams[id] = stream
    return .complete(position + payload)
  }

  /// The big-endian integer in the three bytes from `index` on.
  private static func integer24(_ bytes: Span<UInt8>, at index: Int) -> Int {
    Int(bytes[index]) << 16 | Int(bytes[index + 1]) << 8 | Int(bytes[index + 2])
  }
}
