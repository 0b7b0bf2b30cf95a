// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// Pads video packets with bytes that decoders skip, to probe whether a link can carry a higher bit rate.
///
/// The padding is a filler data NAL unit (type 12; ITU-T H.264, 7.3.2.7 and 7.4.2.7) after the frame's slices: a run of
/// 0xFF bytes. x264 itself writes such padding when it encodes at a constant bit rate. Used by one thread.
@safe public final class FrameFiller {
  /// Bytes of the smallest filler data NAL unit: a length of 4 bytes, a NAL unit header and the trailing bits.
  static let minFillerBytes = 6
  /// Bytes of the length that precedes each NAL unit.
  private static let lengthBytes = 4
  /// The NAL unit header: nal_ref_idc 0, nal_unit_type 12 (filler data).
  private static let header: UInt8 = 0x0C
  /// The byte that the padding consists of (ff_byte).
  private static let filler: UInt8 = 0xFF
  /// The trailing bits of the NAL unit (rbsp_trailing_bits): a one and seven zeros.
  private static let trailer: UInt8 = 0x80

  /// The bytes of the padded packet. Kept from call to call, so that their memory is reused.
  private var bytes: [UInt8] = []

  public init() {}

  /// Emits `packet`, padded to at least `leastBytes` bytes. Audio packets, and packets that are large enough, are
  /// emitted unchanged. A padded packet has fewer than `leastBytes + minFillerBytes` bytes.
  /// - Parameter emit: receives the packet, whose bytes are valid during the call only.
  /// - Returns: the number of padding bytes.
  @discardableResult
  public func fill(_ packet: Packet, to leastBytes: Int, emit: (Packet) -> Void) -> Int {
    let size = unsafe packet.bytes.count
    guard packet.kind != .audio, size < leastBytes else {
      emit(packet)
      return 0
    }
    let added = max(leastBytes - size, FrameFiller.minFillerBytes)
    let length = added - FrameFiller.lengthBytes
    bytes.removeAll(keepingCapacity: true)
    bytes.reserveCapacity(size + added)
    unsafe bytes.append(contentsOf: packet.bytes)
    unsafe withUnsafeBytes(of: UInt32(length).bigEndian) { unsafe bytes.append(contentsOf: $0) }
    bytes.append(FrameFiller.header)
    bytes.append(contentsOf: repeatElement(FrameFiller.filler, count: length - 2))
    bytes.append(FrameFiller.trailer)
    unsafe bytes.withUnsafeBytes { bytes in
      unsafe emit(
        Packet(
          kind: packet.kind, codec: packet.codec, time: packet.time,
          presentationDelay: packet.presentationDelay,
          scene: packet.scene, bytes: bytes))
    }
    return added
  }
}
