// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// The codec of a packet, and the layout of the packet's bytes.
public enum Codec: UInt8, Sendable {
  /// ITU-T H.264: NAL units, each preceded by its length in 4 bytes (ISO/IEC 14496-15).
  case h264
  /// AAC (ISO/IEC 14496-3): one raw frame in each packet, without an ADTS header.
  case aac
}
