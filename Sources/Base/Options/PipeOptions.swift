// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// The pixel format of raw frames that come through a pipe (`video.pipe_format`).
public enum PipePixels: String, Sendable, CaseIterable {
  case i420, nv12, nv21, yuyv, uyvy
  /// R'G'B' of 8 bits each, in this order in memory.
  case rgb24
  /// B'G'R' of 8 bits each and a fourth byte, which is ignored, in this order in memory.
  case bgra
}

/// The sample format of audio that comes through a pipe (`audio.pipe_format`).
public enum PipeSamples: String, Sendable, CaseIterable {
  /// Signed 16-bit integers, little endian.
  case s16 = "S16_LE"
  /// Signed 32-bit integers, little endian.
  case s32 = "S32_LE"
  /// 32-bit floating point numbers, little endian; full scale is 1.
  case float = "F32"

  public var bytes: Int { self == .s16 ? 2 : 4 }
}
