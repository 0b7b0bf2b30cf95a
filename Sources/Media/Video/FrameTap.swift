// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Synchronization

/// Copies the frames that a source puts into one queue into another queue, for a further consumer. The consumers then
/// depend neither on each other nor, for longer than the copy takes, on the source's buffers.
final class FrameTap: @unchecked Sendable {
  /// The queue of the further consumer.
  let frames: FrameQueue
  /// The buffers of the copies; `nil` before the first frame. Another pool takes its place when a larger frame comes.
  private let pool = Mutex<FramePool?>(nil)

  init(into frames: FrameQueue) { self.frames = frames }

  /// Copies a frame. If no buffer is free, because that consumer is late, the copy is left out and counts as
  /// dropped.
  func copy(_ frame: borrowing Frame) {
    let count = unsafe frame.bytes.count
    guard count > 0 else { return }
    guard let blank = pool(for: frame.format, byteCount: count).borrow() else {
      frames.noteDropped()
      return
    }
    unsafe blank.bytes.copyMemory(from: frame.bytes)
    frames.put(
      blank.finish(format: frame.format, capturedAt: frame.capturedAt, byteCount: count))
  }

  /// A pool whose buffers hold the frame. JPEG images vary in length, so their buffers are twice as large as the first.
  private func pool(for format: FrameFormat, byteCount: Int) -> FramePool {
    pool.withLock { pool in
      if let pool, pool.capacity >= byteCount { return pool }
      let capacity = format.pixelFormat == .mjpeg ? byteCount * 2 : byteCount
      let new = FramePool(count: FrameQueue.bufferCount, capacity: capacity)
      pool = new
      return new
    }
  }
}
