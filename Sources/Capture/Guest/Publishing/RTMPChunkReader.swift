// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Mux

/// A message of a publisher (RTMP specification 1.0, section 5.3).
struct RTMPMessage: Equatable {
  /// The message type id.
  var type: UInt8 = 0
  /// The message stream id.
  var stream: UInt32 = 0
  /// The timestamp in milliseconds, modulo 2^32.
  var time: UInt32 = 0
  var body: [UInt8] = []
}

/// Why a publisher is disconnected: a sentence.
struct RTMPFault: Error, Equatable {
  let reason: String
  init(_ reason: String) { self.reason = reason }
}

/// Reassembles messages from chunks (RTMP specification 1.0, section 5.3.1), which may be malformed or hostile.
struct RTMPChunkReader {
  /// Most bytes of all messages that are not complete yet, by the lengths that their headers announce. This is thus also
  /// the longest message.
  static let maxBytes = 8 << 20
  /// Most chunk streams. Senders use three to six.
  static let maxStreams = 16
  /// Most bytes of a command, such as `connect`.
  static let maxCommandBytes = 16_384

  /// The header of a chunk (5.3.1).
  private struct Header {
    /// The timestamp in format 0, else the difference to the one before.
    var time: UInt32 = 0
    /// The extended timestamp; `nil` if there is none.
    var extended: UInt32?
    /// The length of the message.
    var length = 0
    var type: UInt8 = 0
    var stream: UInt32 = 0
    /// The length of the header.
    var bytes = 0
  }

  private struct Stream {
    let id: Int
    /// The first header of the last message.
    var header = Header()
    /// The timestamp of the last message.
    var time: UInt32 = 0
    /// What has come of a message that is not complete; otherwise empty.
    var body: [UInt8] = []
  }

  /// The most bytes of a chunk, without its header; at least 1.
  private(set) var chunkSize = 128
  private var streams: [Stream] = []
  /// The lengths of all messages that are not complete yet.
  private var announced = 0

  /// Bytes of messages that are not complete yet.
  var heldBytes: Int { streams.reduce(0) { $0 + $1.body.count } }

  /// Obeys Set Chunk Size. The specification allows sizes up to 2^31 - 1; a chunk is never longer than its message.
  mutating func setChunkSize(_ size: UInt32) throws(RTMPFault) {
    guard (1...0x7FFF_FFFF).contains(size) else {
      throw RTMPFault("The sender announced chunks of \(size) bytes, which RTMP does not allow.")
    }
    chunkSize = Int(size)
  }

  /// Obeys Abort Message: discards the message that is incomplete on a chunk stream.
  mutating func abort(_ id: UInt32) {
    guard let index = streams.firstIndex(where: { $0.id == Int(id) }), !streams[index].body.isEmpty
    else { return }
    _ = finish(index)
  }

  /// Reads one chunk.
  /// - Returns: its length with its header, and the message that it completes; `nil` if the chunk is incomplete.
  mutating func read(
    _ input: ArraySlice<UInt8>
  ) throws(RTMPFault) -> (bytes: Int, message: RTMPMessage?)? {
    var bytes = BigEndianReader(input)
    guard let first = bytes.integer(1), let id = RTMPChunkReader.streamID(first, &bytes) else {
      return nil
    }
    let format = first >> 6
    let known = streams.firstIndex { $0.id == id }
    let done = known.map { streams[$0].body.count } ?? 0
    guard done == 0 || format == 3 else {
      throw RTMPFault("The sender began an RTMP message within another one.")
    }
    // librtmp begins a chunk stream with format 1 at times.
    guard known != nil || format < 2 else {
      throw RTMPFault("The sender referred to an RTMP message that it did not send.")
    }
    let last = known.map { streams[$0].header } ?? Header()
    guard let header = RTMPChunkReader.header(format, after: last, isFirst: done == 0, &bytes)
    else { return nil }
    if done == 0 { try check(header, isNew: known == nil) }
    let count = min(chunkSize, header.length - done)
    guard bytes.left >= count else { return nil }

    if known == nil { streams.append(Stream(id: id)) }
    let index = known ?? streams.count - 1
    if done == 0 { begin(index, header, isAbsolute: format == 0) }
    let start = input.startIndex + header.bytes
    streams[index].body += input[start..<start + count]
    let isComplete = done + count == header.length
    return (header.bytes + count, isComplete ? finish(index) : nil)
  }

