// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Media

/// The span of time of a stream on one connection: decides which packets are inside it.
///
/// The stream begins with the first keyframe. Audio begins later than video, and ends later by the same time, so that
/// both are equally long.
struct StreamSpan: Equatable {
  /// The capture time of the stream's first packet; `nil` before it.
  private(set) var start: MediaTime?
  /// The capture time of the first audio packet; `nil` before it.
  private var firstAudio: MediaTime?
  /// The duration of an audio packet in nanoseconds: 1,024 samples of AAC.
  var audioPacketNanos: Int64 = 0

  /// Begins a new stream: forgets the times of the earlier one.
  mutating func begin() {
    start = nil
    firstAudio = nil
  }

  /// Nanoseconds from the start of the stream to a packet's time; `nil` if there is no packet.
  func offset(of time: MediaTime?) -> Int64? {
    guard let time, let start else { return nil }
    return time - start
  }

  /// Nanoseconds from the first frame to the first audio packet; 0 until both are known.
  var audioLag: Int64 {
    guard let start, let firstAudio else { return 0 }
    return firstAudio - start
  }

  /// Decides whether a packet belongs to the stream, and notes the times of the first video and audio packets.
  /// - Parameter end: when the last frame ends; `nil` while video goes on.
  /// - Returns: `false` for audio from before the stream's start, and for audio that would make the audio longer than
  ///   the video.
  mutating func admit(_ kind: PacketKind, _ time: MediaTime, videoEnd end: MediaTime?) -> Bool {
    guard let start else {
      self.start = time
      if kind == .audio { firstAudio = time }
      return true
    }
    guard kind == .audio else { return true }
    guard time >= start else { return false }
    if let end {
      // Accept the packet only if it brings the length of audio closer to that of video.
      let length = time + audioPacketNanos / 2 - (firstAudio ?? time)
      guard length <= end - start else { return false }
    }
    if firstAudio == nil { firstAudio = time }
    return true
  }
}
