// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Synchronization

/// A pool of frame buffers of one size, allocated once and reused.
@safe public final class FramePool: FrameOwner, @unchecked Sendable {
  /// The size of each buffer in bytes.
  public let capacity: Int
  /// The memory of all buffers.
  private let memory: UnsafeMutableRawBufferPointer
  /// One bit for each buffer, set while the buffer is free.
  private let free: Mutex<UInt64>

  /// - Parameters:
  ///   - count: the number of buffers, 1 to 64. If none is free, the reader has fallen behind the writer.
  ///   - capacity: the size of each buffer in bytes.
  public init(count: Int, capacity: Int) {
    precondition((1...64).contains(count) && capacity > 0)
    self.capacity = capacity
    // 64 bytes: a cache line, and the alignment of the widest vector loads of libyuv and x264.
    unsafe memory = .allocate(byteCount: count * FramePool.stride(capacity), alignment: 64)
    // The kernel allocates pages at the first write. Write to two buffers now, so that this costs no time when a frame
    // is due: while the reader keeps up, only two are used, one being written and one kept to be shown again. The other
    // buffers take no memory until the reader falls behind.
    let usual = min(count, 2) * FramePool.stride(capacity)
    unsafe UnsafeMutableRawBufferPointer(rebasing: memory[..<usual])
      .initializeMemory(as: UInt8.self, repeating: 0)
    free = Mutex(count == 64 ? .max : (1 << UInt64(count)) - 1)
    super.init()
  }

  deinit { unsafe memory.deallocate() }

  /// Bytes from the start of one buffer to the start of the next: the capacity, rounded up to a multiple of 64.
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

  /// Marks the buffer with the number `slot` as free.
  public override func recycle(slot: Int) {
    free.withLock { $0 |= 1 << UInt64(slot) }
  }
}

/// A buffer of a `FramePool` while it is being written. `finish` turns it into a `Frame`; otherwise it returns to the
/// pool when it is destroyed.
@safe public struct BlankFrame: ~Copyable, @unchecked Sendable {
  /// The buffer, `FramePool.capacity` bytes. Valid until `finish`.
  @unsafe public let bytes: UnsafeMutableRawBufferPointer
  /// The pool to which the buffer returns.
  private let pool: FramePool
  /// The buffer's number in the pool; -1 once the buffer belongs to a `Frame`.
  private var slot: Int

  init(bytes: UnsafeMutableRawBufferPointer, pool: FramePool, slot: Int) {
    unsafe self.bytes = unsafe bytes
    self.pool = pool
    self.slot = slot
  }

  /// Turns the written buffer into a frame.
  /// - Parameter byteCount: the number of bytes written; `nil` for `format.byteCount`.
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
