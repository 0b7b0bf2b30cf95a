// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Converts capture times to RTMP timestamps: milliseconds since the start of the stream on this connection.
///
/// The timestamps wrap at 32 bits, after 49.7 days, as RTMP requires (specification 1.0, section 5.1). The timestamps
/// of frames rise strictly and those of audio packets never fall, even if the capture times do.
struct PublishClock: Equatable {
  /// The capture time that becomes timestamp 0.
  private let start: MediaTime
  /// The timestamp of the last frame in milliseconds, without the wrap at 32 bits; -1 before the first.
  private var lastVideo: Int64 = -1
  /// The timestamp of the last audio packet in milliseconds, without the wrap at 32 bits; 0 before the first.
  private var lastAudio: Int64 = 0

  /// - Parameter start: the capture time that becomes timestamp 0.
  init(start: MediaTime) { self.start = start }

  /// The RTMP timestamp, in milliseconds, of the next frame, which was captured at `time`.
  mutating func video(_ time: MediaTime) -> UInt32 {
    lastVideo = max(milliseconds(time), lastVideo + 1)
    return UInt32(truncatingIfNeeded: lastVideo)
  }

  /// The RTMP timestamp, in milliseconds, of the next audio packet, which was captured at `time`.
  mutating func audio(_ time: MediaTime) -> UInt32 {
    lastAudio = max(milliseconds(time), lastAudio)
    return UInt32(truncatingIfNeeded: lastAudio)
  }

  /// Whole milliseconds from the start to a capture time, rounded down.
  private func milliseconds(_ time: MediaTime) -> Int64 {
    (time - start).dividedDown(by: 1_000_000)
  }
}

extension Int64 {
  /// This number divided by a positive `divisor`, rounded down also if the quotient is negative.
  fileprivate func dividedDown(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
