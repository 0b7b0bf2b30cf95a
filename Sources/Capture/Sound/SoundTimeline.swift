// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// The times of sound that is counted: frame n stands at anchor + n / 48,000 s, to the nanosecond and
/// for any number of days.
public struct SoundTimeline: Sendable, Equatable {
  private var anchor: MediaTime
  /// Frames since the anchor, less than a second: whole seconds are moved into the anchor, so that
  /// neither rounding nor range ever counts.
  private var frames = 0

  /// - Parameter startsAt: the time of the first frame.
  public init(startsAt: MediaTime) { anchor = startsAt }

  /// The time of the next frame.
  public var next: MediaTime { anchor + PCM.nanos(frames: frames) }

  /// The time of the frame that comes `count` after the next.
  public func time(after count: Int) -> MediaTime {
    var later = self
    later.advance(frames: count)
    return later.next
  }

  /// Counts frames that have gone by.
  public mutating func advance(frames count: Int) {
    frames += count
    anchor = anchor + Int64.seconds(Int64(frames / PCM.sampleRate))
    frames %= PCM.sampleRate
  }

  /// Moves all that comes by so many nanoseconds.
  public mutating func shift(nanos: Int64) { anchor = anchor + nanos }
}
