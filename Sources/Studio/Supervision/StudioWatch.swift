// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import RateControl
internal import Settings

/// Decides which failures of a studio are reported: each lasting failure once, and later its end.
struct StudioWatch {
  /// Finds out whether too many frames are dropped because the machine is too slow.
  private var overload: OverloadMonitor
  /// Whether a failure of an encoder has been reported, but not yet the end of that failure.
  private var isEncoderReported = false
  /// The open halves of the studio (video, audio) whose encoder could not be opened.
  private var broken: Set<StudioReport.Input> = []
  /// Whether the video source's frames cannot be decoded.
  private var isUnreadable = false
  /// Whether it has been reported that the video source's frames cannot be decoded.
  private var isUnreadableReported = false
  /// Whether an overload has been reported, but not yet the end of that overload.
  private var isOverloadReported = false
  /// The limits of frame rate and size, due to a slow processor, that were last reported.
  private var reduction = ProcessorPlan.unlimited

  init(_ video: VideoSettings) { overload = OverloadMonitor(framesPerSecond: video.fps) }

  /// Makes the next `check` report again that the video source's frames cannot be decoded, if this is still so.
  mutating func reportUnreadableAgain() { isUnreadableReported = false }

  /// Notes that the camera is closed for a pause. If its frames could not be decoded, this failure counts as ended,
  /// without a report.
  mutating func noteReleased() { (isUnreadable, isUnreadableReported) = (false, false) }

  /// Applies changed settings.
  mutating func change(_ video: VideoSettings) { overload.framesPerSecond = video.fps }

  /// Whether too many frames were dropped in the last ten seconds because the machine was too slow.
  var isOverloaded: Bool { overload.isOverloaded }

  /// Notes that the encoder of a half (video or audio) could not be opened, and that this has been reported. The
  /// failure lasts until the half is closed.
  mutating func noteBroken(_ half: StudioReport.Input) {
    broken.insert(half)
    isEncoderReported = true
  }

  /// Notes that one half (video or audio) has been closed while the other half stays open.
  mutating func noteClosed(_ half: StudioReport.Input) { broken.remove(half) }

  /// Checks the open halves (video and audio; `nil` for a closed half).
  /// - Returns: reports of the failures that have begun or ended since the last call.
  mutating func check(
    _ video: StudioVideo?, _ audio: StudioAudio?, isEncoderFailing: Bool, now: MediaTime
  ) -> [StudioReport] {
    var reports: [StudioReport] = []
    let isFailing = isEncoderFailing || !broken.isEmpty
    if isFailing != isEncoderReported {
      reports.append(isFailing ? .encoderFailing : .encoderWorks)
    }
    isEncoderReported = isFailing
    if let video {
      // Only the pipeline, not the source, knows that the source's frames cannot be decoded.
      if video.pipeline.unreadable.lasts(now) {
        if !isUnreadableReported { reports.append(.videoUnreadable) }
        (isUnreadable, isUnreadableReported) = (true, true)
      } else if isUnreadable, !video.pipeline.unreadable.isFailing {
        (isUnreadable, isUnreadableReported) = (false, false)
        reports.append(.videoReadable)
      }
    }
    if let plan = video?.pipeline.present.processorPlan, plan != reduction {
      reports.append(plan == .unlimited ? .pictureRestored : .pictureReduced(plan))
      reduction = plan
    }
    let dropped = (video?.frames.dropped ?? 0) + (audio?.pipeline.chunksDropped ?? 0)
    if let loss = overload.check(now, dropped: dropped) {
      isOverloadReported = true
      reports.append(.overloaded(loss))
    } else if isOverloadReported, !overload.isOverloaded, !overload.hasLastingLoss {
      isOverloadReported = false
      reports.append(.overloadOver)
    }
    return reports
  }

  /// Ends the watch, because the whole studio is being closed.
  /// - Returns: reports of the end of an encoder failure, an overload or a reduced picture that was reported before.
  func end() -> [StudioReport] {
    (isEncoderReported ? [.encoderClosed] : []) + (isOverloadReported ? [.overloadClosed] : [])
      + (reduction == .unlimited ? [] : [.pictureRestored])
  }
}
