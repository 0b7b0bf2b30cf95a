// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// Fills video packets up with bytes that decoders skip, to probe the capacity of a link.
///
/// A filler data NAL unit (type 12; ITU-T H.264, 7.3.2.7 and 7.4.2.7) is a run of 0xFF after the frame's slices. x264
/// makes the same ones for a constant bit rate. Used by one thread.
@safe public final class FrameFiller {
  /// Length, NAL unit header and trailing bits.
  static let minFillerBytes = 6
  private static let lengthBytes = 4
  /// nal_ref_idc 0, nal_unit_type 12.
  private static let header: UInt8 = 0x0C
  private static let filler: UInt8 = 0xFF
  /// rbsp_trailing_bits: a one and seven zeros.
  private static let trailer: UInt8 = 0x80

  /// The memory is reused.
  private var bytes: [UInt8] = []

  public init() {}

  /// Emits `packet` with filler after it, or as it is if it has the size already. No packet becomes larger than
  /// `leastBytes` and the smallest filler.
  /// - Parameter emit: receives a packet that is valid during the call.
  /// - Returns: the number of bytes added.
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
