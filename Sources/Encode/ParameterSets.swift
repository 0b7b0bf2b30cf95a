// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CX264

/// The SPS, PPS and SEI of an open x264 encoder, in the formats in which they are sent.
struct ParameterSets {
  /// The AVCDecoderConfigurationRecord (ISO/IEC 14496-15, 5.3.3.1), which contains the SPS and the PPS.
  let avcConfiguration: [UInt8]
  /// The SPS and the PPS as NAL units, each preceded by its length in 4 bytes.
  let inBand: [UInt8]
  /// The SEI NAL unit with x264's settings as text, preceded by its length in 4 bytes.
  let sei: [UInt8]

  init(encoder: OpaquePointer) throws(EncoderError) {
    var units: UnsafeMutablePointer<x264_nal_t>?
    var unitCount: Int32 = 0
    guard unsafe x264_encoder_headers(encoder, &units, &unitCount) > 0, let units = unsafe units
    else { throw .failed }
    var sps: [UInt8] = []
    var pps: [UInt8] = []
    var sei: [UInt8] = []
    var inBand: [UInt8] = []
    for index in 0..<Int(unitCount) {
      let unit = unsafe units[index]
      let bytes = unsafe Array(
        UnsafeBufferPointer(start: unit.p_payload, count: Int(unit.i_payload)))
      // The low five bits of a NAL unit's first byte are its type (ITU-T H.264, 7.3.1).
      switch bytes.count > 4 ? bytes[4] & 0x1F : 0 {
      case 7:
        sps = Array(bytes[4...])
        inBand += bytes
      case 8:
        pps = Array(bytes[4...])
        inBand += bytes
      case 6: sei = bytes
      default: break
      }
    }
    guard sps.count >= 4, !pps.isEmpty else { throw .failed }
    avcConfiguration = ParameterSets.record(sps: sps, pps: pps)
    self.inBand = inBand
    self.sei = sei
  }

  /// The AVCDecoderConfigurationRecord for an SPS and a PPS, which are passed without their lengths.
  private static func record(sps: [UInt8], pps: [UInt8]) -> [UInt8] {
    var record: [UInt8] = [1, sps[1], sps[2], sps[3]]
    record.append(0xFC | 3)  // lengths of 4 bytes
    record.append(0xE0 | 1)  // one SPS
    record.append(contentsOf: [UInt8(sps.count >> 8), UInt8(sps.count & 0xFF)])
    record.append(contentsOf: sps)
    record.append(1)  // one PPS
    record.append(contentsOf: [UInt8(pps.count >> 8), UInt8(pps.count & 0xFF)])
    record.append(contentsOf: pps)
    // For profile High and above, the record also states: 4:2:0, 8 bits luma, 8 bits chroma, no SPS extension. Each is
    // in the low bits of a byte whose other bits are set.
    if sps[1] >= 100 { record.append(contentsOf: [0xFD, 0xF8, 0xF8, 0]) }
    return record
  }
}
