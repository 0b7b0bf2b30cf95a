// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

/// Converts capture times to RTMP timestamps: milliseconds since the start of this publish.
///
/// RTMP's timestamps wrap at 32 bits, after 49.7 days (specification 1.0, section 5.1); so do these.
struct PublishClock: Equatable {
  private var zero: MediaTime?
  private var lastVideo: Int64 = -1
  private var lastAudio: Int64 = 0
  private var firstAudio: MediaTime?

  var isRunning: Bool { zero != nil }

  /// Starts a publish; `time` becomes timestamp 0.
  mutating func start(at time: MediaTime) {
    zero = time
    lastVideo = -1
    lastAudio = 0
    firstAudio = nil
  }

  mutating func stop() { zero = nil }

  /// The timestamp of a frame. Each is greater than the one before, even if the times are not.
  /// - Returns: `nil` when no publish has started.
  mutating func video(_ time: MediaTime) -> UInt32? {
    guard let elapsed = elapsed(time) else { return nil }
    lastVideo = max(elapsed, lastVideo + 1)
    return UInt32(truncatingIfNeeded: lastVideo)
  }

  /// The timestamp of an audio packet; never less than the one before.
  /// - Returns: `nil` for a packet from before the start of the publish.
  mutating func audio(_ time: MediaTime) -> UInt32? {
    guard let elapsed = elapsed(time), elapsed >= 0 else { return nil }
    lastAudio = max(elapsed, lastAudio)
    if firstAudio == nil { firstAudio = time }
    return UInt32(truncatingIfNeeded: lastAudio)
  }

  /// Nanoseconds from the first frame to the first audio packet. Audio ends that much after video as well.
  var audioLag: Int64 {
    guard let zero, let firstAudio else { return 0 }
    return firstAudio - zero
  }

  /// Whether sending this audio packet brings the length of audio closer to that of video.
  /// - Parameters:
  ///   - length: of the packet, in nanoseconds.
  ///   - end: when the last frame ends.
  func evensOut(_ time: MediaTime, length: Int64, videoEnd end: MediaTime) -> Bool {
    guard let zero else { return false }
    return time + length / 2 - (firstAudio ?? time) <= end - zero
  }

  /// Whole milliseconds since the start, rounded down.
  private func elapsed(_ time: MediaTime) -> Int64? {
    zero.map { (time - $0).dividedDown(by: 1_000_000) }
  }
}

extension Int64 {
  fileprivate func dividedDown(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
