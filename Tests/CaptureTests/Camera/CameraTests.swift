// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CV4L2
internal import Glibc
internal import Posix
internal import Testing

@testable import Capture

@Suite struct CameraTests {
  @Test func framesAreNotCopied() {
    let bench = CameraBench()
    let device = FakeDevice()
    bench.host.plug("/dev/video0", device)
    bench.camera.start()
    #expect(bench.until { device.isStreaming })
    let captured = bench.time.now
    #expect(device.capture(7))
    guard let frame = bench.frame() else { return }
    #expect(frame.format.pixelFormat == .yuyv)
    #expect(frame.format.colour == .webcam)
    let first = unsafe frame.bytes[0]
    #expect(first == 7)
    let buffer = unsafe device.memory(of: 0)
    let isBuffer = unsafe frame.bytes.baseAddress == UnsafeRawPointer(buffer.baseAddress)
    #expect(isBuffer)
    #expect(frame.capturedAt == captured - .milliseconds(3))
    #expect(bench.until { bench.codes == ["running"] })
    #expect(bench.sentences == ["Fake Cam at /dev/video0: 64x32 YUYV at 30/s."])
    // The frame keeps its buffer; the driver has the other three.
    #expect(device.queued == 3)
    for value: UInt8 in 20..<30 {
      #expect(device.capture(value))
      #expect(bench.until { bench.camera.counters.goodFrames == Int(value) - 18 })
    }
    let untouched = unsafe frame.bytes.allSatisfy { $0 == 7 }
    #expect(untouched)
    guard let newest = bench.frame() else { return }
    let last = unsafe newest.bytes[0]
    #expect(last == 29)
    #expect(bench.stop())
    #expect(bench.camera.selection == nil)
    #expect(bench.camera.counters.missedFrames == 0)
  }

  @Test func aReleasedFrameIsQueuedAgain() {
    let bench = CameraBench()
    let device = FakeDevice()
    bench.host.plug("/dev/video0", device)
    bench.camera.start()
    #expect(bench.until { device.isStreaming })
    for value: UInt8 in 0..<50 {
      #expect(device.capture(value))
      _ = bench.frame()?.capturedAt
      #expect(bench.until { device.queued == 4 })
    }
    #expect(bench.stop())
  }

  @Test func damagedFramesAreDropped() {
    let bench = CameraBench()
    let device = FakeDevice()
    bench.host.plug("/dev/video0", device)
    bench.camera.start()
    #expect(bench.until { device.isStreaming })
    device.capture(1, isDamaged: true)
    device.capture(2, byteCount: 100)
    #expect(bench.until { bench.camera.counters.badFrames == 2 })
    #expect(bench.isEmpty)
    #expect(bench.codes.isEmpty)
    #expect(bench.until { device.queued == 4 })
    device.capture(3)
    #expect(bench.until { bench.camera.counters.goodFrames == 1 })
    #expect(bench.stop())
  }

  @Test func aConvertedFrameReleasesItsBufferAtOnce() {
    let bench = CameraBench()
    let device = FakeDevice(formats: [FourCC("RGB4")])
    bench.host.plug("/dev/video0", device)
    bench.camera.start()
    #expect(bench.until { device.isStreaming })
    device.capture(9)
    guard let frame = bench.frame() else { return }
    #expect(frame.format.pixelFormat == .i420)
    let isConverted = unsafe frame.bytes.count == 64 * 32 * 3 / 2 && frame.bytes[0] == 9
    #expect(isConverted)
    #expect(device.queued == 4)
    device.capture(0xee)
    #expect(bench.until { bench.camera.counters.badFrames == 1 })
    #expect(bench.stop())
  }

