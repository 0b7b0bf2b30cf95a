// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Decides until when the preview is needed, from its readers and requests. Reads no clock and does no I/O: the time is
/// passed in.
struct Attendance {
  /// The time for which the preview stays open after its last reader has left, in nanoseconds. The viewer may only be
  /// reloading the page.
  static let readerNanos: Int64 = .seconds(2)
  /// The time for which the preview stays open after a request for a playlist, a segment or a snapshot, in nanoseconds.
  static let requestNanos: Int64 = .seconds(10)
  /// The most readers at the same time.
  static let maxReaders = 32

  /// The number of present readers.
  private(set) var readers = 0
  /// When a reader last left; `distantPast` before that.
  private var leftAt = MediaTime.distantPast
  /// When a playlist, a segment or a snapshot was last requested; `distantPast` before that.
  private var requestedAt = MediaTime.distantPast

  /// Notes that a reader has come.
  mutating func enter() { readers += 1 }

  /// Notes that a reader has left.
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
