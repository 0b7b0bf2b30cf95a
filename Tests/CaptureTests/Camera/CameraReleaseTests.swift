// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Glibc
internal import Media
internal import Testing

@testable import Capture

/// A camera that is closed on purpose, as in a pause with `pause.release_camera`, and opened again.
@Suite struct CameraReleaseTests {
  @Test func aReleasedCameraStopsStreamingAndComesBackWithinASecond() throws {
    let bench = CameraBench()
    bench.host.set("/dev/video0", .device { FakeDevice() })
    bench.camera.start()
    #expect(bench.until { bench.host.opened.last?.capture(1) ?? false })
    #expect(bench.until { bench.codes == ["running"] })
    bench.camera.release()
    #expect(bench.until { bench.camera.isClosed })
    let first = try #require(bench.host.opened.last)
    #expect(!first.isStreaming && first.state.withLock { $0.isStopped })
    #expect(bench.isEmpty, "a frame that waits would be shown late, and keeps the device open")
    #expect(bench.camera.selection == nil)
    // However long the pause is, nothing is opened and nothing is reported.
    let opened = bench.host.opened.count
    bench.time.advance(by: .seconds(3_600))
    #expect(bench.camera.isClosed && bench.host.opened.count == opened)
    #expect(bench.codes == ["running"])

    let again = bench.time.now
    bench.camera.reopen()
    #expect(bench.until { bench.host.opened.last.map { $0 !== first && $0.capture(2) } ?? false })
    #expect(bench.time.now - again < .seconds(1))
    #expect(bench.until { bench.codes == ["running", "running"] })
    guard let frame = bench.frame() else { return }
    let value = unsafe frame.bytes[0]
    #expect(value == 2)
    #expect(!bench.camera.isClosed)
    #expect(bench.stop())
    #expect(bench.camera.isClosed)
  }

  /// The camera whose number a second one has taken meanwhile is the one that viewers saw before.
  @Test func theSameCameraIsOpenedAgain() {
    let bench = CameraBench()
    bench.host.set("/dev/video1", .device { FakeDevice(bus: "usb-fake-1") })
    bench.camera.start()
    #expect(bench.until { bench.host.opened.last?.capture(1) ?? false })
    #expect(bench.until { bench.camera.selection?.path == "/dev/video1" })
    bench.camera.release()
    #expect(bench.until { bench.camera.isClosed })
    bench.host.set("/dev/video0", .device { FakeDevice(bus: "usb-fake-2") })
    bench.camera.reopen()
    #expect(bench.until { bench.host.opened.last { $0.isStreaming }?.capture(2) ?? false })
    #expect(bench.until { bench.camera.selection?.path == "/dev/video1" })
    #expect(bench.stop())
  }

  /// What happens to a camera while it is closed is told when it is wanted again, and no sooner.
  @Test func aCameraThatIsTakenInThePauseIsToldAfterIt() {
    let bench = CameraBench()
    bench.host.set("/dev/video0", .device { FakeDevice() })
    bench.camera.start()
    #expect(bench.until { bench.host.opened.last?.capture(1) ?? false })
    #expect(bench.until { bench.codes == ["running"] })
    bench.camera.release()
    #expect(bench.until { bench.camera.isClosed })
    bench.host.set("/dev/video0", .refusal(EBUSY))
    bench.time.advance(by: .seconds(60))
    #expect(bench.codes == ["running"])
    bench.camera.reopen()
    #expect(bench.until { bench.codes == ["running", "busy"] })
    #expect(bench.sentences.last?.contains("/dev/video0") ?? false)
    bench.host.set("/dev/video0", .device { FakeDevice() })
    #expect(bench.until { bench.host.opened.last { $0.isStreaming }?.capture(2) ?? false })
    #expect(bench.until { bench.codes == ["running", "busy", "running"] })
    #expect(bench.stop())
  }

  /// A trouble that was told before the pause is told again after it, because the pause has ended it.
  @Test func aMissingCameraIsToldAgainAfterThePause() {
    let bench = CameraBench()
    bench.camera.start()
    #expect(bench.until { bench.codes == ["missing"] })
    // Also in a pause that is shorter than the one between two attempts.
    bench.camera.release()
    #expect(bench.until { bench.camera.isClosed })
    #expect(bench.codes == ["missing"])
    bench.camera.reopen()
    #expect(bench.until { bench.codes == ["missing", "missing"] })
    #expect(bench.stop())
  }

  /// A broadcast that goes on paused after a power cut: the light never comes on.
  @Test func aCameraThatIsReleasedBeforeItsStartIsNotOpened() {
    let bench = CameraBench()
    bench.host.set("/dev/video0", .device { FakeDevice() })
    bench.camera.release()
    bench.camera.start()
    bench.time.advance(by: .seconds(10))
    (MediaTime.now() + .milliseconds(50)).sleepUntil()
    #expect(bench.camera.isClosed && bench.host.opened.isEmpty && bench.codes.isEmpty)
    bench.camera.reopen()
    #expect(bench.until { bench.host.opened.last?.capture(1) ?? false })
    #expect(bench.until { bench.codes == ["running"] })
    bench.camera.release()
    #expect(bench.stop(), "a stop ends the pause's wait, too")
  }
}
