// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Director
import FakeServer
import Testing

@testable import Box
@testable import Events
@testable import Studio

/// What is told of the camera in a pause that closes it.
@Suite struct CameraPauseStatusTests {
  /// A camera that is closed on purpose is neither missing nor lost, on the lamp, in the status and in the troubles, and what
  /// was wrong with it is told again after the pause.
  @Test func aClosedCameraIsInNoTrouble() throws {
    let server = try FakeServer.reading()
    defer { server.end() }
    let box = try LiveStation(
      port: server.port, in: nil, "video.source=camera:/dev/nowhere", "pause.release_camera=true")
    let station = box.station
    func isTold() -> Bool { station.status.troubles.contains { $0.subject == "video" } }
    func lacksCamera() -> Bool {
      isTold() && station.status.lamp == "no_camera" && station.status.capture.camera == "missing"
    }
    try station.perform(.start, by: "by test")
    #expect(box.run { box.isDelivering && lacksCamera() })
    try station.perform(.pause, by: "by test")
    #expect(
      box.run { station.status.capture.camera == "released" && station.status.lamp == "paused" })
    let status = station.status
    #expect(!isTold() && status.presence?.state == "paused" && status.presence?.word == "private")
    let picture = status.lines.first { $0.name == "Picture" }?.value
    #expect(picture == "pause image (the camera is closed until the pause ends)")

    try station.perform(.resume, by: "by test")
    #expect(box.run { lacksCamera() })
    // Whoever ends the broadcast in a pause has no camera in trouble either.
    try station.perform(.pause, by: "by test")
    #expect(box.run { station.status.lamp == "paused" && !isTold() })
    try station.perform(.stop, by: "by test")
    #expect(box.run { !station.isOnAir })
    #expect(!isTold())
    box.end()
  }
}
