// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

extension VideoPipeline {
  /// Totals since the pipeline was started.
  struct Counters: ~Copyable, Sendable {
    /// Frames encoded.
    let frames = Counter()
    /// Frames sent again because no new one came.
    let repeats = Counter()
    /// Frames dropped because the source is faster than `video.fps`.
    let surplus = Counter()
    /// Frames whose data could not be decoded.
    let unreadable = Counter()
    /// Frames that the encoder failed to encode.
    let failures = Counter()
    let bytes = Counter()
    /// Bytes of the largest packet since the last reading.
    let largest = Largest()
    /// Bytes added to frames to probe the link, which `bytes` does not contain.
    let filler = Counter()
    /// The elapsed time of encoding each frame, without composing, which is part of preparing the frame.
    let encoding = DurationMeter()
    /// The elapsed time from the arrival of each frame from its source until it was encoded. Repeats do not count.
    let delay = DurationMeter()
  }

  /// The video that is sent between two cuts: live video or a still.
  struct Scene: Sendable {
    /// The number of the scene, which rises by one with each cut. Every packet has the number of its scene
    /// (`Packet.scene`).
    var number: UInt32 = 0
    /// `nil` for live video.
    var still: Still?
    /// Frames captured before this time are not shown.
    var since = MediaTime.distantPast

    /// Whether live video continues in `other` without a gap: both scenes are live video, from the same capture time
    /// on.
    func goesOn(in other: Scene) -> Bool {
      still == nil && other.still == nil && since == other.since
    }
  }

  /// The scene of the newest packet that was offered to sinks.
  struct Offered {
    var number: UInt32
    /// The time of the scene's first packet.
    var since: MediaTime
  }
}
