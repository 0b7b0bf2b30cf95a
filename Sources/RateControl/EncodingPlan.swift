// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// The settings for the video and the audio encoder: bit rates, frame rate, size and effort.
public struct EncodingPlan: Equatable, Sendable {
  /// The video bit rate in kbit/s.
  public var videoKbps: Int
  /// Frames per second before `frameStep` reduces them.
  public var framesPerSecond: Int
  /// One of this many frames is encoded: 1 for every frame, 2 for every second one.
  public var frameStep: Int
  /// The size in which frames are encoded, in pixels.
  public var size: PictureSize
  /// The encoder's speed preset; `nil` if the speed governor chooses the effort of each frame.
  public var speed: EncoderSpeed?
  /// Nanoseconds from one keyframe to the next.
  public var gopNanos: Int64
  /// The audio bit rate in kbit/s; 0 without audio.
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

  /// The plan `asked`, with the bit rates, the frame rate and the size reduced to those of the plan for the link.
  /// - Parameter asked: the plan that the settings ask for.
  public init(asked: EncodingPlan, link: LinkPlan) {
    self = asked.reduced(frameStep: link.frameStep, size: link.rung?.size(like: asked.size))
    videoKbps = min(asked.videoKbps, link.videoKbps)
    if link.reducesAudio {
      audioKbps = min(asked.audioKbps, BitrateController.reducedAudioKbps)
    }
  }

  /// This plan, with the frame rate and the size reduced to what the processor can encode in time.
  public func within(_ processor: ProcessorPlan) -> EncodingPlan {
    reduced(frameStep: processor.frameStep, size: processor.size)
  }

  /// This plan with at least this frame step, and with `size` if that has fewer pixels; `nil` keeps the size.
  private func reduced(frameStep: Int, size: PictureSize?) -> EncodingPlan {
    var plan = self
    plan.frameStep = max(plan.frameStep, frameStep)
    if let size, size.width * size.height < plan.size.width * plan.size.height { plan.size = size }
    return plan
  }
}

extension VideoLadder.Rung {
  /// The picture size with the aspect ratio of `size` and about as many pixels as this rung.
  public func size(like size: PictureSize) -> PictureSize {
    let scale = (Double(width * height) / Double(size.width * size.height)).squareRoot()
    func even(_ side: Int) -> Int { max(2, Int((Double(side) * scale / 2).rounded()) * 2) }
    return PictureSize(width: even(size.width), height: even(size.height))
  }
}
