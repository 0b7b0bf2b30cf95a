// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CFilter

/// The points, such as those of faces, that the program of a filter has found in a frame, for the programs of the
/// filters after it. Used by one thread.
@safe final class DetectedPoints: @unchecked Sendable {
  /// Memory for `ONAIR_FILTER_POINTS` points, of which the first `count` are valid.
  private let points: UnsafeMutablePointer<onair_filter_point>
  /// The number of valid points in `points`.
  private var count = 0
  /// When the frame with these points was captured.
  private var capturedAt = MediaTime.distantPast

  init() {
    unsafe points = .allocate(capacity: Int(ONAIR_FILTER_POINTS))
    unsafe points.initialize(
      repeating: onair_filter_point(), count: Int(ONAIR_FILTER_POINTS))
  }

  deinit { unsafe points.deallocate() }

  /// Replaces the stored points by the points that a program has found. If the program has found none, points that
  /// another program has found in the same frame are kept.
  /// - Parameters:
  ///   - memory: the shared memory of a `FilterSession`. Its content is not trusted.
  ///   - time: when the frame was captured.
  func read(from memory: UnsafeRawPointer, at time: MediaTime) {
    let found = Int(unsafe onair_filter_take_points(memory, points))
    // Keep the points that another program has found in this frame.
    guard found > 0 || time != capturedAt else { return }
    (count, capturedAt) = (found, time)
  }

  /// Writes the points of the frame that was captured at `time` into the shared memory of a `FilterSession`, for the
  /// next program.
  func write(to memory: UnsafeMutableRawPointer, at time: MediaTime) {
    unsafe onair_filter_give_points(memory, points, time == capturedAt ? UInt32(count) : 0)
  }
}
