// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Mux

/// Assigns fragments to HLS segments, and numbers the segments. A segment contains the fragments from one keyframe to
/// the next. Reads no clock and does no I/O.
///
/// The segments in a playlist must have consecutive numbers, and a count of the discontinuities before them (RFC 8216,
/// 6.2.2). A segment that a cut removes before it is complete was never listed, so its number is given to the next
/// segment.
struct SegmentCounter {
  /// The length of segments without video, in nanoseconds. Segments without video may begin with any packet.
  private static let audioNanos: Int64 = .seconds(2)

  /// The number of the present segment.
  private var number = 0
  /// Whether the store still has all fragments of the present segment; `false` before the first one.
  private var isWhole = false
  /// The time at which the present segment begins.
  private var beganAt = MediaTime.distantPast
  /// The number of the newest complete segment's initialization, and the number of discontinuities up to that segment.
  private var complete = (initialization: 0, discontinuities: 0)
  /// The number of the present segment's initialization, and the number of discontinuities up to that segment.
  private var present = (initialization: 0, discontinuities: 0)

  /// Sets the segment of a new fragment. Begins a new segment if one is due.
  mutating func assignSegment(to fragment: inout Fragment) {
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

  /// Notes that the store has removed a fragment.
  mutating func noteRemoval(of fragment: Fragment) {
    if fragment.segment == number { isWhole = false }
  }
}
