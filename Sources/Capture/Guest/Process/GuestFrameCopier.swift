// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CGuest
internal import Media

/// Copies the frames of a reader out of the shared memory into a queue. Used by one thread.
final class GuestFrameCopier {
  /// The longest time, in nanoseconds, by which a frame may be due before or after now. For others now counts: the time
  /// comes from the reader.
  private static let mostShiftNanos = Int64.milliseconds(500)

  private let queue: FrameQueue
  /// The buffers of the frames; `nil` before the first frame. Another pool takes its place when a larger frame comes.
  private var pool: FramePool?
  /// The number of the last frame that was looked at.
  private var last: UInt64 = 0
  private var lastDueAt = MediaTime.distantPast

  init(into queue: FrameQueue) { self.queue = queue }

  /// Copies the newest frame, if it is new. Of several new ones the others would not be shown, and a reader that writes as
  /// fast as it can must not keep this thread busy.
  /// - Returns: `nil` if there is no new frame, or the reader has overwritten it meanwhile.
  func copyNew(from memory: GuestMemory, _ now: MediaTime) -> GuestPictureInfo? {
    let newest = memory.newestFrame
    // Another reader counts from 1 again.
    guard newest != last else { return nil }
    last = newest
    guard let frame = memory.frame(newest), copy(frame, from: memory, now) else { return nil }
    return GuestPictureInfo(
      number: newest, size: frame.size, colour: frame.colour, arrivedAt: now)
  }

  private func copy(_ frame: onair_guest_frame, from memory: GuestMemory, _ now: MediaTime) -> Bool
  {
    guard let blank = pool(for: frame.format.byteCount).borrow(),
      unsafe memory.copyPlanes(of: frame, into: blank.bytes)
    else { return false }
    let isNear =
      ((now - GuestFrameCopier.mostShiftNanos)...(now + GuestFrameCopier.mostShiftNanos))
      .contains(MediaTime(nanos: frame.due_at))
    lastDueAt = max(lastDueAt, isNear ? MediaTime(nanos: frame.due_at) : now)
    queue.put(blank.finish(format: frame.format, capturedAt: lastDueAt))
    return true
  }

  private func pool(for byteCount: Int) -> FramePool {
    if let pool, pool.capacity >= byteCount { return pool }
    let new = FramePool(count: FrameQueue.bufferCount, capacity: byteCount)
    pool = new
    return new
  }
}
