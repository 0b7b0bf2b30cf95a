// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// A filter that changes the samples of one track before its gain. Used by one thread. Only its initialiser may
/// allocate memory.
public protocol AudioFilter: AnyObject {
  /// By how many sample frames the filter delays the samples. The mixer subtracts this delay from the samples' times,
  /// so that the track stays in step with the other tracks and with the video.
  var delayFrames: Int { get }
  /// Filters samples in place.
  /// - Parameter interleaved: `frames` × channels samples, at 48,000 sample frames a second.
  @unsafe func process(_ interleaved: UnsafeMutablePointer<Float>, frames: Int)
  /// Discards all samples that the filter holds: none of them may be heard from now on.
  func reset()
}

extension AudioFilter {
  /// By default 0: the filter does not delay the samples.
  public var delayFrames: Int { 0 }
}

/// The kind of a track's filter and its settings, as a value from which the filter is made. Each kind of filter has, in
/// its own file, a function that returns its `AudioFilterPlan`.
public struct AudioFilterPlan: Sendable, Equatable {
  /// Identifies the kind of the filter and its settings: plans with the same name make the same filter.
  private let name: String
  /// Makes the filter, for a track with this number of channels.
  public let make: @Sendable (_ channels: Int) -> any AudioFilter

  /// - Parameter name: identifies the kind of the filter and all its settings.
  public init(name: String, make: @escaping @Sendable (_ channels: Int) -> any AudioFilter) {
    self.name = name
    self.make = make
  }

  public static func == (one: AudioFilterPlan, other: AudioFilterPlan) -> Bool {
    one.name == other.name
  }
}
