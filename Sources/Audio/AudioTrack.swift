// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// The gain, delay and filters with which a mixer adds a track to the sum.
public struct AudioTrack {
  /// The gain in decibels; 0 leaves the samples as they are.
  public var gainDB: Double
  /// Nanoseconds added to the time of every sample; may be negative.
  public var delayNanos: Int64
  /// The filters, applied in this order and before the gain.
  public var filters: [any AudioFilter]

  public init(gainDB: Double = 0, delayNanos: Int64 = 0, filters: [any AudioFilter] = []) {
    self.gainDB = gainDB
    self.delayNanos = delayNanos
    self.filters = filters
  }
}
