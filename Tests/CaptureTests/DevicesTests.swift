// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CV4L2
internal import Foundation
internal import Posix
internal import TestSupport
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

  /// A webcam and a grabber have their sound on another interface of the same USB device.
  @Test func camerasHaveTheMicrophoneOfTheirDevice() throws {
    let sys = stateDirectory()
    func link(_ path: String, to target: String) throws {
      for one in ["\(sys)/devices/\(target)", "\(sys)/class/\(path)"] {
        try FileManager.default.createDirectory(atPath: one, withIntermediateDirectories: true)
      }
      try FileManager.default.createSymbolicLink(
        atPath: "\(sys)/class/\(path)/device", withDestinationPath: "\(sys)/devices/\(target)")
    }
    try link("video4linux/video0", to: "usb1/1-1/1-1.3/1-1.3:1.0")
    try link("video4linux/video2", to: "usb1/1-1/1-1.4/1-1.4:1.0")
    try link("video4linux/video4", to: "platform/camera")
    try link("sound/card0", to: "platform/camera")
    try link("sound/card1", to: "usb1/1-1/1-1.2/1-1.2:1.0")
    try link("sound/card2", to: "usb1/1-1/1-1.3/1-1.3:1.2")
    let microphones = [0, 1, 2].map { card in
      AudioDevices.Entry(
        name: "hw:\(card),0", stableName: card == 2 ? "hw:CARD=C920,DEV=0" : nil, card: card,
        device: 0, description: "", state: "free", rates: [], channels: [], formats: [])
    }
    var cameras = ["/dev/video0", "/dev/video2", "/dev/video4", "/dev/video9"].map {
      CameraDescription(path: $0)
    }
    Devices.pair(&cameras, with: microphones, sys: sys)
    #expect(cameras.map(\.microphone) == ["microphone:hw:CARD=C920,DEV=0", nil, nil, nil])
  }

  /// What plays is listed by its device files, also on a card that cannot be opened; what only records is left out.
  @Test func playbackDevicesAreListed() throws {
    let folder = stateDirectory()
    for name in [
      "controlC29", "pcmC29D0p", "pcmC29D0c", "pcmC29D3p", "controlC30", "pcmC30D0c", "pcmC31D0p",
    ] {
      #expect(FileManager.default.createFile(atPath: "\(folder)/\(name)", contents: nil))
    }
    let found = PlaybackDevices.list(in: folder)
    #expect(found.map(\.value) == ["hw:29,0", "hw:29,3"], "no control, no card")
    #expect(found.allSatisfy { $0.problem == nil && $0.stableName == nil })
    #expect(HDMIScreen.isMissing(names: ["vc4-hdmi-0, MAI PCM"], eld: [0, 0], connectors: [:]))
    // On any machine: each entry names its device.
    for device in PlaybackDevices.list() { #expect(device.value.hasPrefix("hw:")) }
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