  /// The chunk stream id of a basic header (5.3.1.1), whose first byte was read.
  private static func streamID(_ first: Int, _ bytes: inout BigEndianReader) -> Int? {
    switch first & 0x3F {
    case 0: return bytes.integer(1).map { 64 + $0 }
    case 1:
      guard let low = bytes.integer(1), let high = bytes.integer(1) else { return nil }
      return 64 + low + high << 8
    case let id: return id
    }
  }

  /// Reads a message header and an extended timestamp (5.3.1.2, 5.3.1.3); `nil` if they are incomplete.
  /// - Parameters:
  ///   - last: the first header of the last message of the chunk stream, which has the fields that this one leaves out.
  ///   - isFirst: whether the chunk is the first of its message.
  private static func header(
    _ format: Int, after last: Header, isFirst: Bool, _ bytes: inout BigEndianReader
  ) -> Header? {
    var header = last
    if format <= 2 {
      guard let time = bytes.integer(3) else { return nil }
      header.time = UInt32(time)
      header.extended = time == 0xFF_FFFF ? 0 : nil
    }
    if format <= 1 {
      guard let length = bytes.integer(3), let type = bytes.integer(1) else { return nil }
      (header.length, header.type) = (length, UInt8(type))
    }
    if format == 0 {
      // The only field whose lowest byte comes first.
      guard let stream = bytes.integer(4) else { return nil }
      header.stream = UInt32(stream).byteSwapped
    }
    if format <= 2, header.extended != nil {
      guard let time = bytes.integer(4) else { return nil }
      (header.time, header.extended) = (UInt32(time), UInt32(time))
    } else if let extended = header.extended {
      // Some senders do not repeat the extended timestamp within a message: then these are bytes of the message.
      let repeated = AMF0.bigEndian(extended)
      let next = bytes.next(4)
      if isFirst || repeated.starts(with: next) {
        guard bytes.integer(4) != nil else { return nil }
      }
    }
    header.bytes = bytes.read
    return header
  }

  /// Checks a message before its bytes are waited for.
  /// - Parameter isNew: whether it is the first of its chunk stream.
  private func check(_ header: Header, isNew: Bool) throws(RTMPFault) {
    guard !isNew || streams.count < RTMPChunkReader.maxStreams else {
      throw RTMPFault("The sender uses more than \(RTMPChunkReader.maxStreams) chunk streams.")
    }
    let isCommand = header.type == 0x14 || header.type == 0x11
    let limit = isCommand ? RTMPChunkReader.maxCommandBytes : RTMPChunkReader.maxBytes - announced
    guard header.length <= limit else {
      throw RTMPFault("The sender announced an RTMP message of \(header.length) bytes.")
    }
  }

  /// Begins a message.
  /// - Parameter isAbsolute: whether the header has a timestamp and not a difference.
  private mutating func begin(_ index: Int, _ header: Header, isAbsolute: Bool) {
    announced += header.length
    streams[index].header = header
    streams[index].time = isAbsolute ? header.time : streams[index].time &+ header.time
  }

  /// Takes what has come of the message of a chunk stream.
  private mutating func finish(_ index: Int) -> RTMPMessage {
    let stream = streams[index]
    streams[index].body = []
    announced -= stream.header.length
    return RTMPMessage(
      type: stream.header.type, stream: stream.header.stream, time: stream.time, body: stream.body)
  }
}

/// Reads unsigned numbers, the most significant byte first.
struct BigEndianReader {
  private let bytes: ArraySlice<UInt8>
  /// How many bytes were read.
  private(set) var read = 0

  init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  /// How many bytes are left.
  var left: Int { bytes.count - read }

  /// The next bytes, which are not read: `count`, or as many as are left.
  func next(_ count: Int) -> ArraySlice<UInt8> { bytes.dropFirst(read).prefix(count) }

  /// Reads a number of `width` bytes, at most 7; `nil` if fewer are left.
  mutating func integer(_ width: Int) -> Int? {
    guard left >= width else { return nil }
    let start = bytes.startIndex + read
    read += width
    return bytes[start..<start + width].reduce(0) { $0 << 8 | Int($1) }
  }
}
