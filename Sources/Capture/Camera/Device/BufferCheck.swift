// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Checks the buffers that a driver has filled, and their timestamps. Reads no clock and does no I/O: the time is
/// passed in.
enum BufferCheck {
  /// Whether a filled buffer contains a complete frame.
  /// - Parameters:
  ///   - minimumBytes: the minimum number of bytes of a complete frame; for JPEG, that of the shortest possible header.
  ///   - head: the first two bytes of the frame, which are checked only if `isJPEG` is true.
  ///   - room: the size of the buffer's memory in bytes.
  static func isWhole(
    _ filled: FilledBuffer, minimumBytes: Int, room: Int, isJPEG: Bool, head: (UInt8, UInt8)
  ) -> Bool {
    guard !filled.isDamaged, filled.byteCount >= minimumBytes,
      filled.offset >= 0, filled.offset + filled.byteCount <= room
    else { return false }
    // A JPEG image starts with SOI. A camera that has just started, or has a bad cable, sends fragments.
    return !isJPEG || head == (0xff, 0xd8)
  }

  /// The capture time of a frame: the driver's timestamp, or `now` if the timestamp is missing or implausible. The
  /// result is always later than `last`, the capture time of the frame before.
  static func time(
    of filled: FilledBuffer, now: MediaTime, intervalNanos: Int64, after last: MediaTime
  ) -> MediaTime {
    var time = now
    if let stamp = filled.stamp {
      let age = now - stamp
      // The timestamp of a driver that counts frames instead of reading the clock may be up to one interval in the
      // future.
      let isPlausible = (-intervalNanos...max(.seconds(1), 3 * intervalNanos)).contains(age)
      if isPlausible { time = stamp }
    }
    return max(time, last + 1000)
  }

  /// The number of frames that the driver dropped between two frames with these sequence numbers.
  static func droppedFrames(from last: UInt32, to next: UInt32) -> Int {
    let step = next &- last
    // A difference of 0 means that the driver does not count; a large one means that the driver restarted its count.
    return (2...100_000).contains(step) ? Int(step) - 1 : 0
  }
}
