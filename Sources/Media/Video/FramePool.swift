// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Synchronization

/// A few buffers of one size, allocated once and reused.
@safe public final class FramePool: FrameOwner, @unchecked Sendable {
  /// Bytes of each buffer.
  public let capacity: Int
  private let memory: UnsafeMutableRawBufferPointer
  /// One bit a buffer, set while it is free.
  private let free: Mutex<UInt64>

  /// - Parameters:
  ///   - count: buffers, 1 to 64. A writer that finds none free is ahead of the reader.
  ///   - capacity: bytes of each buffer.
  public init(count: Int, capacity: Int) {
    precondition((1...64).contains(count) && capacity > 0)
    self.capacity = capacity
    // 64 bytes: a cache line, and the alignment of the widest vector loads of libyuv and x264.
    unsafe memory = .allocate(byteCount: count * FramePool.stride(capacity), alignment: 64)
    // The kernel allocates pages at the first write: do that now, not while a frame is due. But only for as many
    // buffers as are in use while the reader is in time, the one that is written and the one that may be shown again:
    // the others take no memory until a hiccup needs them.
    let usual = min(count, 2) * FramePool.stride(capacity)
    unsafe UnsafeMutableRawBufferPointer(rebasing: memory[..<usual])
      .initializeMemory(as: UInt8.self, repeating: 0)
    free = Mutex(count == 64 ? .max : (1 << UInt64(count)) - 1)
    super.init()
  }

  deinit { unsafe memory.deallocate() }

  private static func stride(_ capacity: Int) -> Int { (capacity + 63) & ~63 }

  /// A free buffer to write a frame into; `nil` when all are in use.
  public func borrow() -> BlankFrame? {
    let slot: Int? = free.withLock { bits in
      guard bits != 0 else { return nil }
      let slot = bits.trailingZeroBitCount
      bits &= ~(1 << UInt64(slot))
      return slot
    }
    guard let slot else { return nil }
    let start = slot * FramePool.stride(capacity)
    let bytes = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[start..<start + capacity])
    return unsafe BlankFrame(bytes: bytes, pool: self, slot: slot)
  }

  public override func recycle(slot: Int) {
    free.withLock { $0 |= 1 << UInt64(slot) }
  }
}

/// A pool's buffer that is being written. `finish` turns it into a `Frame`; without that it returns to the pool.
@safe public struct BlankFrame: ~Copyable, @unchecked Sendable {
  /// The buffer, `FramePool.capacity` bytes. Valid until `finish`.
  @unsafe public let bytes: UnsafeMutableRawBufferPointer
  private let pool: FramePool
  /// -1 when the buffer belongs to a frame.
  private var slot: Int

  init(bytes: UnsafeMutableRawBufferPointer, pool: FramePool, slot: Int) {
    unsafe self.bytes = unsafe bytes
    self.pool = pool
    self.slot = slot
  }

  /// Turns the written buffer into a frame.
  /// - Parameter byteCount: bytes in use, if not `format.byteCount`.
  public consuming func finish(
    format: FrameFormat, capturedAt: MediaTime, byteCount: Int? = nil
  ) -> Frame {
    let count = byteCount ?? format.byteCount
    precondition(count <= pool.capacity)
    let frame = unsafe Frame(
      format: format, capturedAt: capturedAt,
      bytes: UnsafeRawBufferPointer(rebasing: bytes[..<count]), owner: pool, slot: slot)
    slot = -1
    return frame
  }

  deinit {
    if slot >= 0 { pool.recycle(slot: slot) }
  }
}
