// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// What the encoders are to do.
public struct EncodingPlan: Equatable, Sendable {
  /// kbit/s of video.
  public var videoKbps: Int
  /// Frames per second before `frameStep`.
  public var framesPerSecond: Int
  /// Every how many frames one is encoded: 1 for all.
  public var frameStep: Int
  public var size: PictureSize
  public var speed: EncoderSpeed
  /// Nanoseconds from one keyframe to the next.
  public var gopNanos: Int64
  /// kbit/s of audio; 0 without.
  public var audioKbps: Int

  public init(
    videoKbps: Int, framesPerSecond: Int, frameStep: Int = 1, size: PictureSize,
    speed: EncoderSpeed, gopNanos: Int64 = .seconds(2), audioKbps: Int
  ) {
    self.videoKbps = videoKbps
    self.framesPerSecond = framesPerSecond
    self.gopNanos = gopNanos
    self.frameStep = frameStep
    self.size = size
    self.speed = speed
    self.audioKbps = audioKbps
  }

  /// The least, in each respect, of what is asked for, what the link carries and what the processor can do.
  /// - Parameter asked: what the settings ask for.
  public init(asked: EncodingPlan, link: LinkPlan, processor: ProcessorPlan = .unlimited) {
    self = asked
    videoKbps = min(asked.videoKbps, link.videoKbps)
    frameStep = max(asked.frameStep, link.frameStep, processor.frameStep)
    size = [link.rung.map { $0.size(like: asked.size) }, processor.size].reduce(asked.size) {
      least, other in
      guard let other, other.width * other.height < least.width * least.height else {
        return least
      }
      return other
    }
    let speeds = EncoderSpeed.allCases
    speed = speeds.first { $0 == asked.speed || $0 == processor.speed } ?? asked.speed
    if link.reducesAudio {
      audioKbps = min(asked.audioKbps, BitrateController.reducedAudioKbps)
    }
  }
}

/// What the processor can do. Nothing measures it yet.
public struct ProcessorPlan: Equatable, Sendable {
  public var frameStep: Int
  /// The largest size; `nil` for any.
  public var size: PictureSize?
  /// The slowest speed; `nil` for any.
  public var speed: EncoderSpeed?

  public init(frameStep: Int = 1, size: PictureSize? = nil, speed: EncoderSpeed? = nil) {
    self.frameStep = frameStep
    self.size = size
    self.speed = speed
  }

  public static let unlimited = ProcessorPlan()
}

extension VideoLadder.Rung {
  /// The aspect ratio of `size` with about as many pixels as the rung.
  public func size(like size: PictureSize) -> PictureSize {
    let scale = (Double(width * height) / Double(size.width * size.height)).squareRoot()
    func even(_ side: Int) -> Int { max(2, Int((Double(side) * scale / 2).rounded()) * 2) }
    return PictureSize(width: even(size.width), height: even(size.height))
  }
}
