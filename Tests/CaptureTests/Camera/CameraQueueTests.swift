// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Capture

/// Frames that wait in the queue, in buffers of the driver or of the converter.
struct CameraQueueTests {
  /// Nobody takes frames. The driver, which grants `buffers`, always has one to fill.
  /// - Parameter waiting: how many frames may wait at 30 frames a second.
  @Test(
    arguments: [
      (format: FourCC("YUYV"), buffers: 32, waiting: 4), (FourCC("YUYV"), 6, 2),
      (FourCC("YUYV"), 4, 1), (FourCC("RGB4"), 32, 4),
    ]) func theDriverIsNeverWithoutABuffer(format: FourCC, buffers: Int, waiting: Int)
  {
    let bench = CameraBench()
    let device = FakeDevice(formats: [format], buffers: buffers)
    bench.host.plug("/dev/video0", device)
    bench.camera.start()
    #expect(bench.until { device.isStreaming })
    let granted = min(buffers, 8)
    let kept = format == FourCC("YUYV") ? waiting : 0
    for value: UInt8 in 0..<14 {
      #expect(device.capture(value))
      let inUse = min(Int(value) + 1, kept)
      #expect(
        eventually {
          bench.camera.counters.goodFrames == Int(value) + 1 && device.queued == granted - inUse
        })
      bench.time.advance(by: 1_000_000_000 / 30)
    }
    #expect(bench.frames.dropped == 14 - waiting)
    for value in 14 - UInt8(waiting)..<14 {
      guard let frame = bench.frames.takeNow() else {
        Issue.record("frame \(value) is missing")
        return
      }
      let first = unsafe frame.bytes[0]
      #expect(first == value)
    }
    #expect(bench.stop())
  }

  /// The camera's thread was late: frames came together. All of them are converted.
  @Test func framesThatComeTogetherAreAllConverted() {
    let bench = CameraBench()
    let device = FakeDevice(formats: [FourCC("RGB4")], buffers: 8)
    bench.host.plug("/dev/video0", device)
    bench.camera.start()
    #expect(bench.until { device.isStreaming })
    #expect(device.capture(together: [1, 2, 3]))
    #expect(eventually { bench.camera.counters.goodFrames == 3 })
    for value: UInt8 in 1...3 {
      let first = unsafe bench.frames.takeNow()?.bytes[0]
      #expect(first == value)
    }
    #expect(bench.stop())
  }

  /// A slow conversion must not keep the encoder from the processor; taking buffers of other cameras is short.
  @Test func conversionsHaveNoDevicePriority() {
    // What this machine grants.
    let granted = Atomic<Int32>(-1)
    let thread = MediaThread(name: "test", urgency: .device) {
      granted.store(FakeDevice.policyOfThisThread, ordering: .releasing)
    }
    #expect(thread.join(until: .now() + .seconds(60)))
    let device = granted.load(ordering: .acquiring)

    let bench = CameraBench()
    let converted = FakeDevice(formats: [FourCC("RGB4")])
    bench.host.plug("/dev/video0", converted)
    bench.camera.start()
    #expect(bench.until { converted.isStreaming })
    #expect(converted.capture(1))
    #expect(eventually { bench.camera.counters.goodFrames == 1 })
    #expect(converted.state.withLock { $0.convertingPolicy } == SCHED_OTHER)

    let direct = FakeDevice()
    bench.host.plug("/dev/video0", direct)
    converted.fail(ENODEV)
    #expect(bench.until { direct.isStreaming })
    #expect(direct.capture(2))
    #expect(bench.until { bench.camera.counters.goodFrames == 2 })
    #expect(direct.state.withLock { $0.policy } == device)
    #expect(bench.stop())
  }
}
