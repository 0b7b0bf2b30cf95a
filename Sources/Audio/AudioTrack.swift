// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// How a track is added to the sum.
public struct AudioTrack {
  /// In decibels.
  public var gainDB: Double
  /// Applied in this order, before the gain.
  public var filters: [any AudioFilter]

  public init(gainDB: Double = 0, filters: [any AudioFilter] = []) {
    self.gainDB = gainDB
    self.filters = filters
  }
}

/// Changes the samples of one track before its gain. Used by one thread.
public protocol AudioFilter: AnyObject {
  /// - Parameter interleaved: `frames` × channels samples, to be changed in place. 48,000 sample frames are a second.
  @unsafe func process(_ interleaved: UnsafeMutablePointer<Float>, frames: Int)
  /// Forgets all samples: none of them may be heard from now on.
  func reset()
}
