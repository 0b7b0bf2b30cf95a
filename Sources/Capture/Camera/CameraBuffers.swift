// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media
internal import Synchronization

/// A device's mapped buffers, lent as frames: the driver writes a buffer only while it is queued, and
/// it is queued only while nobody reads it.
///
/// The mapping, and the device with it, lives until the last frame is let go of.
@safe final class CameraBuffers: FrameOwner, @unchecked Sendable {
  private let device: any VideoDevice
  private let isRetired = Atomic<Bool>(false)
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

  override func giveBack(slot: Int) {
    // The driver refuses a buffer when streaming has ended or the device is gone: then nobody needs it.
    if !isRetired.load(ordering: .acquiring) { try? device.queue(slot) }
    lentCount.wrappingSubtract(1, ordering: .releasing)
  }

  /// No buffer goes back to the driver from now on.
  func retire() { isRetired.store(true, ordering: .releasing) }
}
