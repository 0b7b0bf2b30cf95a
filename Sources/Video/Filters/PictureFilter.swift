// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
public import Media

/// A frame that filters change in place.
@unsafe public struct FilterFrame {
  /// The samples, which filters read and write. Valid only during the call of `apply`.
  public var planes: MutablePlanes
  /// The size in pixels; both sides are even. The size may differ from that of the last frame, because of the network,
  /// the settings or another camera.
  public var size: PictureSize
  /// The matrix and range of the samples.
  public var colour: Colour
  /// When the frame was captured. The same frame is filtered again if the layout or the settings change.
  public var capturedAt: MediaTime

  public init(
    planes: MutablePlanes, size: PictureSize, colour: Colour, capturedAt: MediaTime
  ) {
    unsafe self.planes = planes
    unsafe (self.size, self.colour, self.capturedAt) = (size, colour, capturedAt)
  }
}

/// A step of the chain of filters on a source's picture.
///
/// The filter gets each frame after the privacy mask and after the earlier steps: upright, in the size in which it is
/// shown, without bars, before any layer is drawn. Used by the thread of the video pipeline alone.
public protocol PictureFilter: AnyObject {
  /// Changes a frame in place. The encoder has to wait for the filter, so `apply` must not allocate memory, and must
  /// not wait longer than about half the time from frame to frame. A filter that is late, or has nothing to do, leaves
  /// the frame as it is.
  @unsafe func apply(to frame: FilterFrame)

  /// Lets the filter use other settings from the next frame on.
  /// - Parameter plan: the new plan of the step with this filter's name. It may belong to another kind of filter.
  /// - Returns: `false` if the filter cannot change to the plan: the filter is then replaced by a new one, made from
  ///   the plan.
  func change(_ plan: any PictureFilterPlan) -> Bool

  /// Forgets all earlier frames: no part of them may appear in later frames, because a pause, another source or a new
  /// privacy mask hides them.
  func reset()
}

extension PictureFilter {
  /// By default, refuses each new plan, so that a new filter replaces this one.
  public func change(_ plan: any PictureFilterPlan) -> Bool { false }
  /// By default, does nothing: this suits filters that keep no part of earlier frames.
  public func reset() {}
}

/// The settings of a filter, as a value from which the filter is made. Each kind of filter is one source file, with a
/// `PictureFilter` and its plan.
public protocol PictureFilterPlan: Sendable, Equatable {
  /// Makes the filter. Called on the thread of the video pipeline between two frames: it may allocate memory, but must
  /// not wait. The filter starts a process, or does other slow work, on another thread; until that is done, `apply`
  /// leaves frames as they are.
  func makeFilter() -> any PictureFilter
}

/// A step of the chain: a filter's name in the settings, and its plan.
public struct PictureFilterStep: Sendable, Equatable {
  /// The filter's name in the settings.
  public let name: String
  /// The filter's kind and its settings.
  public let plan: any PictureFilterPlan

  public init(_ name: String, _ plan: any PictureFilterPlan) {
    (self.name, self.plan) = (name, plan)
  }

  public static func == (one: PictureFilterStep, other: PictureFilterStep) -> Bool {
    one.name == other.name && one.plan.isEqual(to: other.plan)
  }
}

extension PictureFilterPlan {
  /// Whether another plan is of the same kind and has the same settings.
  func isEqual(to other: any PictureFilterPlan) -> Bool { (other as? Self) == self }
}
