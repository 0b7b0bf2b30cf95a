// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import RateControl
internal import Settings

/// Decides which failures of a studio are reported: those that last, once each, and then their end.
struct StudioWatch {
  private var overload: OverloadMonitor
  private var isEncoderReported = false
  /// The open halves whose encoder could not be opened.
  private var broken: Set<StudioReport.Input> = []
  private var isUnreadable = false
  private var isUnreadableReported = false
  private var isOverloadReported = false
  private var reduction = ProcessorPlan.unlimited

  init(_ video: VideoSettings) { overload = OverloadMonitor(framesPerSecond: video.fps) }

  /// Has it reported once more that frames cannot be decoded, if that is still so.
  mutating func reportUnreadableAgain() { isUnreadableReported = false }

  /// Notes that the camera is closed for a pause: what it delivered before does not count any more.
  mutating func noteReleased() { (isUnreadable, isUnreadableReported) = (false, false) }

  mutating func change(_ video: VideoSettings) { overload.framesPerSecond = video.fps }

  /// Whether too many frames were dropped in the last ten seconds because the machine was too slow.
  var isOverloaded: Bool { overload.isOverloaded }

  /// Notes that the encoder of a half could not be opened, which has been reported. The failure lasts until the half is
  /// closed.
  mutating func noteBroken(_ half: StudioReport.Input) {
    broken.insert(half)
    isEncoderReported = true
  }

  /// Notes that a half has been closed while the other one stays open.
  mutating func noteClosed(_ half: StudioReport.Input) { broken.remove(half) }

  /// Checks the open halves.
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
      // The source cannot tell by itself that none of its frames can be decoded.
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
    } else if isOverloadReported, !overload.isOverloaded, !overload.isLosing {
      isOverloadReported = false
      reports.append(.overloadOver)
    }
    return reports
  }

  /// To be called when everything is being closed.
  /// - Returns: reports that a reported encoder failure, overload or reduced picture is over.
  func end() -> [StudioReport] {
    (isEncoderReported ? [.encoderClosed] : []) + (isOverloadReported ? [.overloadOver] : [])
      + (reduction == .unlimited ? [] : [.pictureRestored])
  }
}
