// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Encode
internal import RateControl
internal import Video

/// How a video pipeline composes, scales and encodes video when it starts.
struct VideoPlan: Sendable {
  var format: VideoFormat
  /// Nanoseconds from one keyframe to the next.
  var gopNanos: Int64
  var adjustment = VideoPipeline.Adjustment()

  var composition = Composition()

  /// The measured cost of each rung of the speed ladder on this machine.
  var costs = SpeedCosts()

  /// A new speed governor, which chooses the encoder's effort for each frame; `nil` at a fixed speed.
  var governor: SpeedGovernor? {
    guard format.speed == nil else { return nil }
    return SpeedGovernor(limits: governorLimits(EncodingPlan(self)), costs: costs)
  }

  /// What the speed governor has to keep to: the encoding that is asked for, and this machine's processors.
  func governorLimits(_ asked: EncodingPlan) -> SpeedGovernor.Limits {
    SpeedGovernor.Limits(
      framesPerSecond: asked.framesPerSecond, size: asked.size,
      allowsResize: adjustment.allowsResize, processors: Processors.available,
      processorShare: adjustment.processorShare)
  }
}

extension VideoPipeline {
  /// What can be changed while video runs, besides the encoding plan. The pipeline's thread takes all of it at once.
  struct Adjustment: Sendable, Equatable {
    var look = VideoLook()
    /// The share of all processors' time that encoding may use, more than 0 and at most 1.
    var processorShare = 0.75
    /// Whether a smaller size may be encoded on a machine that is too slow.
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
