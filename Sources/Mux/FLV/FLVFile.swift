// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// The parts of an FLV file (Adobe's "Video File Format Specification" version 10.1, annex E).
package enum FLVFile {
  /// TagType (E.4.1). RTMP's messages have the same numbers.
  package enum Tag: UInt8 {
    case audio = 8
    case video = 9
    case script = 18
  }

  /// The header of the file (E.2), and the size of the tag before the first, which is 0.
  package static func header(hasAudio: Bool, hasVideo: Bool) -> [UInt8] {
    let flags: UInt8 = (hasAudio ? 4 : 0) | (hasVideo ? 1 : 0)
    return [0x46, 0x4C, 0x56, 1, flags, 0, 0, 0, 9, 0, 0, 0, 0]
  }

  /// Appends an FLVTAG (E.4.1), and its size.
  /// - Parameter body: at most 16,777,215 bytes.
  package static func append(
    _ tag: Tag, _ body: some Collection<UInt8>, milliseconds: UInt32, to bytes: inout [UInt8]
  ) {
    let stamp = AMF0.bigEndian(milliseconds)
    bytes.append(tag.rawValue)
    bytes += AMF0.bigEndian(UInt32(body.count)).dropFirst()
    // The highest 8 of the 32 bits come last (TimestampExtended), then StreamID, which is 0.
    bytes += [stamp[1], stamp[2], stamp[3], stamp[0], 0, 0, 0]
    bytes += body
    bytes += AMF0.bigEndian(UInt32(11 + body.count))
  }
}
