// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Encode
internal import RateControl
internal import Video

/// How video is scaled and encoded.
struct VideoPlan: Sendable {
  var format: VideoFormat
  /// Nanoseconds from one keyframe to the next.
  var gopNanos: Int64
  var adjustment = VideoPipeline.Adjustment()

  var composition = Composition()

  /// What the speed ladder costs here.
  var costs = SpeedCosts()

  /// Chooses the effort of each frame; `nil` at a fixed speed.
  var governor: SpeedGovernor? {
    guard format.speed == nil else { return nil }
    return SpeedGovernor(limits: governorLimits(EncodingPlan(self)), costs: costs)
  }

  /// What the speed governor is asked for.
  func governorLimits(_ asked: EncodingPlan) -> SpeedGovernor.Limits {
    SpeedGovernor.Limits(
      framesPerSecond: asked.framesPerSecond, size: asked.size,
      allowsResize: adjustment.allowsResize, processors: Processors.available,
      processorShare: adjustment.processorShare)
  }
}

extension VideoPipeline {
  /// What can be changed while video runs, besides what is encoded. The thread takes it as a whole.
  struct Adjustment: Sendable, Equatable {
    var look = VideoLook()
    /// The share of all processors' time that encoding may use, above 0 to 1.
    var processorShare = 0.75
    /// Whether a smaller size may be encoded on a machine that is too slow.
    var allowsResize = false
  }
}

extension EncodingPlan {
  /// Of video alone.
  init(_ plan: VideoPlan) {
    self.init(
      videoKbps: plan.format.bitrateKbps, framesPerSecond: plan.format.framesPerSecond,
      size: plan.format.size, speed: plan.format.speed, gopNanos: plan.gopNanos, audioKbps: 0)
  }
}
