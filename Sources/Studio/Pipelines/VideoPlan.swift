// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Encode
internal import RateControl
internal import Video

/// How a video pipeline composes, scales and encodes video when it starts.
struct VideoPlan: Sendable {
  /// The size, frame rate, bit rate and speed with which the encoder is opened.
  var format: VideoFormat
  /// Nanoseconds from one keyframe to the next.
  var gopNanos: Int64
  /// The parameters that can be changed while video runs, such as how the source's picture is placed.
  var adjustment = VideoPipeline.Adjustment()

  /// The layers and filters of the picture.
  var composition = Composition()

  /// The processor time that the encoder needs on this machine at each rung of the speed ladder (each effort), relative
  /// to the first rung.
  var costs = SpeedCosts()

  /// A new speed governor, which chooses the encoder's effort for each frame; `nil` at a fixed speed.
  var governor: SpeedGovernor? {
    guard format.speed == nil else { return nil }
    return SpeedGovernor(limits: governorLimits(EncodingPlan(self)), costs: costs)
  }

  /// The limits for the speed governor: the requested encoding, and the processor time that may be used.
  func governorLimits(_ asked: EncodingPlan) -> SpeedGovernor.Limits {
    SpeedGovernor.Limits(
      framesPerSecond: asked.framesPerSecond, size: asked.size,
      allowsResize: adjustment.allowsResize, processors: Processors.available,
      processorShare: adjustment.processorShare)
  }
}

extension VideoPipeline {
  /// The parameters, besides the encoding plan, that can be changed while video runs. The pipeline's thread applies all
  /// of them together.
  struct Adjustment: Sendable, Equatable {
    /// How the source's picture is rotated, cropped and placed.
    var look = VideoLook()
    /// The share of all processors' time that encoding may use, more than 0 and at most 1.
    var processorShare = 0.75
    /// Whether a smaller frame size may be encoded if the machine is too slow.
    var allowsResize = false
  }
}

extension EncodingPlan {
  /// The encoding plan of a video pipeline when it starts, without audio.
  init(_ plan: VideoPlan) {
    self.init(
      videoKbps: plan.format.bitrateKbps, framesPerSecond: plan.format.framesPerSecond,
      size: plan.format.size, speed: plan.format.speed, gopNanos: plan.gopNanos, audioKbps: 0)
  }
}
