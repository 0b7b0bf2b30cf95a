// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Glibc
import Studio
import TestSupport
import Testing

@testable import Box
@testable import Control

/// Whoever looks at the room off air leaves a trace. In processes of their own, like `APITests`.
@Suite struct WatchingTests {
  @Test func whoLooksIsShownWhileItLasts() async {
    await #expect(processExitsWith: .success) {
      try await PreviewRouteTests.run { box, _ in
        #expect(box.station.status.watched == nil)
        #expect(
          box.tcp(ServedStation.get("/api/snapshot.jpg"), box.token("control")).hasPrefix(
            "HTTP/1.1 200"))
        #expect(eventually { box.station.status.watched != nil })
        let watched = try #require(box.station.status.watched)
        #expect(watched.by == "the token control (127.0.0.1)")
        #expect(watched.since.hasSuffix("Z"))
        #expect(box.station.lamp == .watched)
        #expect(box.station.status.lamp == "watched")
        #expect(box.station.status.presence?.state == "off_air")
        #expect(box.station.status.lines.contains { $0.name == "Watched" })
        // Everybody who looks is told of once.
        #expect(
          box.tcp(ServedStation.get("/api/snapshot.jpg"), box.token("admin")).hasPrefix(
            "HTTP/1.1 200"))
        #expect(
          eventually {
            box.station.status.watched?.by
              == "the token admin (127.0.0.1), the token control (127.0.0.1)"
          })
        // Who may not look, and a request that another page may have made, leave no trace and open nothing.
        #expect(eventually { box.station.status.watched == nil })
        #expect(box.station.lamp == .offAir)
        let codes = box.station.events.newest.map(\.code)
        #expect(codes.filter { $0 == .watchingStarted }.count == 2)
        #expect(codes.filter { $0 == .watchingEnded }.count == 1)
        // A test picture and a test tone are not the room.
        let sentences = box.station.events.newest.filter { $0.subject == "room" }.map(\.sentence)
        #expect(sentences.allSatisfy { !$0.contains(/are (open|closed)/) }, "\(sentences)")
      }
    }
  }

  /// The cookie of a session goes with a request of any page of this host, as one of another port. It opens no camera.
  @Test func onlyTheBoxsOwnPageOpensTheCameraWithASession() async {
    await #expect(processExitsWith: .success) {
      try await PreviewRouteTests.run { box, _ in
        let login = box.tcp(
          ServedStation.request(
            "POST", "/api/login", "{\"password\": \"\(ServedStation.password)\"}"))
        let session = "Cookie: " + cookie(login, "onair_session")
        func status(_ path: String, _ fields: String...) -> String {
          let lines = ([session] + fields).map { "\($0)\r\n" }.joined()
          let request = ServedStation.get(path).replacing(
            "Connection: close\r\n", with: "Connection: close\r\n\(lines)")
          return String(
            ServedStation.send(request, port: box.port).dropFirst("HTTP/1.1 ".count).prefix(3))
        }
        for path in [
          "/api/snapshot.jpg", "/api/snapshot.jpg?again=1", "/api/preview.mp4?again=1",
          "/api/preview.m3u8", "/api/snapshot.jpg?count=2",
        ] {
          #expect(status(path) == "403", "\(path)")
          #expect(status(path, "Sec-Fetch-Site: same-site", "X-OnAir: 1") == "403")
        }
        #expect(box.station.status.watched == nil)
        #expect(status("/api/snapshot.jpg", "X-OnAir: 1") == "200")
        // A player that cannot send it goes on with what the page has begun.
        #expect(status("/api/snapshot.jpg") == "200")
        #expect(eventually { box.station.status.watched?.by == "the page (127.0.0.1)" })
      }
    }
  }

  /// How loud the room is tells what happens in it.
  @Test func levelsOffAirNeedControl() async {
    await #expect(processExitsWith: .success) {
      try await PreviewRouteTests.run { box, _ in
        var reader = SoundReader()
        #expect(
          box.tcp(ServedStation.get("/api/snapshot.jpg"), box.token("control")).hasPrefix(
            "HTTP/1.1 200"))
        #expect(eventually { box.station.levels(&reader, mayViewOffAir: true) != nil })
        for _ in 0..<20 {
          #expect(box.station.levels(&reader, mayViewOffAir: false) == nil)
          usleep(20_000)
        }
        try box.station.perform(.start, by: "by test")
        #expect(eventually { box.station.isOnAir })
        #expect(eventually { box.station.status.watched == nil })
        let since = box.station.events.newest.drop { $0.code != .started }
        #expect(
          !since.contains { $0.code == .watchingEnded && $0.sentence.contains("closed") },
          "the broadcast has camera and microphone open")
        #expect(eventually { box.station.levels(&reader, mayViewOffAir: false) != nil })
        // Nothing more from the moment at which somebody says "stop".
        try box.station.perform(.stop, by: "by test")
        #expect(box.station.levels(&reader, mayViewOffAir: false) == nil)
        let viewer = OffAirViewing.Viewer(name: "a", isToken: true)
        #expect(
          box.station.viewVerdict(.more, by: viewer, mayViewOffAir: false, isSameOrigin: true)
            == .needsControl)
      }
    }
  }
}
