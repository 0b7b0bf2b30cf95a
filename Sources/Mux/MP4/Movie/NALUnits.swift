// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// The NAL units of H.264 samples, each preceded by its length in 4 bytes.
enum NALUnits {
  /// The AVCDecoderConfigurationRecord (ISO/IEC 14496-15, 5.3.3.1) of the SPS and the PPS with which a keyframe begins;
  /// `nil` if it does not begin with both.
  /// - Parameter sample: may be cut off after the parameter sets.
  static func avcConfiguration(ofKeyframe sample: [UInt8]) -> [UInt8]? {
    var reader = BoxReader(sample)
    var sets: (sps: [UInt8]?, pps: [UInt8]?)
    while sets.pps == nil, let size = reader.take32(), (4..<4_096).contains(size),
      let unit = reader.take(size)
    {
      switch unit[0] & 31 {
      case 7: sets.sps = unit
      case 8: sets.pps = unit
      default: return nil
      }
    }
    guard let sps = sets.sps, let pps = sets.pps else { return nil }
    var record = BoxWriter()
    record.put([1, sps[1], sps[2], sps[3], 0xFF, 0xE1])
    record.put16(UInt16(sps.count))
    record.put(sps)
    record.put8(1)
    record.put16(UInt16(pps.count))
    record.put(pps)
    // From profile High on: 4:2:0 with 8 bits, no SPS extension.
    if sps[1] >= 100 { record.put([0xFD, 0xF8, 0xF8, 0]) }
    return record.bytes
  }

  /// Whether the lengths fit the sample, and no NAL unit has what cannot be in one: a forbidden bit, or three zeros in
  /// a row (ITU-T H.264, 7.4.1), as where a power cut has left a block unwritten.
  static func areWhole(_ sample: ArraySlice<UInt8>) -> Bool {
    var at = sample.startIndex
    while at < sample.endIndex {
      guard sample.endIndex - at > 4 else { return false }
      let size = sample[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
      at += 4
      guard size > 0, size <= sample.endIndex - at, sample[at] & 0x80 == 0 else { return false }
      var zeros = 0
      for byte in sample[at..<at + size] {
        zeros = byte == 0 ? zeros + 1 : 0
        if zeros == 3 { return false }
      }
      at += size
    }
    return !sample.isEmpty
  }
}
