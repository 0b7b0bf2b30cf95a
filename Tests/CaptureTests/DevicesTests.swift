// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CV4L2
internal import Foundation
internal import Posix
internal import Testing

@testable import Capture

@Suite struct DevicesTests {
  @Test func camerasAreListedWithProblems() {
    let host = FakeHost(clock: .system)
    host.plug("/dev/video0", FakeDevice(formats: [FourCC("YUYV"), FourCC("RGB3"), FourCC("H264")]))
    host.plug("/dev/video1", FakeDevice(capabilities: V4L2_CAP_META_CAPTURE))
    host.set("/dev/video2", .refusal(EACCES))
    host.plug("/dev/video3", FakeDevice(formats: [FourCC("RG10")], bus: "platform:sensor"))
    let cameras = Devices.cameras(on: host, links: ["/dev/video0": "/dev/v4l/by-id/usb-Fake"])
    #expect(cameras.map { $0.isUsable } == [true, false, false, false])
    #expect(cameras[0].stablePath == "/dev/v4l/by-id/usb-Fake")
    #expect(cameras[0].name == "Fake Cam")
    #expect(cameras[0].problem == nil)
    #expect(cameras[0].formats.map { $0.use } == [.straight, .converted, .none])
    #expect(
      cameras[0].formats[0].sizes == [CameraSizeDescription(width: 64, height: 32, rates: [30])])
    #expect(cameras[1].problem?.contains("metadata") == true)
    #expect(cameras[2].problem?.contains("group video") == true)
    #expect(cameras[3].problem?.contains("raw Bayer") == true)
    #expect(cameras[3].formats.count == 1)
  }

  @Test func ratesAreSortedWithoutDuplicates() {
    func interval(_ numerator: UInt32, _ denominator: UInt32) -> FrameInterval {
      FrameInterval(numerator: numerator, denominator: denominator)
    }
    let rates = CameraFormatDescription.rates([
      .one(interval(1, 15)), .one(interval(333_333, 10_000_000)), .one(interval(1, 30)),
      .one(interval(0, 0)), .range(shortest: interval(1, 60), longest: interval(1, 5)),
    ])
    #expect(rates == [60, 30, 15, 5])
  }

  /// On any machine: each entry names its node.
  @Test func thisMachineCanBeListed() {
    for camera in Devices.cameras() { #expect(camera.path.hasPrefix("/dev/video")) }
  }

  @Test func foldersAndLinks() {
    #expect(File.names(in: "/proc/self").contains("fd"))
    #expect(File.names(in: "/nowhere").isEmpty)
    #expect(DeviceDirectory.target(of: "/proc/self/exe")?.hasPrefix("/") == true)
    #expect(DeviceDirectory.target(of: "/proc") == nil)
    #expect(DeviceDirectory.resolve("/proc/self/../self/cwd/.")?.hasPrefix("/") == true)
  }
}
