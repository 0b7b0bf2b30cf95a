// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Media

/// Keeps as much of a station's music in hand as there was at its start: a station's clock drifts by up to a tenth of a
/// thousandth, and in a day the samples would run out, or become too many.
///
/// Reads no clock and does no I/O: the time is passed in.
struct StationPace {
  private var follower = ClockFollower(slowness: MusicReader.stationSlowness)
  /// Nanoseconds that are to be in hand.
  private var wanted: Int64

  init() { wanted = MusicReader.stationInHand }

  /// - Parameter inHand: the sample frames in hand at the start.
  init(now: MediaTime, inHand: Int) {
    wanted = max(MusicReader.stationInHand, PCM.nanos(frames: inHand))
  }

  /// Notes that samples have arrived.
  /// - Parameter inHand: the sample frames in hand before them.
  /// - Returns: by how many millionths more output is to be made of the input; `nil` for no change.
  mutating func observe(inHand: Int, now: MediaTime) -> Double? {
    let excess = PCM.nanos(frames: inHand) - wanted
    switch follower.observe(placed: now + excess, captured: now) {
    case .none: return nil
    case .stretch(let ppm): return ppm
    case .jump(let nanos):
      // The station sends more in advance, or less: what is in hand from now on is right.
      wanted -= nanos
      return nil
    }
  }
}
