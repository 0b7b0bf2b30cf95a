// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Mux

/// Decides where a part of a segment ends: after 0.51 s (85 % of the longest part, as the standard asks), and before a
/// frame with which it would be longer than `PartPlaylist.partNanos`. Reads no clock and does no I/O.
struct PartLength {
  /// The least length of a part, in nanoseconds.
  private static let leastNanos = PartPlaylist.partNanos * 85 / 100
  /// What the times of frames may be beside a whole number of milliseconds, in nanoseconds.
  private static let toleranceNanos: Int64 = 400_000

  /// Whether the length counts by the frames; otherwise by the audio packets.
  private let hasVideo: Bool
  /// The time of the first packet of the part; `nil` before it.
  private var began: MediaTime?
  /// The time of the last packet; `nil` before the first.
  private var last: MediaTime?
  /// The time from one packet to the next, in nanoseconds.
  private var interval: Int64

  init(_ epoch: Epoch) {
    hasVideo = epoch.video != nil
    interval =
      if let video = epoch.video {
        1_000_000_000 / Int64(max(1, video.framesPerSecond))
      } else {
        1_024 * 1_000_000_000 / Int64(max(1, epoch.audio?.sampleRate ?? 48_000))
      }
  }

  /// Begins a new part with the next packet.
  mutating func begin() { began = nil }

  /// Adds a packet to the part.
  /// - Returns: whether the part ends after it.
  mutating func add(isVideo: Bool, at time: MediaTime) -> Bool {
    guard isVideo == hasVideo else { return false }
    if let last, time > last { interval = min(time - last, .seconds(1)) }
    last = time
    let start = began ?? time
    began = start
    let length = time + interval - start
    return length >= PartLength.leastNanos
      || length + interval > PartPlaylist.partNanos + PartLength.toleranceNanos
  }
}
