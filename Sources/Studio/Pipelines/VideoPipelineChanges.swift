// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Encode
internal import RateControl
internal import Video

/// Changes made while the pipeline runs, on its thread.
extension VideoPipeline {
  func applyChanges(to showing: Showing, now: MediaTime) {
    if let plan = newPlan.withLock({ $0.take() }) { follow(plan, showing, now: now) }
    if let rejected = showing.rejected, now - rejected.at >= .seconds(1) {
      replaceEncoder(showing, rejected.format, now: now)
    }
    if let adjustment = newAdjustment.withLock({ $0.take() }) {
      showing.adjust(adjustment)
      follow(showing.asked, showing, now: now)
    }
    if !keepsFrame.load(ordering: .acquiring) {
      showing.releaseSource()
      keepsFrame.store(true, ordering: .releasing)
    }
  }

  func follow(_ plan: EncodingPlan, _ showing: Showing, now: MediaTime) {
    let format = showing.follow(plan)
    present.set(bitrateKbps: plan.videoKbps)
    present.set(showing.governor?.plan ?? .unlimited)
    // A new encoder begins with the new rate.
    if format != showing.liveFormat {
      replaceEncoder(showing, format, now: now)
    } else {
      showing.rejected = nil
    }
  }

  /// Gives the encoder rate and effort of the next frame, in one change.
  /// - Parameters: as of `Showing.chooseEffort`.
  func applyRate(
    _ showing: Showing, time: MediaTime, key: Bool, waiting: Int64, preparing: Int64,
    now: MediaTime
  ) {
    showing.governor?.expect(clockShare: clockShare.load(ordering: .relaxed))
    showing.chooseEffort(time: time, key: key, waiting: waiting, preparing: preparing, now: now)
    present.set(level: showing.governor?.level)
    showing.applyRate()
  }

  /// Lets the governor learn from a frame of live video.
  func learn(_ work: SpeedGovernor.FrameWork, _ showing: Showing, now: MediaTime) {
    guard !showing.isStill,
      let isReduced = showing.governor?.note(
        work, at: .nanoseconds(now.nanos)), isReduced
    else { return }
    follow(showing.asked, showing, now: now)
  }

  /// A format that the encoder rejects is tried again once a second, and reported once.
  func replaceEncoder(_ showing: Showing, _ format: VideoFormat, now: MediaTime) {
    let rejected = showing.rejected
    if let rejected, rejected.format == format, now - rejected.at < .seconds(1) { return }
    do {
      try showing.replaceEncoder(format) { offer($0, showing.filler) }
      showing.rejected = nil
      announce(showing.header)
    } catch {
      showing.rejected = (format, now)
      guard rejected?.format != format else { return }
      reportRejected(format)
    }
  }

  func reportRejected(_ format: VideoFormat) {
    notice(
      "Video cannot be encoded at \(format.size) and \(format.framesPerSecond) frames/s: it stays as it was, and is "
        + "tried again. If this lasts, choose a smaller video.size.")
  }
}
