// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import FakeServer
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Box
@testable import Control

/// Who sees what the preview has, and for how long. In processes of their own, like `APITests`.
@Suite struct PreviewRouteTests {
  /// A response that is read bit by bit.
  private final class Client {
    private let descriptor: Int32
    private var text = ""

    init(_ box: ServedStation, _ path: String, _ scope: String) throws {
      descriptor = try #require(ServedStation.connect(port: box.port))
      let request = Array(
        "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(box.token(scope))\r\n\r\n".utf8)
      #expect(unsafe send(descriptor, request, request.count, 0) == request.count)
    }

    func hangUp() { close(descriptor) }

    /// Reads until a text has come so many times; to the end if it does not.
    /// - Returns: how many times it has come.
    @discardableResult func read(until part: String, count: Int) -> Int {
      var piece = [UInt8](repeating: 0, count: 65_536)
      while true {
        let found = text.components(separatedBy: part).count - 1
        guard found < count else { return found }
        let length = unsafe recv(descriptor, &piece, piece.count, 0)
        guard length > 0 else { return found }
        text += piece.prefix(length).map { $0 < 128 ? Character(Unicode.Scalar($0)) : "?" }
      }
    }
  }

  private static let image = "Content-Type: image/jpeg"

  /// A box with the test pattern, and its supervisor.
  static func run(_ body: @escaping @Sendable (ServedStation, FakeServer) throws -> Void)
    async throws
  {
    let server = try FakeServer.reading()
    try await ServedStation.run { box in
      let supervisor = Worker(name: "supervisor")
      supervisor.start {
        while supervisor.sleep(until: .now() + .milliseconds(20)) {
          _ = box.station.supervise(.now())
        }
      }
      defer {
        #expect(supervisor.stop(by: .now() + .seconds(60)))
        #expect(box.station.stop(goodbye: false, by: .now() + .seconds(60)))
        server.end()
      }
      let reply = try ControlClient.change(
        [
          "video.source": "pattern", "audio.source": "tone", "video.size": "160x90",
          "publish.url": "rtmp://127.0.0.1:\(server.port)/live", "publish.key": "k",
        ], directory: box.directory)
      #expect(reply.ok)
      try body(box, server)
    }
  }

  /// The camera has been shown for as long as it may.
  private static func useUp(_ box: ServedStation) {
    var viewing = OffAirViewing()
    let now = MediaTime.now()
    let viewer = OffAirViewing.Viewer(name: "somebody", isToken: false)
    _ = viewing.verdict(.first, by: viewer, now: now - OffAirViewing.limitNanos)
    _ = viewing.verdict(.more, by: viewer, now: now)
    box.station.state.withLock { $0.viewing = viewing }
  }

  @Test func offAirTheCameraIsShownForTenMinutes() async {
    await #expect(processExitsWith: .success) {
      try await PreviewRouteTests.run { box, _ in
        func status(_ path: String, _ scope: String = "control") -> String {
          let answer = box.tcp(ServedStation.get(path), box.token(scope))
          if answer.contains("409") { #expect(answer.contains("\"code\":\"aiming_over\"")) }
          return String(answer.dropFirst("HTTP/1.1 ".count).prefix(3))
        }
        let paths = [
          "/api/preview.mp4", "/api/preview.m3u8", "/api/preview/1.m4s", "/api/snapshot.jpg",
          "/api/snapshot.jpg?count=2",
        ]
        for path in paths { #expect(status(path, "read") == "403") }
        #expect(status("/api/snapshot.jpg") == "200")
        PreviewRouteTests.useUp(box)
        for path in paths {
          #expect(status(path) == "409", "\(path)")
          #expect(status(path, "read") == "403")
        }
        #expect(status("/api/snapshot.jpg?again=1") == "200")
        #expect(status("/api/snapshot.jpg") == "200")
        PreviewRouteTests.useUp(box)
        #expect(status("/api/preview.m3u8?again=0") == "409")
        #expect(status("/api/preview.m3u8?again=1") == "200")
        // A broadcast is no aiming, and ends it.
        PreviewRouteTests.useUp(box)
        try box.station.perform(.start, by: "by test")
        #expect(eventually { box.station.isOnAir })
        #expect(status("/api/snapshot.jpg", "read") == "200")
        try box.station.perform(.stop, by: "by test")
        #expect(eventually { !box.station.isOnAir })
        #expect(status("/api/snapshot.jpg", "read") == "403")
        #expect(status("/api/snapshot.jpg") == "200")
      }
    }
  }

  @Test func aStreamEndsWithItsTime() async {
    await #expect(processExitsWith: .success) {
      try await PreviewRouteTests.run { box, _ in
        let client = try Client(box, "/api/preview.mp4", "control")
        #expect(client.read(until: "moof", count: 3) == 3)
        PreviewRouteTests.useUp(box)
        #expect(client.read(until: "\r\n0\r\n\r\n", count: 1) == 1, "it ends as it should")
        client.hangUp()
      }
    }
  }

