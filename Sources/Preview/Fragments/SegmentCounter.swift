// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Mux

/// Assigns fragments to HLS segments, and numbers the segments. A segment contains the fragments from one keyframe to
/// the next. Reads no clock and does no I/O.
///
/// The segments in a playlist must have consecutive numbers, and a count of the discontinuities before them (RFC 8216,
/// 6.2.2). A segment whose fragments are removed before it is complete, because a new scene begins, was never listed:
/// its number is given to the next segment. Where playlists list the parts of unfinished segments, it was listed, and
/// keeps its number.
struct SegmentCounter {
  /// The minimum length of a segment without video, in nanoseconds.
  private static let audioNanos: Int64 = .seconds(2)

  /// Whether playlists list the fragments of an unfinished segment, too.
  private let listsParts: Bool
  /// The number of the present segment.
  private var number = 0
  /// Whether the store still has all fragments of the present segment; `false` before the first segment.
  private var isWhole = false
  /// The time at which the present segment begins.
  private var beganAt = MediaTime.distantPast
  /// The newest complete segment: the number of its initialization segment, and the count of discontinuities up to it.
  private var complete = (initialization: 0, discontinuities: 0)
  /// The present segment: the number of its initialization segment, and the count of discontinuities up to it.
  private var present = (initialization: 0, discontinuities: 0)

  init(listsParts: Bool = false) { self.listsParts = listsParts }

  /// Sets the segment to which a new fragment belongs. Begins a new segment if one is due.
  mutating func assignSegment(to fragment: inout Fragment) {
    let initialization = fragment.initialization.number
    let isDue =
      fragment.initialization.hasVideo || !isWhole || initialization != present.initialization
      || fragment.time - beganAt >= SegmentCounter.audioNanos
    guard fragment.beginsWithKeyframe, isDue else {
      fragment.segment = isWhole ? number : nil
      return
    }
    if isWhole || listsParts && present.initialization > 0 {
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
