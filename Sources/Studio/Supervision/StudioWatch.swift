// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media
internal import Settings

/// Tells failures of the studio that last, each once. Pure but for the counters that it reads.
struct StudioWatch {
  private var overload: OverloadMonitor
  private var isEncoderReported = false
  private var isUnreadableReported = false

  init(_ video: VideoSettings) { overload = OverloadMonitor(video) }

  /// A source that cannot be decoded is reported again.
  mutating func forgetUnreadable() { isUnreadableReported = false }

  mutating func change(_ video: VideoSettings) { overload.framesPerSecond = video.fps }

  /// Whether the machine was too slow in the last ten seconds.
  var isOverloaded: Bool { overload.isOverloaded }

  /// - Returns: what is to be reported.
  mutating func check(
    _ video: StudioVideo?, _ audio: StudioAudio?, isEncoderFailing: Bool, now: MediaTime
  ) -> [StudioReport] {
    var reports: [StudioReport] = []
    if isEncoderFailing, !isEncoderReported { reports.append(.encoderFailing) }
    isEncoderReported = isEncoderFailing
    if let video {
      // The source cannot tell by itself that none of its frames can be decoded.
      if video.pipeline.unreadable.lasts(now) {
        if !isUnreadableReported { reports.append(.videoUnreadable) }
        isUnreadableReported = true
      } else if isUnreadableReported, !video.pipeline.unreadable.isFailing {
        isUnreadableReported = false
        reports.append(.videoReadable)
      }
    }
    let dropped = (video?.frames.dropped ?? 0) + (audio?.pipeline.chunksDropped ?? 0)
    if let dropped = overload.check(now, dropped: dropped) {
      reports.append(.overloaded(dropped: dropped))
    }
    return reports
  }
}
