// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media
internal import Synchronization

/// A few buffers whose pictures can be lent more than once: a still, and a picture that stands until
/// the next, are put again and again without being copied.
@safe final class PictureStore: FrameOwner, @unchecked Sendable {
  /// One shown, one waiting, one kept, one written, and one to spare.
  static let count = 5

  let capacity: Int
  private let stride: Int
  private let memory: UnsafeMutableRawBufferPointer
  /// How many hold each buffer: this side, and frames.
  private let holders = Mutex(SIMD8<UInt16>(repeating: 0))

  init(capacity: Int) {
    self.capacity = capacity
    stride = (capacity + 63) & ~63
    unsafe memory = .allocate(byteCount: stride * PictureStore.count, alignment: 64)
    super.init()
  }

  deinit { unsafe memory.deallocate() }

  /// A buffer that nobody reads, held until `recycle(slot:)`; `nil` when all are in use.
  func claim() -> Int? {
    holders.withLock { holders in
      for slot in 0..<PictureStore.count where holders[slot] == 0 {
        holders[slot] = 1
        return slot
      }
      return nil
    }
  }

  /// The buffer's memory; to be written only between `claim` and the first `lend`.
  @unsafe func bytes(of slot: Int) -> UnsafeMutableRawBufferPointer {
    unsafe UnsafeMutableRawBufferPointer(
      rebasing: memory[(slot * stride)..<(slot * stride + capacity)])
  }

  /// The picture in a held buffer, once more.
  func lend(_ slot: Int, format: FrameFormat, capturedAt: MediaTime) -> Frame {
    holders.withLock { $0[slot] += 1 }
    let bytes = unsafe UnsafeRawBufferPointer(
      rebasing: memory[(slot * stride)..<(slot * stride + format.byteCount)])
    return unsafe Frame(
      format: format, capturedAt: capturedAt, bytes: bytes, owner: self, slot: slot)
  }

  override func recycle(slot: Int) {
    holders.withLock { $0[slot] -= 1 }
  }
}
