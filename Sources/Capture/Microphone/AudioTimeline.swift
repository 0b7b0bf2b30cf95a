// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Media

/// Computes the times of sample frames by counting them: frame n is at start + n / 48,000 s, exact to the nanosecond
/// for any number of days.
public struct AudioTimeline: Sendable, Equatable {
  /// A time from which `frames` are counted: the start plus a number of whole seconds.
  private var anchor: MediaTime
  /// The number of sample frames since `anchor`, always fewer than one second has. Whole seconds are added to `anchor`,
  /// so that there are no rounding errors and no overflows.
  private var frames = 0

  /// - Parameter startsAt: the time of the first sample frame.
  public init(startsAt: MediaTime) { anchor = startsAt }

  /// The time of the next sample frame.
  public var next: MediaTime { anchor + PCM.nanos(frames: frames) }

  /// The time of the sample frame that comes `count` frames after the next one.
  public func time(after count: Int) -> MediaTime {
    var later = self
    later.advance(frames: count)
    return later.next
  }

  /// Counts `count` more sample frames.
  public mutating func advance(frames count: Int) {
    frames += count
    anchor = anchor + Int64.seconds(Int64(frames / PCM.sampleRate))
    frames %= PCM.sampleRate
  }

  /// Moves all following sample frames later by `nanos` nanoseconds, or earlier if that is negative.
  public mutating func shift(nanos: Int64) { anchor = anchor + nanos }
}
