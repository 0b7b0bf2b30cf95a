// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

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

  /// A frame that is about to be encoded.
  public struct FrameStart: Sendable {
    /// The time from frame to frame.
    public var interval: Duration
    /// How long it has waited for the encoder.
    public var waiting: Duration
    /// How long its decoding, converting and placing took.
    public var preparing: Duration
    public var isKeyframe: Bool
    /// Whether it shows another scene than the frame before.
    public var isCut: Bool
    /// Whether it is the frame before, once more.
    public var isRepeat: Bool

    public init(
      interval: Duration, waiting: Duration = .zero, preparing: Duration = .zero,
      isKeyframe: Bool = false, isCut: Bool = false, isRepeat: Bool = false
    ) {
      self.interval = interval
      self.waiting = waiting
      self.preparing = preparing
      self.isKeyframe = isKeyframe
      self.isCut = isCut
      self.isRepeat = isRepeat
    }
  }

  /// What a frame took.
  public struct FrameWork: Sendable {
    /// Encoding it.
    public var encoding: Duration
    /// The processor time of all threads meanwhile.
    public var processorTime: Duration
    public var isKeyframe: Bool

    public init(encoding: Duration, processorTime: Duration, isKeyframe: Bool) {
      self.encoding = encoding
      self.processorTime = processorTime
      self.isKeyframe = isKeyframe
    }
  }
}
