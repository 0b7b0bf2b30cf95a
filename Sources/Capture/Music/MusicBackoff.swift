// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Decides how long to wait before music on the network is opened again: 1, 2, 4 … 32, 40 s and up to a quarter more,
/// and from 1 s on again after sound has come for 30 s. So a station that is back is heard again within a minute.
/// FFmpeg's own reconnecting counts only failures: a server that closes after each second would get thousands of
/// connections.
struct MusicBackoff {
  /// With a quarter more 50 s, which leaves ten to connect and to fill the buffer.
  private static let maxSeconds: Int64 = 40
  private static let soundNanos: Int64 = .seconds(30)

  private var seconds: Int64 = 1
  /// Nanoseconds of sound since the last opening.
  private var heard: Int64 = 0

  /// Notes that the connection has brought this many nanoseconds of sound.
  mutating func noteSound(_ nanos: Int64) {
    heard += nanos
    if heard >= MusicBackoff.soundNanos { seconds = 1 }
  }

  /// Whether so much sound has come that the trouble before counts as over.
  var isRestored: Bool { heard >= MusicBackoff.soundNanos }

  /// The time in nanoseconds until the next attempt.
  /// - Parameter least: the least seconds that the cause of the failure asks for.
  mutating func next(least: Int64, using random: inout some RandomNumberGenerator) -> Int64 {
    let wait = max(seconds, least)
    seconds = min(seconds * 2, MusicBackoff.maxSeconds)
    heard = 0
    // Up to a quarter more, so that many boxes do not come back at the same moment.
    return .seconds(wait) + Int64.random(in: 0...(Int64.seconds(wait) / 4), using: &random)
  }
}
