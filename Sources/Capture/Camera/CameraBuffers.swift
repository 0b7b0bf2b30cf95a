// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media
internal import Synchronization

/// A device's mapped buffers, lent as frames: the driver writes a buffer only while it is queued, and
/// it is queued only while nobody reads it.
///
/// The camera's own thread queues them, whoever lets go of a frame: a driver that hangs may hold up no other.
/// The mapping, and the device with it, lives until the last frame is let go of.
@safe final class CameraBuffers: FrameOwner, @unchecked Sendable {
  private let device: any VideoDevice
  /// Called when a frame has been let go of.
  let returns = Waker()
  /// A bit for each buffer that is to be queued.
  private let returned = Atomic<UInt64>(0)
  private let lentCount = Atomic<Int>(0)

  init(device: any VideoDevice) {
    self.device = device
    super.init()
  }

  /// Frames that are not given back yet.
  var lent: Int { lentCount.load(ordering: .acquiring) }

  /// Lends a filled buffer, or a part of it.
  func lend(
    _ filled: FilledBuffer, byteCount: Int, format: FrameFormat, capturedAt: MediaTime
  ) -> Frame {
    lentCount.wrappingAdd(1, ordering: .relaxed)
    let memory = unsafe device.memory(of: filled.index)
    let bytes = unsafe UnsafeRawBufferPointer(
      rebasing: memory[filled.offset..<filled.offset + byteCount])
    return unsafe Frame(
      format: format, capturedAt: capturedAt, bytes: bytes, owner: self, slot: filled.index)
  }

  override func recycle(slot: Int) {
    returned.bitwiseOr(1 << UInt64(slot), ordering: .releasing)
    lentCount.wrappingSubtract(1, ordering: .releasing)
    returns.wake()
  }

  /// Gives the driver what has come back. For the camera's thread.
  func requeue() {
    returns.clear()
    var slots = returned.exchange(0, ordering: .acquiring)
    while slots != 0 {
      // The driver refuses a buffer when the device is gone, which the next picture tells.
      try? device.queue(slots.trailingZeroBitCount)
      slots &= slots - 1
    }
  }
}
