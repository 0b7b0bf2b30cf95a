// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

/// Numbers the HLS segments: the fragments from a keyframe to the next. Pure.
///
/// A playlist must list segments whose numbers follow each other, and count their discontinuities (RFC 8216, 6.2.2). A
/// segment that is cut away before it is complete was never listed: the next one gets its number.
struct SegmentCounter {
  /// The number of the present segment.
  private var number = 0
  /// Whether all fragments of the present segment are kept.
  private var isWhole = false
  /// When it began.
  private var beganAt = MediaTime.distantPast
  /// The initialization of the newest complete segment, and how many discontinuities there were up to it.
  private var complete = (initialization: 0, discontinuities: 0)
  private var present = (initialization: 0, discontinuities: 0)

  /// Finds the segment of a new fragment.
  mutating func place(_ fragment: inout Fragment, audioNanos: Int64) -> Int? {
    let initialization = fragment.initialization.number
    let isDue =
      fragment.initialization.hasVideo || !isWhole || initialization != present.initialization
      || fragment.time - beganAt >= audioNanos
    guard fragment.beginsWithKeyframe, isDue else { return isWhole ? number : nil }
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
    return number
  }

  /// A fragment is kept no more.
  mutating func hasLost(_ fragment: Fragment) {
    if fragment.segment == number { isWhole = false }
  }
}
