// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

extension SpeedGovernor {
  /// What the settings ask for, and what the machine has.
  public struct Limits: Equatable, Sendable {
    public var framesPerSecond: Int
    public var size: PictureSize
    /// Whether the size may be reduced.
    public var allowsResize: Bool
    public var processors: Int
    /// The share of all processors' time that may be used, above 0 to 1.
    public var processorShare: Double

    public init(
      framesPerSecond: Int, size: PictureSize, allowsResize: Bool, processors: Int,
      processorShare: Double
    ) {
      self.framesPerSecond = framesPerSecond
      self.size = size
      self.allowsResize = allowsResize
      self.processors = processors
      self.processorShare = processorShare
    }
  }

  /// What a frame took.
  public struct FrameWork: Sendable {
    /// Decoding, converting and placing it.
    public var preparing: Duration
    /// Encoding it.
    public var encoding: Duration
    /// The processor time of all threads meanwhile.
    public var processorTime: Duration
    public var isKeyframe: Bool

    public init(
      preparing: Duration, encoding: Duration, processorTime: Duration, isKeyframe: Bool
    ) {
      self.preparing = preparing
      self.encoding = encoding
      self.processorTime = processorTime
      self.isKeyframe = isKeyframe
    }
  }
}
