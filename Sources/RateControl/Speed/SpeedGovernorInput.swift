// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

extension SpeedGovernor {
  /// The frame rate and the size that the settings ask for, and the processors of the machine.
  public struct Limits: Equatable, Sendable {
    public var framesPerSecond: Int
    public var size: PictureSize
    /// Whether the picture size may be reduced.
    public var allowsResize: Bool
    public var processors: Int
    /// The share of all processors' time that preparing and encoding may use, more than 0 and at most 1.
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
    /// The time from one frame to the next.
    public var interval: Duration
    /// How long the frame has waited for the encoder.
    public var waiting: Duration
    /// The elapsed time in which the frame was decoded, converted and placed.
    public var preparing: Duration
    public var isKeyframe: Bool
    /// Whether the frame shows another scene than the frame before.
    public var isCut: Bool
    /// Whether the frame is a repeat of the frame before.
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

  /// The time that encoding a frame took.
  public struct FrameWork: Sendable {
    /// The elapsed time in which the frame was encoded.
    public var encoding: Duration
    /// The processor time that all threads of the process used while the frame was encoded.
    public var processorTime: Duration
    public var isKeyframe: Bool

    public init(encoding: Duration, processorTime: Duration, isKeyframe: Bool) {
      self.encoding = encoding
      self.processorTime = processorTime
      self.isKeyframe = isKeyframe
    }
  }
}
