// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media
internal import Settings

/// Detects a machine that is too slow for the settings. It reports an overload after ten seconds, and reminds of it
/// every ten minutes at most.
struct OverloadMonitor {
  private static let window = Int64.seconds(10)
  private static let reminder = Int64.seconds(600)

  /// Whether the last window of ten seconds was overloaded.
  private(set) var isOverloaded = false
  var framesPerSecond: Int
  private var windowEnd = MediaTime.distantPast
  private var previousDropped = 0
  private var reportedAt = MediaTime.distantPast

  init(_ video: VideoSettings) {
    framesPerSecond = video.fps
  }

  /// - Parameter dropped: frames and audio chunks dropped since the start because a newer one came before they were
  ///   processed.
  /// - Returns: the number dropped in the last ten seconds, if it is to be reported.
  mutating func check(_ now: MediaTime, dropped: Int) -> Int? {
    guard now >= windowEnd else { return nil }
    let isFirst = windowEnd == .distantPast
    windowEnd = now + OverloadMonitor.window
    let count = dropped - previousDropped
    previousDropped = dropped
    // In ten seconds, a tenth of all frames: viewers notice that.
    isOverloaded = !isFirst && count > framesPerSecond
    guard isOverloaded, now - reportedAt >= OverloadMonitor.reminder else { return nil }
    reportedAt = now
    return count
  }
}
