// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Media
internal import Synchronization

/// Buffers whose content can be put as a frame several times without a copy: a still, or a frame that is repeated
/// until the next is due.
@safe final class FrameStore: FrameOwner, @unchecked Sendable {
  /// Those that `FrameQueue` may need, and one to be put again.
  static let count = FrameQueue.buffers + 1

  let capacity: Int
  private let stride: Int
  private let memory: UnsafeMutableRawBufferPointer
  /// Reference counts of the buffers: one for the writer, one for each frame.
  private let references = Mutex(SIMD16<UInt16>(repeating: 0))

  init(capacity: Int) {
    self.capacity = capacity
    stride = (capacity + 63) & ~63
    unsafe memory = .allocate(byteCount: stride * FrameStore.count, alignment: 64)
    super.init()
  }

  deinit { unsafe memory.deallocate() }

  /// Reserves a free buffer until `recycle(slot:)`; `nil` when all are in use.
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

  /// A frame with the content of a claimed buffer. May be called several times.
  func frame(in slot: Int, format: FrameFormat, capturedAt: MediaTime) -> Frame {
    references.withLock { $0[slot] += 1 }
    let bytes = unsafe UnsafeRawBufferPointer(
      rebasing: memory[(slot * stride)..<(slot * stride + format.byteCount)])
    return unsafe Frame(
      format: format, capturedAt: capturedAt, bytes: bytes, owner: self, slot: slot)
  }

  override func recycle(slot: Int) {
    references.withLock { $0[slot] -= 1 }
  }
}
