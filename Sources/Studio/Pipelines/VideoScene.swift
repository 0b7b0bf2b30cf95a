// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

extension VideoPipeline {
  /// Totals since the pipeline was started.
  struct Counters: ~Copyable, Sendable {
    /// Frames encoded, repeats included.
    let frames = Counter()
    /// Frames sent again because no new frame came.
    let repeats = Counter()
    /// Frames dropped because the source is faster than `video.fps`.
    let surplus = Counter()
    /// Frames whose data could not be decoded.
    let unreadable = Counter()
    /// Failed attempts to encode a frame or to open an encoder.
    let failures = Counter()
    /// Bytes of the encoded packets.
    let bytes = Counter()
    /// Bytes of the largest packet since this value was last read.
    let largest = Largest()
    /// Padding bytes that were added to frames to probe the link. Not included in `bytes`.
    let filler = Counter()
    /// The elapsed time of encoding each frame, without the time for composing the frame.
    let encoding = DurationMeter()
    /// The time from each frame's arrival from its source until its packet is offered to sinks. Repeats do not count.
    let delay = DurationMeter()
  }

  /// A video scene: the live video or the still that is sent between two cuts.
  struct Scene: Sendable {
    /// The number of the scene, which rises by one with each cut. Every packet has the number of its scene
    /// (`Packet.scene`).
    var number: UInt32 = 0
    /// The still that the scene shows; `nil` for live video.
    var still: Still?
    /// Whether only the still's first keyframe is sent, and further ones to sinks that need one.
    var isSoundOnly = false
    /// Frames captured before this time are not shown.
    var since = MediaTime.distantPast

    /// Whether live video continues from this scene to `other` without a gap: both scenes show live video from the same
    /// capture time on.
    func continues(in other: Scene) -> Bool {
      still == nil && other.still == nil && since == other.since
    }
  }

  /// The scene of the newest packet that was offered to sinks.
  struct Offered {
    /// The number of the scene (`Scene.number`).
    var number: UInt32
    /// The time of the scene's first packet, on the stream's timeline.
    var since: MediaTime
  }
}
