// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// What viewers received.
public struct LinkScore: Sendable {
  /// Seconds in which the server was more than two seconds behind, although the link could have carried a still and
  /// audio.
  public var secondsBehind = 0.0
  public var mostBehind = 0.0
  /// Mean quality of the frames shown, 0 to 1.
  public var quality = 0.0
  /// Changes between camera and still.
  public var switches = 0
  public var stillSeconds = 0.0
  /// Share of the usable capacity (up to the target) that was used.
  public var used = 0.0
  /// Share of the bytes sent that was filler.
  public var fillerShare = 0.0
  /// If requested, ten samples a second: seconds behind, bytes that had arrived, video bit rate, and whether a still
  /// was shown.
  public var record: [(behind: Double, arrived: Double, videoKbps: Double, isStill: Bool)] = []

  /// The maximum of `behind` between two times.
  public func mostBehind(from begin: Double, to end: Double) -> Double {
    record[Int(begin * 10)..<min(record.count, Int(end * 10))].reduce(0) { max($0, $1.behind) }
  }

  /// kbit/s that arrived between two times.
  public func capacityKbps(from begin: Double, to end: Double) -> Double {
    (record[Int(end * 10)].arrived - record[Int(begin * 10)].arrived) * 0.008 / (end - begin)
  }
}
