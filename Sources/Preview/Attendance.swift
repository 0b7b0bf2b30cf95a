// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// For how long somebody needs the preview. Pure.
struct Attendance {
  /// The preview stays open for this long after its last reader, who may only be reloading the page.
  static let readerNanos: Int64 = .seconds(2)
  /// The same after a request for a playlist, a segment or a snapshot.
  static let requestNanos: Int64 = .seconds(10)
  /// The most readers at a time.
  static let maxReaders = 32

  private(set) var readers = 0
  private var leftAt = MediaTime.distantPast
  private var requestedAt = MediaTime.distantPast

  mutating func enter() { readers += 1 }

  mutating func leave(now: MediaTime) {
    readers -= 1
    leftAt = now
  }

  mutating func request(now: MediaTime) { requestedAt = now }

  /// The end of the need, if nobody comes until then.
  var neededUntil: MediaTime {
    readers > 0
      ? .distantFuture
      : max(leftAt + Attendance.readerNanos, requestedAt + Attendance.requestNanos)
  }

  /// The readers, and one for those who send requests.
  func viewers(now: MediaTime) -> Int {
    readers + (now < requestedAt + Attendance.requestNanos ? 1 : 0)
  }
}
