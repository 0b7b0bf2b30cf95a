// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Media

/// Computes the times of counted samples: frame n is at start + n / 48,000 s, exact to the nanosecond for any number
/// of days.
public struct AudioTimeline: Sendable, Equatable {
  private var anchor: MediaTime
  /// Frames since the anchor, less than a second. Whole seconds are moved into the anchor, so that neither rounding
  /// errors nor overflows occur.
  private var frames = 0

  /// - Parameter startsAt: the time of the first frame.
  public init(startsAt: MediaTime) { anchor = startsAt }

  /// The time of the next frame.
  public var next: MediaTime { anchor + PCM.nanos(frames: frames) }

  /// The time of the frame `count` frames after the next one.
  public func time(after count: Int) -> MediaTime {
    var later = self
    later.advance(frames: count)
    return later.next
  }

  /// Counts `count` frames.
  public mutating func advance(frames count: Int) {
    frames += count
    anchor = anchor + Int64.seconds(Int64(frames / PCM.sampleRate))
    frames %= PCM.sampleRate
  }

  /// Moves all following frames by `nanos`.
  public mutating func shift(nanos: Int64) { anchor = anchor + nanos }
}