  @Test func aCameraIsFoundAgainUnderAnotherNumber() {
    let bench = CameraBench(path: "/dev/video0")
    let device = FakeDevice()
    bench.host.plug("/dev/video0", device)
    bench.camera.start()
    #expect(bench.until { device.isStreaming })
    device.capture(1)
    guard let held = bench.frame() else { return }
    device.capture(2)
    #expect(bench.until { bench.codes == ["running"] })
    bench.host.set("/dev/video0", nil)
    device.fail(ENODEV)
    #expect(bench.until { bench.codes == ["running", "lost"] })
    // The frame that waited is gone; the one in use stays whole.
    #expect(bench.isEmpty)
    let isWhole = unsafe held.bytes.allSatisfy { $0 == 1 }
    #expect(isWhole)
    // Several attempts find no camera. "lost" has reported that already.
    #expect(bench.pass(.seconds(2)))
    #expect(bench.codes == ["running", "lost"])
    let again = FakeDevice()
    bench.host.plug("/dev/video1", FakeDevice(bus: "usb-fake-2"))
    bench.host.plug("/dev/video2", again)
    #expect(bench.until { again.isStreaming })
    again.capture(3)
    #expect(bench.until { bench.codes == ["running", "lost", "running"] })
    #expect(bench.camera.selection?.path == "/dev/video2")
    #expect(bench.stop())
  }

  @Test func aSilentCameraIsOpenedAgain() {
    let bench = CameraBench(stall: .seconds(2))
    bench.host.set("/dev/video0", .device { FakeDevice() })
    bench.camera.start()
    let start = bench.time.now
    // Each attempt after the first opens the device twice: to recognise it, and to stream.
    #expect(bench.until { bench.host.opened.count == 5 })
    // Twice 2 s of silence, each followed by a pause of 0.5 s.
    #expect(bench.time.now - start == .seconds(5))
    // Reported once.
    #expect(bench.codes == ["stuck"])
    // Earlier attempts have ended their streams.
    let streaming = bench.host.opened.filter { $0.isStreaming }
    #expect(streaming.count <= 1)
    #expect(bench.until { bench.host.opened.last?.capture(1) == true })
    #expect(bench.until { bench.codes.starts(with: ["stuck", "running"]) })
    #expect(bench.stop())
  }

  @Test func aBusyCameraIsReportedOnceAndUsedWhenFree() {
    let bench = CameraBench(path: "/dev/video0")
    bench.host.set(
      "/dev/video0",
      .device {
        let device = FakeDevice()
        device.state.withLock { $0.startFailure = EBUSY }
        return device
      })
    bench.camera.start()
    #expect(bench.until { bench.host.opened.count >= 5 })
    #expect(bench.codes == ["busy"])
    #expect(bench.host.lookups == 1)
    #expect(bench.sentences[0].contains("another program (other)"))
    let free = FakeDevice()
    bench.host.plug("/dev/video0", free)
    #expect(bench.until { free.capture(1) })
    #expect(bench.until { bench.codes == ["busy", "running"] })
    #expect(bench.stop())
  }

  @Test func theSignalComesAndGoes() {
    let bench = CameraBench()
    let device = FakeDevice()
    device.state.withLock { $0.hasSignal = false }
    bench.host.plug("/dev/video0", device)
    bench.camera.start()
    #expect(bench.until { bench.codes == ["no_signal"] })
    #expect(!device.isStreaming)
    device.state.withLock { $0.hasSignal = true }
    #expect(bench.until { device.capture(1) })
    #expect(bench.until { bench.codes == ["no_signal", "running"] })
    device.state.withLock { $0.hasSignal = false }
    #expect(bench.until { bench.codes == ["no_signal", "running", "no_signal"] })
    #expect(bench.stop())
  }

  @Test(arguments: [
    (ENOENT, "missing"), (ENODEV, "missing"), (EACCES, "forbidden"), (EPERM, "forbidden"),
    (EBUSY, "busy"), (EISDIR, "not_a_camera"), (EMFILE, "failed"),
  ])
  func errorsOfOpen(code: Int32, expected: String) {
    let bench = CameraBench(path: "/dev/video0")
    bench.host.set("/dev/video0", .refusal(code))
    bench.camera.start()
    #expect(bench.until { !bench.codes.isEmpty })
    #expect(bench.stop())
    #expect(bench.codes == [expected])
    #expect(bench.sentences[0].contains("/dev/video0"))
  }

