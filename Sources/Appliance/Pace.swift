// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media
internal import Settings

/// Whether the machine keeps up with what it is asked to do: told once it has not for ten seconds, and
/// again at most each ten minutes. Pure: it is told the time.
struct Pace {
  private static let window = Int64.seconds(10)
  private static let reminder = Int64.seconds(600)

  private let size: String
  private let framesPerSecond: Int
  private var windowEnd = MediaTime.distantPast
  private var before = 0
  private var toldAt = MediaTime.distantPast

  /// Whether the machine was too slow in the last window.
  private(set) var isOverloaded = false

  init(_ video: VideoSettings) {
    size = "\(video.size)"
    framesPerSecond = video.fps
  }

  /// - Parameter overtaken: pictures that a newer one replaced before they were looked at, and pieces of sound
  ///   likewise, since the beginning.
  /// - Returns: a sentence, if there is one to tell.
  mutating func look(_ now: MediaTime, overtaken: Int) -> String? {
    guard now >= windowEnd else { return nil }
    let isFirst = windowEnd == .distantPast
    windowEnd = now + Pace.window
    let late = overtaken - before
    before = overtaken
    // One in ten is seen.
    isOverloaded = !isFirst && late > framesPerSecond
    guard isOverloaded, now - toldAt >= Pace.reminder else { return nil }
    toldAt = now
    return
      "This machine is too slow, or too busy, for \(size) at \(framesPerSecond) a second: in 10 s "
      + "\(late) pictures or pieces of sound came too fast for it. Choose a smaller video.size, a lower "
      + "video.fps, or video.speed = \"superfast\"."
  }
}
