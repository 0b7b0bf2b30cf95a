// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Media
internal import Synchronization

/// The mapped buffers of a device, which become frames without a copy. A buffer is queued to the driver only while no
/// frame uses it, because the driver writes to queued buffers.
///
/// Only the camera's thread queues buffers, whichever thread releases a frame, so that a driver that hangs blocks no
/// other thread. The mapped memory and the device stay valid until the last frame is released.
@safe final class CameraBuffers: FrameOwner, @unchecked Sendable {
  /// The open V4L2 device, to which released buffers are queued again.
  private let device: any VideoDevice
  /// Wakes the camera's thread when a frame is released.
  let returnWaker = Waker()
  /// One bit for each buffer, set when the buffer's frame was released, so that the buffer has to be queued to the
  /// driver again.
  private let returned = Atomic<UInt64>(0)
  /// The number of frames that use the device's memory and are not released yet; read through `framesInUse`.
  private let usedCount = Atomic<Int>(0)

  init(device: any VideoDevice) {
    self.device = device
    super.init()
  }

  /// The number of frames that use the device's memory, because they are not released yet.
  var framesInUse: Int { usedCount.load(ordering: .acquiring) }

  /// Makes a frame that refers to the memory of a filled buffer, or to a part of it.
  func frame(
    of filled: FilledBuffer, byteCount: Int, format: FrameFormat, capturedAt: MediaTime
  ) -> Frame {
    usedCount.wrappingAdd(1, ordering: .relaxed)
    let memory = unsafe device.memory(of: filled.index)
    let bytes = unsafe UnsafeRawBufferPointer(
      rebasing: memory[filled.offset..<filled.offset + byteCount])
    return unsafe Frame(
      format: format, capturedAt: capturedAt, bytes: bytes, owner: self, slot: filled.index)
  }

  /// Marks the buffer with the number `slot` as released, and wakes the camera's thread, which queues it to the driver.
  override func recycle(slot: Int) {
    returned.bitwiseOr(1 << UInt64(slot), ordering: .releasing)
    usedCount.wrappingSubtract(1, ordering: .releasing)
    returnWaker.wake()
  }

  /// Queues the released buffers to the driver again. Called only on the camera's thread.
  func requeue() {
    returnWaker.clear()
    var slots = returned.exchange(0, ordering: .acquiring)
    while slots != 0 {
      // Queueing fails when the device is gone. No error is thrown here, because the next dequeue fails, too.
      try? device.queue(slots.trailingZeroBitCount)
      slots &= slots - 1
    }
  }
}
