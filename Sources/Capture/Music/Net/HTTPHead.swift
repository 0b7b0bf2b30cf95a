// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// The head of an HTTP response (RFC 9112), or of one of Shoutcast 1, which begins with "ICY 200 OK".
struct HTTPHead: Equatable {
  /// The most bytes of a head.
  static let longest = 16_384

  let status: Int
  /// The fields by their names in lower case. Of a repeated field the first counts.
  private let fields: [String: String]

  /// Where the body begins; `nil` while the head is not complete. The lines of a head end with CR LF or LF.
  static func end(in bytes: [UInt8]) -> Int? {
    var last: Int?
    for (index, byte) in bytes.enumerated() where byte == 0x0A {
      if let last, index - last == 1 || index - last == 2 && bytes[index - 1] == 0x0D {
        return index + 1
      }
      last = index
    }
    return nil
  }

  /// Parses a complete head.
  /// - Returns: `nil` if it is none of HTTP.
  init?(_ bytes: [UInt8]) {
    let lines = StreamTitle.decode(bytes).split(whereSeparator: \.isNewline)
    guard let first = lines.first else { return nil }
    let words = first.split(separator: " ", maxSplits: 2)
    guard words.count >= 2, words[0].hasPrefix("HTTP/1.") || words[0] == "ICY",
      words[1].utf8.count == 3, let status = Int(words[1]), (100...599).contains(status)
    else { return nil }
    self.status = status
    var fields: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      let name = line[..<colon].lowercased()
      let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      if fields[name] == nil { fields[name] = String(value) }
    }
    self.fields = fields
  }

  subscript(name: String) -> String? { fields[name] }

  /// The length of the body in bytes; `nil` if the body lasts until the connection ends, as that of a station does.
  var length: Int64? {
    guard !isChunked else { return nil }
    return fields["content-length"].flatMap { Int64($0) }.flatMap { $0 >= 0 ? $0 : nil }
  }

  var isChunked: Bool { fields["transfer-encoding"]?.lowercased().contains("chunked") ?? false }

  /// After how many bytes of sound a block of metadata follows; `nil` for never.
  var metadataInterval: Int? {
    fields["icy-metaint"].flatMap { Int($0) }.flatMap { (1...1_048_576).contains($0) ? $0 : nil }
  }

  /// The name of a station; `nil` if it gives none.
  var stationName: String? { fields["icy-name"].flatMap { StreamTitle.shown($0) } }

  /// The seconds after which a busy server may be asked again.
  var retrySeconds: Int? { fields["retry-after"].flatMap { Int($0) } }
}

/// Removes the frame of "Transfer-Encoding: chunked" (RFC 9112, section 7.1) from a body that comes in parts.
struct ChunkedBody {
  private enum Place: Equatable {
    /// In the line with the length of a chunk.
    case length(UInt64, digits: Int, isOver: Bool)
    case data(UInt64)
    /// In the line break after a chunk.
    case afterData
    case end
  }

  private var place = Place.length(0, digits: 0, isOver: false)

  var hasEnded: Bool { place == .end }

  /// Takes the next bytes from the connection.
  /// - Returns: those of the body; `nil` if the frame is damaged.
  mutating func take(_ bytes: some Sequence<UInt8>) -> [UInt8]? {
    var out: [UInt8] = []
    for byte in bytes {
      switch place {
      case .length(let length, let digits, let isOver):
        if byte == 0x0A {
          guard digits > 0 else { return nil }
          place = length == 0 ? .end : .data(length)
        } else if let digit = Character(Unicode.Scalar(byte)).hexDigitValue, !isOver {
          guard digits < 8 else { return nil }
          place = .length(length * 16 + UInt64(digit), digits: digits + 1, isOver: false)
        } else {
          // An extension of the chunk, or the CR.
          place = .length(length, digits: digits, isOver: true)
        }
      case .data(let left):
        out.append(byte)
        place = left == 1 ? .afterData : .data(left - 1)
      case .afterData: if byte == 0x0A { place = .length(0, digits: 0, isOver: false) }
      case .end: return out
      }
    }
    return out
  }
}

/// Takes the blocks of metadata out of the stream of a station that sends them between the sound.
struct StationMetadata {
  private let interval: Int
  /// Bytes of sound until the next block.
  private var left: Int
  private var block: [UInt8] = []
  /// The length of the block that has begun; `nil` outside of a block.
  private var length: Int?

  init(interval: Int) { (self.interval, left) = (interval, interval) }

  /// Takes the next bytes of the stream.
  /// - Parameter found: called with each whole block.
  /// - Returns: the bytes of sound.
  mutating func take(_ bytes: [UInt8], found: ([UInt8]) -> Void) -> [UInt8] {
    var sound: [UInt8] = []
    sound.reserveCapacity(bytes.count)
    var rest = bytes[...]
    while let byte = rest.first {
      if let length {
        let part = rest.prefix(length - block.count)
        block += part
        rest = rest.dropFirst(part.count)
        if block.count == length { finish(found) }
        continue
      }
      if left > 0 {
        let part = rest.prefix(left)
        sound += part
        left -= part.count
        rest = rest.dropFirst(part.count)
      } else {
        rest = rest.dropFirst()
        left = interval
        if byte > 0 { length = Int(byte) * 16 }
      }
    }
    return sound
  }

  private mutating func finish(_ found: ([UInt8]) -> Void) {
    found(block)
    block = []
    length = nil
  }
}
