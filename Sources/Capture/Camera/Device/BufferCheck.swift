// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Checks filled buffers and their timestamps. Pure.
enum BufferCheck {
  /// Whether a filled buffer holds a whole frame.
  /// - Parameters:
  ///   - minimumBytes: the size of a whole frame; for JPEG, of the shortest possible header.
  ///   - head: the first two bytes, checked if `isJPEG`.
  ///   - room: the size of the buffer's memory in bytes.
  static func isWhole(
    _ filled: FilledBuffer, minimumBytes: Int, room: Int, isJPEG: Bool, head: (UInt8, UInt8)
  ) -> Bool {
    guard !filled.isDamaged, filled.byteCount >= minimumBytes,
      filled.offset >= 0, filled.offset + filled.byteCount <= room
    else { return false }
    // SOI. A camera that has just started, or has a bad cable, sends fragments.
    return !isJPEG || head == (0xff, 0xd8)
  }

  /// The capture time of a frame: the driver's timestamp, or `now` if that is missing or implausible. It is always
  /// later than `last`, the time of the frame before it.
  static func time(
    of filled: FilledBuffer, now: MediaTime, intervalNanos: Int64, after last: MediaTime
  ) -> MediaTime {
    var time = now
    if let stamp = filled.stamp {
      let age = now - stamp
      // A driver that counts frame intervals instead of reading the clock may be early by less than an interval.
      let isPlausible = (-intervalNanos...max(.seconds(1), 3 * intervalNanos)).contains(age)
      if isPlausible { time = stamp }
    }
    return max(time, last + 1000)
  }

  /// The number of frames missing between two sequence numbers of the driver.
  static func gap(from last: UInt32, to next: UInt32) -> Int {
    let step = next &- last
    // 0: the driver does not count. A large step: it restarted its count.
    return (2...100_000).contains(step) ? Int(step) - 1 : 0
  }
}
