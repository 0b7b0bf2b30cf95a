// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Changes the samples of one track before its gain. Used by one thread. Nothing of it allocates but its initialiser.
public protocol AudioFilter: AnyObject {
  /// How much later samples come out than they went in, in sample frames. It is taken from their times, so that the
  /// track stays in step with the others and with the video.
  var delayFrames: Int { get }
  /// - Parameter interleaved: `frames` × channels samples, to be changed in place. 48,000 sample frames are a second.
  @unsafe func process(_ interleaved: UnsafeMutablePointer<Float>, frames: Int)
  /// Forgets all samples: none of them may be heard from now on.
  func reset()
}

extension AudioFilter {
  public var delayFrames: Int { 0 }
}

/// Which filter a track has, and how it is set. A filter adds a function that returns one, in its own file.
public struct AudioFilterPlan: Sendable, Equatable {
  /// Equal for filters that are equal.
  private let name: String
  /// Makes the filter for a track with so many channels.
  public let make: @Sendable (_ channels: Int) -> any AudioFilter

  /// - Parameter name: of the filter and all its settings.
  public init(name: String, make: @escaping @Sendable (_ channels: Int) -> any AudioFilter) {
    self.name = name
    self.make = make
  }

  public static func == (one: AudioFilterPlan, other: AudioFilterPlan) -> Bool {
    one.name == other.name
  }
}
