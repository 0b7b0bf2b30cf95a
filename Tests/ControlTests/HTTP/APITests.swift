// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Glibc
import Posix
import TestSupport
import Testing

@testable import Box
@testable import Control
@testable import Figures

/// The API's routes over its Unix socket and over TCP. In a process of its own, since other tests block the threads of
/// Swift concurrency.
@Suite struct APITests {
  @Test func bothListenersServeTheSameRoutes() async {
    await #expect(processExitsWith: .success) {
      try await ServedStation.run { box in
        for (text, status, part) in [
          (ServedStation.get("/api/status"), "200", "\"lamp\":\""),
          (ServedStation.get("/api/settings"), "200", "\"video.size\""),
          (ServedStation.request("POST", "/api/explode"), "404", "\"code\":\"unknown_command\""),
          (ServedStation.request("POST", "/api/pause"), "409", "\"code\":\"off_air\""),
          (ServedStation.get("/api/nothing"), "404", "\"code\":\"no_such_request\""),
          (
            ServedStation.request("PATCH", "/api/settings", "[1]"), "400",
            "\"code\":\"not_understood\""
          ),
          (
            ServedStation.request("PATCH", "/api/settings", "{\"video.fps\":1000}"), "400",
            "\"key\":\"video.fps\""
          ),
          (ServedStation.request("PATCH", "/api/settings", "{}"), "200", "Nothing has changed."),
          (
            ServedStation.request("PATCH", "/api/settings", String(repeating: " ", count: 70_000)),
            "413",
            "\"ok\":false"
          ),
        ] {
          for answer in box.both(text) {
            #expect(
              answer.hasPrefix("HTTP/1.1 \(status)"), "\(text.prefix(60)): \(answer.prefix(300))")
            #expect(answer.contains(part))
          }
        }
      }
    }
  }

  @Test func theSocketIsForItsUserAlone() async {
    await #expect(processExitsWith: .success) {
      try await ServedStation.run { box in
        var status = stat()
        let path = ControlClient.socket(in: box.directory)
        #expect(unsafe stat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        #expect(box.server.stop(by: .now() + .seconds(60)))
        #expect(unsafe stat(path, &status) != 0, "it is removed at the end")
      }
    }
  }

  /// Over TCP a page of another site gets nothing.
  @Test func otherSitesAreRefusedOverTCP() async {
    await #expect(processExitsWith: .success) {
      try await ServedStation.run { box in
        let text = ServedStation.get("/api/settings").replacing(
          "Host: localhost", with: "Host: evil.example")
        #expect(box.both(text)[1].hasPrefix("HTTP/1.1 403"))
      }
    }
  }

  /// What callers without a session, with too small a scope or from another site get.
  @Test func strangersGetNothing() async {
    await #expect(processExitsWith: .success) {
      try await ServedStation.run { box in
        let login = box.tcp(
          ServedStation.request(
            "POST", "/api/login", "{\"password\": \"\(ServedStation.password)\"}"))
        let cookie = try #require(
          login.split(separator: "\r\n").first { $0.hasPrefix("Set-Cookie: ") })
        #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"))
        let session = "Cookie: " + cookie.dropFirst("Set-Cookie: ".count).prefix { $0 != ";" }
        let own = "Origin: http://localhost"
        let read = ServedStation.get("/api/status")
        let command = ServedStation.request("POST", "/api/pause")
        let change = ServedStation.request("PATCH", "/api/settings", "{}")
        for (text, fields, status) in [
          (read, [], "401"), (command, [], "401"), (change, [own], "401"),
          (ServedStation.get("/api/diagnostics"), [], "401"),
          (ServedStation.get("/api/events"), [], "401"),
          (ServedStation.get("/api/tokens"), [], "401"),
          (ServedStation.get("/api/session"), [], "200"),
          (ServedStation.get("/healthz"), [], "200"), (ServedStation.get("/"), [], "200"),
          (ServedStation.get("/api/openapi.yaml"), [], "200"),
          // Sessions.
          (read, [session], "200"), (command, [session, own], "409"),
          (command, [session], "403"), (change, [session, "Origin: http://evil.example"], "403"),
          (change, [session, "Origin: null"], "403"),
          (change, [session, "Sec-Fetch-Site: same-origin"], "200"),
          (change, [session, "Sec-Fetch-Site: cross-site"], "403"),
          (read, [session + "x"], "401"), (read, ["Cookie: onair_session="], "401"),
          // Another site of the same host may have set one: the valid one counts.
          (read, [session, "Cookie: onair_session=planted"], "200"),
          (read, ["Cookie: onair_session=planted", session], "200"),
          (read, ["Cookie: a=b; onair_session=planted; " + session.dropFirst(8)], "200"),
          // Tokens.
          (read, [box.token("read")], "200"), (command, [box.token("read")], "403"),
          (command, [box.token("control")], "409"), (change, [box.token("control")], "403"),
          (change, [box.token("admin")], "200"), (read, [box.token("admin") + "x"], "401"),
          (read, ["Authorization: Bearer wrong", session], "401"),
          (ServedStation.get("/api/log"), [box.token("control")], "403"),
          (ServedStation.request("POST", "/api/access/reset"), [box.token("admin")], "403"),
          // Methods.
          (ServedStation.get("/api/pause"), [], "405"),
          (ServedStation.request("PUT", "/api/status"), [], "405"),
          (ServedStation.request("HEAD", "/healthz"), [], "200"),
        ] as [(String, [String], String)] {
          let lines = fields.map { "\($0)\r\n" }.joined()
          let request = text.replacing(
            "Connection: close\r\n", with: "Connection: close\r\n\(lines)")
          let answer = ServedStation.send(request, port: box.port)
          #expect(answer.hasPrefix("HTTP/1.1 \(status)"), "\(request): \(answer.prefix(400))")
          for secret in [ServedStation.password] + box.tokens.values {
            #expect(!answer.contains(secret))
          }
        }
        // A session that has ended does not come back.
        #expect(
          box.tcp(ServedStation.request("POST", "/api/logout"), session, own).hasPrefix(
            "HTTP/1.1 200"))
        #expect(box.tcp(read, session).hasPrefix("HTTP/1.1 401"))
      }
    }
  }

  /// Chunks that are none are the client's mistake.
  @Test func bodiesInWrongPiecesAreNotUnderstood() async {
    await #expect(processExitsWith: .success) {
      try await ServedStation.run { box in
        for (coding, body) in [
          ("xchunked", "0\r\n\r\n"), ("chunked", "5\n{\"a\":\n"),
          ("chunked", "10000000000000000\r\n"),
          ("chunked", "0\r\n" + String(repeating: "A: b\r\n", count: 200)),
        ] {
          let answer = ServedStation.send(
            "POST /api/login HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: \(coding)\r\n\r\n"
              + body, port: box.port)
          #expect(answer.hasPrefix("HTTP/1.1 400"), "\(coding) \(body.prefix(20)): \(answer)")
          #expect(answer.contains("\"code\":\"not_understood\""))
          #expect(answer.split(separator: "HTTP/1.1 ").count == 1)
        }
      }
    }
  }

  @Test func wrongPasswordsAreSlowedDown() async {
    await #expect(processExitsWith: .success) {
      try await ServedStation.run { box in
        let wrong = ServedStation.request("POST", "/api/login", "{\"password\": \"wrong horse\"}")
        var answers: [String] = []
        while answers.count < 50, answers.last?.hasPrefix("HTTP/1.1 429") != true {
          answers.append(box.tcp(wrong))
        }
        #expect(answers.dropLast().allSatisfy { $0.hasPrefix("HTTP/1.1 401") })
        #expect(answers.last?.contains("Retry-After: ") == true)
        #expect(
          box.tcp(ServedStation.get("/api/status"), box.token("read")).hasPrefix("HTTP/1.1 200"))
      }
    }
  }

  @Test func settingsAreSetAndUnsetByTheClient() async {
    await #expect(processExitsWith: .success) {
      try await ServedStation.run { box in
        let reply = try ControlClient.change(
          ["video.size": "640x360", "audio.gain_db": "-3"], directory: box.directory)
        #expect(reply.ok && reply.changes?.count == 2)
        #expect(box.station.settings.video.size == PictureSize(width: 640, height: 360))
        #expect(box.station.settings.audio.strip.gainDB == -3)
        #expect(try ControlClient.settings(directory: box.directory).contains("run time"))
        let back = try ControlClient.change(["video.size": nil], directory: box.directory)
        #expect(back.changes?.map(\.key) == ["video.size"])
        #expect(box.station.settings.video.size == PictureSize(width: 1280, height: 720))
        // All mistakes are told, and nothing is taken.
        let wrong = try ControlClient.change(
          ["video.fps": "0", "audio.gain_db": "2", "no.such": "1"], directory: box.directory)
        #expect(!wrong.ok && wrong.problems?.compactMap(\.key) == ["no.such", "video.fps"])
        #expect(box.station.settings.audio.strip.gainDB == -3)
      }
    }
  }

  @Test func secretsAreNeverShown() async {
    await #expect(processExitsWith: .success) {
      try await ServedStation.run { box in
        _ = try ControlClient.change(
          ["publish.url": "rtmp://127.0.0.1:1/live", "publish.key": "sesame-1"],
          directory: box.directory)
        let list = try ControlClient.settings(directory: box.directory)
        #expect(!list.contains("sesame") && list.contains("publish.key"))
        let status = try ControlClient.status(directory: box.directory)
        #expect(!String(decoding: JSON.encode(status), as: UTF8.self).contains("sesame"))
      }
    }
  }

  /// Whoever may change settings from elsewhere does not get the stream key or a file of the box.
  @Test func theKeyDoesNotFollowTheAddress() async {
    await #expect(processExitsWith: .success) {
      try await ServedStation.run { box in
        func patch(_ json: String) -> String {
          box.tcp(ServedStation.request("PATCH", "/api/settings", json), box.token("admin"))
        }
        _ = try ControlClient.change(
          ["publish.url": "rtmps://server.example/app", "publish.key": "sesame-1"],
          directory: box.directory)
        for (json, status, part) in [
          (#"{"publish.url":"rtmp://evil.example/app"}"#, "400", "publish.key"),
          (#"{"publish.url":"rtmp://server.example/app"}"#, "400", "publish.key"),
          (#"{"publish.backup_url":"rtmp://evil.example/app"}"#, "400", "publish.key"),
          (#"{"publish.key_file":"/etc/passwd"}"#, "400", "a file of the box"),
          (#"{"publish.ca_file":"/etc/passwd"}"#, "400", "a file of the box"),
          // Nothing takes its place, so no server gets any.
          (#"{"publish.key":null}"#, "200", "publish.key"),
          (#"{"publish.url":"rtmps://server.example/other"}"#, "200", "publish.url"),
          (
            #"{"publish.url":"rtmp://new.example/app","publish.key":"other"}"#, "200",
            "publish.url"
          ),
        ] {
          let answer = patch(json)
          #expect(
            answer.hasPrefix("HTTP/1.1 \(status)") && answer.contains(part), "\(json): \(answer)")
        }
        let many = (0..<300).map { "\"a\($0)\":null" }.joined(separator: ",")
        #expect(patch("{\(many)}").hasPrefix("HTTP/1.1 400"))
        // On the box itself, all of it can be done.
        let reply = try ControlClient.change(
          ["publish.url": "rtmp://third.example/app"], directory: box.directory)
        #expect(reply.ok)
      }
    }
  }

  @Test func commandsSayWhoGaveThem() async {
    await #expect(processExitsWith: .success) {
      try await ServedStation.run { box in
        let heard = box.station.events.subscribe(limit: 100)
        _ = try ControlClient.change(["video.fps": "30"], directory: box.directory)
        _ = box.both(ServedStation.request("PATCH", "/api/settings", "{\"video.fps\": 20}"))
        let all = heard.take().map(\.sentence)
        #expect(all.contains { $0.contains(isRoot ? "by command (root)" : "by command") })
      }
    }
  }

  /// Half requests and silence hold their own connection only.
  @Test func clientsThatHangHurtNobody() async {
    await #expect(processExitsWith: .success) {
      try await ServedStation.run { box in
        let path = ControlClient.socket(in: box.directory)
        var open: [Int32] = []
        defer { for descriptor in open { close(descriptor) } }
        for start in ["", "G", "GET /api/status HTTP/1.1\r\nHost", "\u{0}\u{1}\u{2}"] {
          let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
          #expect((try? UnixSocketAddress(path)?.connect(descriptor)) != nil)
          let bytes = Array(start.utf8)
          _ = unsafe Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
          open.append(descriptor)
        }
        #expect(
          ServedStation.send(ServedStation.get("/api/status"), to: path).hasPrefix("HTTP/1.1 200"))
        #expect(throws: ControlError.self) { try ControlClient.status(directory: "/nowhere") }
      }
    }
  }
}
