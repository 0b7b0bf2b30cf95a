// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// How the bytes of packets are encoded.
public enum Codec: UInt8, Sendable {
  /// ITU-T H.264: NAL units, each after its length in 4 bytes (ISO/IEC 14496-15).
  case h264
  /// AAC (ISO/IEC 14496-3): a raw frame in each packet, without ADTS.
  case aac
}
