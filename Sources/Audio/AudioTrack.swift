// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Glibc

/// How loud a track is in the sum, and where it is between left and right.
public struct TrackGain: Sendable, Equatable {
  /// In decibels.
  public var gainDB: Double
  /// 0 to 100. 50 changes nothing, 100 doubles the amplitude.
  public var volume: Double
  public var isMuted: Bool
  /// -1 for left, 0 for the middle, 1 for right. It lowers the other channel, as a balance control does.
  public var pan: Double

  public init(gainDB: Double = 0, volume: Double = 50, isMuted: Bool = false, pan: Double = 0) {
    self.gainDB = gainDB
    self.volume = volume
    self.isMuted = isMuted
    self.pan = pan
  }

  /// The factors for the left and the right channel. With one channel, `pan` has no effect.
  func factors(channels: Int) -> SIMD2<Float> {
    guard !isMuted else { return SIMD2() }
    let both = pow(10, gainDB / 20) * volume / 50
    guard channels == 2 else { return SIMD2(repeating: Float(both)) }
    return SIMD2(Float(both * min(1, 1 - pan)), Float(both * min(1, 1 + pan)))
  }
}

/// The gain, delay and filters with which a mixer adds a track to the sum.
public struct AudioTrack {
  /// What a track is to the others.
  public enum Role: Sendable {
    /// While it is heard, tracks with the role `music` are lowered.
    case voice
    case music
    /// Neither lowers other tracks nor is lowered.
    case other
  }

  /// The gain; 0 dB leaves the samples as they are.
  public var gain: TrackGain
  /// Nanoseconds added to the time of every sample; may be negative.
  public var delayNanos: Int64
  /// The filters, applied in this order and before the gain.
  public var filters: [any AudioFilter]
  public var role: Role

  public init(
    gain: TrackGain = TrackGain(), delayNanos: Int64 = 0, filters: [any AudioFilter] = [],
    role: Role = .other
  ) {
    self.gain = gain
    self.delayNanos = delayNanos
    self.filters = filters
    self.role = role
  }
}
