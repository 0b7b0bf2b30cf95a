// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Media
internal import Synchronization

/// A set of buffers, each of which can be put into a `FrameQueue` as a frame several times without a copy. So a frame
/// can be repeated until the next one is due.
@safe final class FrameStore: FrameOwner, @unchecked Sendable {
  /// The number of buffers: those that the consumer of a `FrameQueue` may use, and one whose content is repeated.
  static let count = FrameQueue.bufferCount + 1

  /// The size of each buffer in bytes.
  let capacity: Int
  /// Bytes from the start of one buffer to the start of the next.
  private let stride: Int
  /// The memory of all buffers.
  private let memory: UnsafeMutableRawBufferPointer
  /// The reference counts of the buffers: one for the writer, and one for each frame.
  private let references = Mutex(SIMD16<UInt16>(repeating: 0))

  init(capacity: Int) {
    self.capacity = capacity
    stride = (capacity + 63) & ~63
    unsafe memory = .allocate(byteCount: stride * FrameStore.count, alignment: 64)
    super.init()
  }

  deinit { unsafe memory.deallocate() }

  /// Reserves a free buffer for the caller, who has to release it with `recycle(slot:)`. Returns the buffer's number;
  /// `nil` when all buffers are in use.
  func claim() -> Int? {
    references.withLock { references in
      for slot in 0..<FrameStore.count where references[slot] == 0 {
        references[slot] = 1
        return slot
      }
      return nil
    }
  }

  /// The memory of a claimed buffer. Write to it only before the first `frame(in:)`.
  @unsafe func bytes(of slot: Int) -> UnsafeMutableRawBufferPointer {
    unsafe UnsafeMutableRawBufferPointer(
      rebasing: memory[(slot * stride)..<(slot * stride + capacity)])
  }

  /// Makes a frame that refers to the content of a claimed buffer. May be called several times for one buffer.
  func frame(in slot: Int, format: FrameFormat, capturedAt: MediaTime) -> Frame {
    references.withLock { $0[slot] += 1 }
    let bytes = unsafe UnsafeRawBufferPointer(
      rebasing: memory[(slot * stride)..<(slot * stride + format.byteCount)])
    return unsafe Frame(
      format: format, capturedAt: capturedAt, bytes: bytes, owner: self, slot: slot)
  }

  /// Removes one reference to the buffer with the number `slot`: the writer's, or that of a frame.
  override func recycle(slot: Int) {
    references.withLock { $0[slot] -= 1 }
  }
}
