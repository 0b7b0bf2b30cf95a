// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Decides how long the preview is needed: by its readers (viewers that receive the stream of fragments) and by the
/// requests for playlists, segments and snapshots. Reads no clock and does no I/O: the time is passed in.
struct Attendance {
  /// The time for which the preview stays open after the last viewer has stopped reading, in nanoseconds. The viewer
  /// may only be reloading the page.
  static let readerNanos: Int64 = .seconds(2)
  /// The time for which the preview stays open after a request for a playlist, a segment or a snapshot, in nanoseconds.
  static let requestNanos: Int64 = .seconds(10)
  /// The most viewers that may read the stream of fragments at the same time.
  static let maxReaders = 32

  /// The number of viewers that read the stream of fragments now.
  private(set) var readers = 0
  /// When a viewer last stopped reading the stream of fragments; `distantPast` if none has.
  private var leftAt = MediaTime.distantPast
  /// When a playlist, a segment or a snapshot was last requested; `distantPast` if none was.
  private var requestedAt = MediaTime.distantPast

  /// Notes that a viewer has begun to read the stream of fragments.
  mutating func enter() { readers += 1 }

  /// Notes that a viewer has stopped reading the stream of fragments.
  mutating func leave(now: MediaTime) {
    readers -= 1
    leftAt = now
  }

  /// Notes a request for a playlist, a segment or a snapshot.
  mutating func request(now: MediaTime) { requestedAt = now }

  /// The time until which the preview is needed if no further reader or request comes; `distantFuture` while there are
  /// readers.
  var neededUntil: MediaTime {
    readers > 0
      ? .distantFuture
      : max(leftAt + Attendance.readerNanos, requestedAt + Attendance.requestNanos)
  }

  /// The number of viewers: all readers, and one more if the last request is not older than `requestNanos`.
  func viewers(now: MediaTime) -> Int {
    readers + (now < requestedAt + Attendance.requestNanos ? 1 : 0)
  }
}
