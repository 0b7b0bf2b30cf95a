// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Access
import HTTPTypes
import Preview
import Testing

@testable import Box
@testable import Control
@testable import Events

/// Who may do what.
@Suite struct ScopeTests {
  private static let commands = [
    "start", "stop", "pause", "resume", "mute", "unmute", "video_off", "video_on", "audio_off",
    "audio_on",
  ].map { "POST api/\($0)" }
  private static let relayCommands = ["start", "stop", "pause", "resume"].flatMap {
    ["POST api/relays/\($0)", "POST api/relays/:name/\($0)"]
  }

  /// Each route needs a scope. What changes something needs "admin", but for these.
  @Test func eachRouteNeedsItsScope() async throws {
    try await ServedStation.run { box in
      let routes = Routes(
        desk: box.desk, access: Access(directory: box.directory, hashing: .ordinary) { _ in },
        log: LogTail(),
        preview: Preview(attach: { _ in }, detach: { _ in }),
        uploads: StillUploads(directory: box.directory),
        media: MediaFiles(directory: box.directory), network: box.network,
        update: SystemUpdate(environment: [:], directory: box.directory), power: nil
      ).table.routes
      func names(_ isMeant: (RouteTable.Route) -> Bool) -> Set<String> {
        Set(routes.filter(isMeant).map { "\($0.method.rawValue) \($0.path)" })
      }
      let free = names { $0.scope == nil }
      #expect(
        free.subtracting(free.filter { $0.hasPrefix("GET") }) == [
          "POST api/setup", "POST api/login", "POST api/network/confirm",
        ])
      #expect(
        Set(free.filter { $0.hasPrefix("GET api/") })
          == ["GET api/session", "GET api/openapi.yaml"])
      #expect(
        names { $0.scope == .operate }
          == Set(
            Self.commands + [
              "PATCH api/overlays/:name", "PATCH api/text/:name", "POST api/music",
              "POST api/music/pause", "POST api/music/resume", "POST api/music/stop",
              "POST api/volumes", "PATCH api/audio", "PATCH api/tracks/:name",
              "POST api/record/start", "POST api/record/stop", "POST api/record/mark",
              "POST api/record/eject", "POST api/schedule/extend", "POST api/schedule/skip",
              "PATCH api/guests/:name", "POST api/guests/:name/admit", "POST api/guests/:name/hide",
              "POST api/guests/:name/remove", "POST api/guests/:name/allow", "POST api/layout",
              "POST api/mix", "PATCH api/mix/:id", "DELETE api/mix/:id",
            ]))
      #expect(
        names { $0.scope == .control }.subtracting(Self.relayCommands) == [
          "POST api/reconnect", "POST api/restart", "POST api/:command",
          "POST api/network/wifi/scan", "POST api/uplink", "POST api/lipsync",
          "PATCH api/recordings/:id", "DELETE api/recordings/:id",
          "POST api/recordings/:id/undo", "GET api/recordings/:id/file",
          "GET api/recordings/:id/picture",
        ])
      #expect(names { $0.scope == .read && $0.method != .get } == ["POST api/logout"])
      #expect(
        names { $0.scope == .admin && $0.method == .get } == [
          "GET api/log", "GET api/diagnostics", "GET api/tokens", "GET api/media/:name",
          "GET api/guests/:name/invitation", "GET api/guests/:name/invitation.svg",
        ])
    }
  }

  /// Whoever has heard nothing of the box for long may still hide something, and nothing else.
  @Test func whatHidesIsNeverTooLate() async throws {
    try await ServedStation.run { box in
      for (word, code) in [
        ("pause", "off_air"), ("mute", "off_air"), ("video_off", "off_air"),
        ("audio_off", "off_air"), ("resume", "too_late"), ("unmute", "too_late"),
        ("video_on", "too_late"), ("audio_on", "too_late"),
      ] {
        let answer = box.tcp(
          ServedStation.request("POST", "/api/\(word)"), box.token("operate"),
          "X-OnAir-Seen: 1000")
        #expect(answer.contains(" 409 ") && answer.contains("\"\(code)\""), "\(word)")
      }
      let refused = box.tcp(ServedStation.request("POST", "/api/video_off"), box.token("read"))
      #expect(refused.contains(" 403 "))
    }
  }

  /// An operator, by token or by the second password: what a broadcast needs, and nothing of the set-up.
  @Test func anOperatorOperates() async throws {
    try await ServedStation.run { box in
      let secret = "battery staple"
      let set = ServedStation.request("POST", "/api/operator_password", #"{"new": "\#(secret)"}"#)
      for scope in ["read", "operate", "control"] {
        #expect(box.tcp(set, box.token(scope)).contains(" 403 "))
      }
      // What outlives a session or a token needs the owner's password.
      #expect(box.tcp(set, box.token("admin")).contains("password_needed"))
      func setting(with password: String) -> String {
        box.tcp(
          ServedStation.request(
            "POST", "/api/operator_password",
            #"{"new": "\#(secret)", "password": "\#(password)"}"#),
          box.token("admin"))
      }
      #expect(setting(with: "wrong horse").contains(" 401 "))
      #expect(setting(with: ServedStation.password).contains(" 200 "))
      let login = box.tcp(
        ServedStation.request("POST", "/api/login", #"{"password": "\#(secret)"}"#),
        "Origin: http://localhost")
      #expect(login.contains(#""scope":"operate""#))
      let session = "Cookie: " + cookie(login, "onair_session")
      for fields in [[session, "Origin: http://localhost"], [box.token("operate")]] {
        func status(_ text: String) -> String {
          let lines = fields.map { "\($0)\r\n" }.joined()
          let request = text.replacing(
            "Connection: close\r\n", with: "Connection: close\r\n\(lines)")
          return String(ServedStation.send(request, port: box.port).dropFirst(9).prefix(3))
        }
        #expect(status(ServedStation.get("/api/status")) == "200")
        // Off air: 409.
        for word in ["pause", "mute", "video_off", "audio_on", "start"] {
          #expect(
            ["409", "200"].contains(status(ServedStation.request("POST", "/api/\(word)"))),
            "\(word)")
        }
        for (method, path) in [
          ("PATCH", "/api/settings"), ("POST", "/api/factory_reset"), ("POST", "/api/password"),
          ("POST", "/api/tokens"), ("POST", "/api/relays/start"), ("POST", "/api/restart"),
          ("POST", "/api/reload"), ("POST", "/api/operator_password"),
          ("GET", "/api/log"), ("GET", "/api/snapshot.jpg"), ("GET", "/api/preview.mp4"),
        ] {
          #expect(status(ServedStation.request(method, path, "{}")) == "403", "\(method) \(path)")
        }
        #expect(
          status(ServedStation.request("POST", "/api/start", #"{"url": "rtmp://evil/app/k"}"#))
            == "403")
      }
      #expect(box.tcp(ServedStation.get("/api/session"), session).contains(#""scope":"operate""#))
    }
  }
}

/// "NAME=VALUE" of a Set-Cookie field whose name begins so.
func cookie(_ answer: String, _ name: String) -> String {
  let line = answer.split(separator: "\r\n").first { $0.hasPrefix("Set-Cookie: \(name)") } ?? ""
  return String(line.dropFirst("Set-Cookie: ".count).prefix { $0 != ";" })
}