  /// What was allowed on air is not allowed off air.
  @Test func aSeriesEndsWithTheBroadcast() async {
    await #expect(processExitsWith: .success) {
      try await PreviewRouteTests.run { box, _ in
        try box.station.perform(.start, by: "by test")
        #expect(eventually { box.station.isOnAir })
        let reader = try Client(box, "/api/snapshot.jpg?count=1000&interval=0.2", "read")
        let controller = try Client(box, "/api/snapshot.jpg?count=1000&interval=0.2", "control")
        #expect(reader.read(until: PreviewRouteTests.image, count: 2) == 2)
        try box.station.perform(.stop, by: "by test")
        #expect(reader.read(until: PreviewRouteTests.image, count: 1_000) < 1_000)
        // Who may aim goes on.
        #expect(eventually { !box.station.isOnAir })
        #expect(controller.read(until: PreviewRouteTests.image, count: 25) == 25)
        PreviewRouteTests.useUp(box)
        #expect(controller.read(until: PreviewRouteTests.image, count: 1_000) < 1_000)
        #expect(controller.read(until: "onair-snapshot--", count: 1) == 1, "it ends as it should")
        for client in [reader, controller] { client.hangUp() }
      }
    }
  }

  @Test func aSeriesEndsWithItsToken() async {
    await #expect(processExitsWith: .success) {
      try await PreviewRouteTests.run { box, _ in
        let client = try Client(box, "/api/snapshot.jpg?count=1000&interval=0.2", "control")
        #expect(client.read(until: PreviewRouteTests.image, count: 2) == 2)
        let answer = box.tcp(
          ServedStation.request("DELETE", "/api/tokens/control"), box.token("admin"))
        #expect(answer.hasPrefix("HTTP/1.1 200"))
        #expect(client.read(until: PreviewRouteTests.image, count: 1_000) < 1_000)
        client.hangUp()
      }
    }
  }

  /// Nothing waits for an hour for somebody who is gone.
  @Test func aSeriesEndsWithItsClient() async {
    await #expect(processExitsWith: .success) {
      try await PreviewRouteTests.run { box, _ in
        var sockets: Int {
          let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
          return all.count { name in
            let target = try? FileManager.default.destinationOfSymbolicLink(
              atPath: "/proc/self/fd/\(name)")
            return target?.hasPrefix("socket:") == true
          }
        }
        // Those of the box's first requests are still being closed.
        var before = sockets
        #expect(
          eventually {
            usleep(200_000)
            defer { before = sockets }
            return sockets == before
          })
        let clients = try (0..<5).map { _ in
          try Client(box, "/api/snapshot.jpg?count=2&interval=3600", "control")
        }
        for client in clients {
          #expect(client.read(until: PreviewRouteTests.image, count: 1) == 1)
        }
        for client in clients { client.hangUp() }
        #expect(eventually { sockets <= before })
      }
    }
  }
}
