// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// How much work an encoder puts into a frame: the settings that x264 can change from one frame to the next. The names in
/// brackets are x264's.
public struct EncoderEffort: Equatable, Sendable {
  /// The search for motion by whole pixels [me].
  public enum MotionSearch: Sendable {
    case diamond, hexagon, multiHexagon
  }

  /// 1 to 8: how exactly motion is found, and from 6 on whether modes are compared by rate and distortion [subme].
  public var subpixelRefinement: Int
  public var motionSearch: MotionSearch
  /// Earlier frames that a block may refer to, 1 to `mostReferences` [ref].
  public var references: Int
  /// Whether the parts of a block may refer to different frames [mixed-refs].
  public var mixesReferences: Bool
  /// Whether a block may be split into parts with motion of their own [partitions p8x8].
  public var splitsBlocks: Bool
  /// 0 off, 1 for the chosen mode, 2 for all that are compared [trellis].
  public var trellis: Int

  /// Each takes memory for a frame and its interpolations: 4 MB at 1280x720.
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
