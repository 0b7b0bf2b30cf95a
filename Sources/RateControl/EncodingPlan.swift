// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// What the encoders are to do.
public struct EncodingPlan: Equatable, Sendable {
  /// kbit/s of video.
  public var videoKbps: Int
  /// Frames per second before `frameStep`.
  public var framesPerSecond: Int
  /// Every how many frames one is encoded: 1 for all.
  public var frameStep: Int
  public var size: PictureSize
  /// `nil` if the speed governor chooses the effort.
  public var speed: EncoderSpeed?
  /// Nanoseconds from one keyframe to the next.
  public var gopNanos: Int64
  /// kbit/s of audio; 0 without.
  public var audioKbps: Int

  public init(
    videoKbps: Int, framesPerSecond: Int, frameStep: Int = 1, size: PictureSize,
    speed: EncoderSpeed?, gopNanos: Int64 = .seconds(2), audioKbps: Int
  ) {
    self.videoKbps = videoKbps
    self.framesPerSecond = framesPerSecond
    self.gopNanos = gopNanos
    self.frameStep = frameStep
    self.size = size
    self.speed = speed
    self.audioKbps = audioKbps
  }

  /// The least, in each respect, of what is asked for and what the link carries.
  /// - Parameter asked: what the settings ask for.
  public init(asked: EncodingPlan, link: LinkPlan) {
    self = asked.reduced(frameStep: link.frameStep, size: link.rung?.size(like: asked.size))
    videoKbps = min(asked.videoKbps, link.videoKbps)
    if link.reducesAudio {
      audioKbps = min(asked.audioKbps, BitrateController.reducedAudioKbps)
    }
  }

  /// The least, in each respect, of this and what the processor can do.
  public func within(_ processor: ProcessorPlan) -> EncodingPlan {
    reduced(frameStep: processor.frameStep, size: processor.size)
  }

  private func reduced(frameStep: Int, size: PictureSize?) -> EncodingPlan {
    var plan = self
    plan.frameStep = max(plan.frameStep, frameStep)
    if let size, size.width * size.height < plan.size.width * plan.size.height { plan.size = size }
    return plan
  }
}

extension VideoLadder.Rung {
  /// The aspect ratio of `size` with about as many pixels as the rung.
  public func size(like size: PictureSize) -> PictureSize {
    let scale = (Double(width * height) / Double(size.width * size.height)).squareRoot()
    func even(_ side: Int) -> Int { max(2, Int((Double(side) * scale / 2).rounded()) * 2) }
    return PictureSize(width: even(size.width), height: even(size.height))
  }
}
