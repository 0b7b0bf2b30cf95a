// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Consecutive frames of a received stream that have one decoder configuration.
struct Segment {
  /// The decoder configuration, and the frames.
  var arrivals: [Arrival] = []

  var pictures: [Arrival] { arrivals.filter { $0.kind == .picture } }

  /// All frames, in the order of arrival.
  static func split(_ arrivals: [Arrival]) -> [Segment] {
    var segments: [Segment] = []
    for arrival in arrivals {
      switch arrival.kind {
      case .videoHeader: segments.append(Segment(arrivals: [arrival]))
      case .picture where !segments.isEmpty: segments[segments.count - 1].arrivals.append(arrival)
      default: break
      }
    }
    return segments.filter { $0.arrivals.count > 1 }
  }

  /// As a byte stream (H.264 annex B), which ffmpeg reads from a file.
  var byteStream: [UInt8] {
    guard let header = arrivals.first?.bytes, header.count > 6 else { return [] }
    let lengthBytes = Int(header[4] & 3) + 1
    var bytes: [UInt8] = []
    // The parameter sets of ISO/IEC 14496-15, 5.3.3.1: first a number of sequence, then of picture parameter sets.
    var rest = header[5...]
    for mask: UInt8 in [0x1F, 0xFF] {
      guard let count = rest.popFirst() else { return [] }
      for _ in 0..<count & mask { Segment.move(&rest, lengthBytes: 2, to: &bytes) }
    }
    for picture in pictures {
      var units = picture.bytes[...]
      while !units.isEmpty { Segment.move(&units, lengthBytes: lengthBytes, to: &bytes) }
    }
    return bytes
  }

  /// Moves a NAL unit, with a start code in place of its length.
  private static func move(
    _ units: inout ArraySlice<UInt8>, lengthBytes: Int, to bytes: inout [UInt8]
  ) {
    let length = units.prefix(lengthBytes).reduce(0) { $0 << 8 | Int($1) }
    units = units.dropFirst(lengthBytes)
    bytes += [0, 0, 0, 1] + units.prefix(length)
    units = units.dropFirst(length)
  }
}
