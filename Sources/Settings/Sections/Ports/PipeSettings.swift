// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// `video.pipe_…`: the format of the raw frames that a pipe brings.
public struct VideoPipeSettings: Sendable, Equatable {
  public let format: PipePixels
  /// Whether each frame follows a header with its size, rotation and time.
  public let isFramed: Bool

  init(_ form: inout Form) {
    format = form.value(
      "video.pipe_format", .choice(), default: .i420,
      help: """
        The pixel format of the raw frames that come through a pipe. rgb24 and bgra are taken for \
        sRGB, the others for BT.709 in limited range. The fourth byte of bgra is ignored.
        """)
    isFramed = form.value(
      "video.pipe_framed", .flag, default: false,
      help: """
        Whether each raw frame follows a header of 24 bytes with its size, its rotation and its \
        time, as Sources/Page/API/README.md describes. Without it, all frames have video.size.
        """)
  }
}

/// `audio.pipe_…`: the format of the raw samples that a pipe brings.
public struct AudioPipeSettings: Sendable, Equatable {
  public let format: PipeSamples
  /// Sample frames per second, 4,000 to 768,000.
  public let rate: Int
  /// Number of interleaved channels, 1 or 2.
  public let channels: Int

  init(_ form: inout Form) {
    format = form.value(
      "audio.pipe_format", .choice(), default: .s16,
      help: """
        The format of the raw samples that come through a pipe: whole numbers of 16 or 32 bits, or \
        floating point numbers of 32 bits (F32).
        """)
    rate = form.value(
      "audio.pipe_rate", .wholeNumber(4_000...768_000), default: 48_000, unit: "Hz",
      help: """
        The sample rate of the sound that comes through a pipe.
        """)
    channels = form.value(
      "audio.pipe_channels", .wholeNumber(1...2), default: 2, unit: "channels",
      help: """
        The channels of the sound that comes through a pipe: with 2, a sample of the left channel \
        and one of the right channel follow each other.
        """)
  }
}
