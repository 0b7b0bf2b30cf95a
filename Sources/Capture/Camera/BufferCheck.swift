// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

/// Whether a filled buffer holds a whole picture, and from when.
enum BufferCheck {
  /// - Parameters:
  ///   - least: bytes that a whole picture has at least; for JPEG, those of its shortest possible header.
  ///   - head: the first two bytes, looked at when `isJPEG`.
  ///   - room: bytes of the buffer's memory.
  static func isWhole(
    _ filled: FilledBuffer, least: Int, room: Int, isJPEG: Bool, head: (UInt8, UInt8)
  ) -> Bool {
    guard !filled.isDamaged, filled.byteCount >= least,
      filled.offset >= 0, filled.offset + filled.byteCount <= room
    else { return false }
    // SOI: a camera that has just started, or whose cable is bad, sends pieces from the middle.
    return !isJPEG || head == (0xff, 0xd8)
  }

  /// The time of a picture: the driver's, unless that is not on our clock or cannot be true. It is
  /// always later than `last`, the time of the picture before it.
  static func time(
    of filled: FilledBuffer, now: MediaTime, intervalNanos: Int64, after last: MediaTime
  ) -> MediaTime {
    var time = now
    if let stamp = filled.stamp {
      let age = now - stamp
      // Ahead of us by less than an interval: a driver that counts intervals instead of looking at
      // the clock, and whose timer was early.
      let credible = (-intervalNanos...max(.seconds(1), 3 * intervalNanos)).contains(age)
      if credible { time = stamp }
    }
    return max(time, last + 1000)
  }

  /// Frames missing between two numbers of the driver's.
  static func gap(from last: UInt32, to next: UInt32) -> Int {
    let step = next &- last
    // 0: a driver that does not count. A leap: it began again.
    return (2...100_000).contains(step) ? Int(step) - 1 : 0
  }
}
