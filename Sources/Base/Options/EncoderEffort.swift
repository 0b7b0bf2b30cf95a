// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// How much work the video encoder puts into a frame: the x264 settings that can change from one frame to the next. The
/// names in brackets are x264's own.
public struct EncoderEffort: Equatable, Sendable {
  /// The search pattern for motion vectors at whole-pixel precision, from the fastest to the slowest [me].
  public enum MotionSearch: Sendable {
    case diamond, hexagon, multiHexagon
  }

  /// The effort for motion vectors below whole-pixel precision, from 1 (fastest) to 8. From 6 on, x264 also chooses
  /// modes by rate-distortion optimisation [subme].
  public var subpixelRefinement: Int
  /// The search pattern for motion vectors at whole-pixel precision [me].
  public var motionSearch: MotionSearch
  /// The number of reference frames for prediction, from 1 to `mostReferences` [ref].
  public var references: Int
  /// Whether the partitions of one macroblock may use different reference frames [mixed-refs].
  public var mixesReferences: Bool
  /// Whether a macroblock of a P-frame may be split into partitions, each with its own motion vector [partitions p8x8].
  public var splitsBlocks: Bool
  /// Trellis quantisation: 0 for off, 1 for the final mode only, 2 for every mode decision [trellis].
  public var trellis: Int

  /// The highest value of `references`. Each reference frame takes memory for itself and its interpolated planes: 4 MB
  /// at 1280x720.
  public static let mostReferences = 3

  public init(
    subpixelRefinement: Int, motionSearch: MotionSearch = .hexagon, references: Int = 1,
    mixesReferences: Bool = false, splitsBlocks: Bool = true, trellis: Int = 0
  ) {
    self.subpixelRefinement = subpixelRefinement
    self.motionSearch = motionSearch
    self.references = references
    self.mixesReferences = mixesReferences
    self.splitsBlocks = splitsBlocks
    self.trellis = trellis
  }
}