  @Test func theFirstUsableCameraIsUsed() {
    let bench = CameraBench()
    let capture = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING
    bench.host.plug("/dev/video0", FakeDevice(capabilities: V4L2_CAP_META_CAPTURE))
    bench.host.plug(
      "/dev/video1", FakeDevice(capabilities: V4L2_CAP_VIDEO_M2M | V4L2_CAP_STREAMING))
    bench.host.plug(
      "/dev/video2", FakeDevice(formats: [FourCC("RG10")], bus: "platform:sensor"))
    bench.host.plug("/dev/video3", FakeDevice(capabilities: capture | V4L2_CAP_IO_MC))
    bench.host.plug("/dev/video4", FakeDevice(formats: [FourCC("H264")]))
    let camera = FakeDevice(formats: [FourCC("H264"), FourCC("YUYV")])
    bench.host.plug("/dev/video5", camera)
    bench.host.plug("/dev/video6", FakeDevice())
    bench.camera.start()
    #expect(bench.until { camera.capture(1) })
    #expect(bench.until { bench.codes == ["running"] })
    #expect(bench.camera.selection?.path == "/dev/video5")
    #expect(bench.stop())
  }

  @Test func theMostUsefulCauseIsReported() {
    let bench = CameraBench()
    bench.host.plug("/dev/video0", FakeDevice(capabilities: V4L2_CAP_META_CAPTURE))
    bench.host.plug(
      "/dev/video1", FakeDevice(formats: [FourCC("RG10")], bus: "platform:sensor"))
    bench.host.plug("/dev/video2", FakeDevice(formats: [FourCC("H264")]))
    bench.camera.start()
    #expect(bench.until { bench.codes == ["raw_bayer"] })
    #expect(bench.sentences[0].contains("RG10"))
    bench.host.set("/dev/video3", .refusal(EACCES))
    #expect(bench.until { bench.codes == ["raw_bayer", "forbidden"] })
    #expect(bench.stop())
  }

  @Test func aUSBCameraMaySendBayer() {
    let bench = CameraBench()
    let camera = FakeDevice(formats: [FourCC("GBRG")])
    bench.host.plug("/dev/video0", camera)
    bench.camera.start()
    #expect(bench.until { camera.capture(1) })
    #expect(bench.until { bench.codes == ["running"] })
    #expect(bench.stop())
  }

  @Test func repeatedInputErrorsEndTheStream() {
    let bench = CameraBench(path: "/dev/video0")
    let device = FakeDevice()
    bench.host.plug("/dev/video0", device)
    bench.camera.start()
    #expect(bench.until { device.capture(1) })
    #expect(bench.until { bench.codes == ["running"] })
    device.fail(EIO)
    #expect(bench.until { bench.codes.count >= 2 })
    #expect(bench.codes[1] == "lost")
    #expect(bench.stop())
  }

  @Test func aCameraCanBeStoppedInEveryState() {
    for setUp: (CameraBench) -> Void in [
      { _ in },
      { $0.host.plug("/dev/video0", FakeDevice()) },
      { $0.host.set("/dev/video0", .refusal(EACCES)) },
    ] {
      let bench = CameraBench()
      setUp(bench)
      bench.camera.start()
      #expect(bench.pass(.seconds(1)))
      #expect(bench.stop())
      #expect(bench.stop())
    }
    #expect(CameraBench().stop())
  }

  @Test func everyTroubleNamesCauseAndRemedy() {
    let error = SystemError(ENODEV)
    let all: [CameraTrouble] = [
      .missing(path: nil), .missing(path: "/dev/x"), .lost(path: "/dev/x", name: "C", error: error),
      .busy(path: "/dev/x", holder: nil), .forbidden(path: "/dev/x"),
      .notCamera(path: "/dev/x", kind: "a codec"),
      .rawBayer(path: "/dev/x", name: "C", formats: ["RG10", "RG12", "BG10", "BA10", "GB10"]),
      .notConnected(path: "/dev/x", name: "C"), .noSignal(path: "/dev/x", name: "C"),
      .noUsableFormat(path: "/dev/x", name: "C", formats: ["H264"]),
      .stuck(path: "/dev/x", name: "C", seconds: 2),
      .failed(path: "/dev/x", step: "open", error: error),
    ]
    for trouble in all {
      #expect(trouble.sentence.hasSuffix("."))
      #expect(trouble.sentence.contains(":"), "a remedy after the cause")
      if trouble != .missing(path: nil) { #expect(trouble.sentence.contains("/dev/x")) }
    }
    #expect(Set(all.map { $0.code }).count == all.count - 1)
  }
}
