// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Mux

/// Numbers the HLS segments: the fragments from a keyframe to the next. Pure.
///
/// A playlist must list segments whose numbers follow each other, and count their discontinuities (RFC 8216, 6.2.2). A
/// segment that is cut away before it is complete was never listed: the next one gets its number.
struct SegmentCounter {
  /// The length of segments without video, in nanoseconds: these may begin with any packet.
  private static let audioNanos: Int64 = .seconds(2)

  /// The number of the present segment.
  private var number = 0
  /// Whether all fragments of the present segment are kept.
  private var isWhole = false
  /// When it began.
  private var beganAt = MediaTime.distantPast
  /// The initialization of the newest complete segment, and how many discontinuities there were up to it.
  private var complete = (initialization: 0, discontinuities: 0)
  private var present = (initialization: 0, discontinuities: 0)

  /// Gives a new fragment its place in a segment.
  mutating func place(_ fragment: inout Fragment) {
    let initialization = fragment.initialization.number
    let isDue =
      fragment.initialization.hasVideo || !isWhole || initialization != present.initialization
      || fragment.time - beganAt >= SegmentCounter.audioNanos
    guard fragment.beginsWithKeyframe, isDue else {
      fragment.segment = isWhole ? number : nil
      return
    }
    if isWhole {
      complete = present
      number += 1
    }
    let isSame = initialization == complete.initialization
    present = (initialization, complete.discontinuities + (isSame ? 0 : 1))
    isWhole = true
    beganAt = fragment.time
    fragment.beginsSegment = true
    fragment.discontinuities = present.discontinuities
    fragment.segment = number
  }

  /// A fragment is kept no more.
  mutating func hasLost(_ fragment: Fragment) {
    if fragment.segment == number { isWhole = false }
  }
}
