// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Notices a server that sends its music more slowly than it plays: the samples run out again and again, though no
/// connection fails. Reads no clock: the time is passed in.
struct MusicSlowness {
  /// The second gap within this time counts as slowness; a single one may be a hiccup of the network.
  private static let gapNanos: Int64 = .seconds(120)
  /// It is over after this much sound without a gap.
  private static let overNanos: Int64 = .seconds(30)

  private(set) var isSlow = false
  private var gaps = 0
  private var lastGap = MediaTime.distantPast
  /// Nanoseconds of sound since the last gap.
  private var heard: Int64 = 0

  /// Notes what was heard.
  /// - Parameters:
  ///   - sound: nanoseconds of sound since the last call.
  ///   - gaps: how often the samples of the present buffer have run out.
  ///   - hasTrouble: whether a connection has failed, which explains a gap.
  /// - Returns: whether slowness has begun.
  mutating func note(sound: Int64, gaps: Int, hasTrouble: Bool, now: MediaTime) -> Bool {
    defer { self.gaps = gaps }
    if hasTrouble {
      (isSlow, lastGap) = (false, .distantPast)
    } else if gaps > self.gaps {
      defer { (lastGap, heard) = (now, 0) }
      guard !isSlow, now - lastGap < MusicSlowness.gapNanos else { return false }
      isSlow = true
      return true
    } else {
      heard += sound
      if heard >= MusicSlowness.overNanos { isSlow = false }
    }
    return false
  }
}
