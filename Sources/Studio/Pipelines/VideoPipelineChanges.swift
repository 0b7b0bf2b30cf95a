// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Encode
internal import RateControl
internal import Video

/// Changes of a running video pipeline. Other threads store a change, and the pipeline's thread applies it between two
/// frames.
extension VideoPipeline {
  /// Sets the encoding plan from the next frame on. Another size or speed needs a new encoder, which begins with a
  /// keyframe on the same timeline.
  func follow(_ plan: EncodingPlan) { newPlan.withLock { $0 = plan } }

  /// Applies an adjustment from the next frame on.
  func adjust(_ adjustment: Adjustment) { newAdjustment.withLock { $0 = adjustment } }

  /// Applies another composition (layers and filters) from the next frame on.
  func compose(_ composition: Composition) { newComposition.withLock { $0 = composition } }

  /// Lets the next frame of the source decide the colour (matrix and range) of live video again. To be called when a
  /// broadcast begins.
  func reopenColour() { reopensColour.store(true, ordering: .releasing) }

  // MARK: On the pipeline's thread

  /// Applies all changes that other threads have stored.
  func applyChanges(to programme: Programme, now: MediaTime) {
    if let plan = newPlan.withLock({ $0.take() }) { follow(plan, programme, now: now) }
    announce(programme.retryFormat(now: now) { offer($0, of: programme) }, of: programme)
    if let adjustment = newAdjustment.withLock({ $0.take() }) {
      announce(programme.adjust(adjustment, now: now) { offer($0, of: programme) }, of: programme)
      notePlan(of: programme)
    }
    if let composition = newComposition.withLock({ $0.take() }) { programme.compose(composition) }
    if reopensColour.exchange(false, ordering: .acquiring) { programme.reopenColour() }
    if !keepsFrame.load(ordering: .acquiring) {
      programme.releaseSource()
      keepsFrame.store(true, ordering: .releasing)
    }
  }

  /// Applies an encoding plan, or changed limits of the processor.
  /// - Parameter plan: the requested encoding; `nil` to keep the present request.
  private func follow(_ plan: EncodingPlan?, _ programme: Programme, now: MediaTime) {
    announce(programme.follow(plan, now: now) { offer($0, of: programme) }, of: programme)
    notePlan(of: programme)
  }

  /// Publishes the requested bit rate and the processor's limits in `present`, for other threads.
  private func notePlan(of programme: Programme) {
    present.set(bitrateKbps: programme.askedKbps)
    present.set(programme.processorPlan)
  }

  /// Passes the encoding time of a frame of live video to the speed governor. If the governor changes its limits of
  /// frame rate and size, applies them.
  func learn(_ work: SpeedGovernor.FrameWork, _ programme: Programme, now: MediaTime) {
    if programme.learn(work, now: now) { follow(nil, programme, now: now) }
  }

  /// Passes the header of a new format to the sinks, or reports a format that cannot be encoded.
  func announce(_ change: LiveEncoder.FormatChange, of programme: Programme) {
    switch change {
    case .none: break
    case .changed: announce(programme.header)
    case .rejected(let format):
      notice(
        "Video cannot be encoded at \(format.size) and \(format.framesPerSecond) frames/s: it stays as it was, and is "
          + "tried again. If this lasts, choose a smaller video.size.")
    }
  }
}
