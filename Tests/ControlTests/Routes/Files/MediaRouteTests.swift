// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
import Posix
import Settings
import TestSupport
import Testing

@testable import Box
@testable import Control

/// The files that are uploaded for viewers.
@Suite struct MediaRouteTests {
  private func put(_ name: String, _ body: String = "a film") -> String {
    ServedStation.request("PUT", "/api/media/\(name)", body)
  }

  private func set(_ key: String, _ text: String) -> String {
    ServedStation.request("PATCH", "/api/settings", "{\"\(key)\": \"\(text)\"}")
  }

  /// Sends a request as an administrator, again while there were too many changes in a short time.
  private func admin(_ box: ServedStation, _ request: String) -> String {
    var answer = ""
    _ = eventually {
      answer = box.tcp(request, box.token("admin"))
      let isTooEarly = answer.contains(" 429 ")
      if isTooEarly { usleep(300_000) }
      return !isTooEarly
    }
    return answer
  }

  private func read(_ path: String) -> String? {
    (try? File.read(path, limit: 1_000)).map { String(decoding: $0.bytes, as: UTF8.self) }
  }

  @Test func aFileIsUploadedChosenAndDeleted() async throws {
    try await ServedStation.run { box in
      let admin = box.token("admin")
      let name = "%C3%9Cber%20uns.mp4"
      let path = "\(box.directory)/media/Über uns.mp4"
      #expect(box.tcp(put(name), admin).contains(" 200 "))
      #expect(read(path) == "a film")
      let list = box.tcp(ServedStation.get("/api/media"), box.token("read"))
      #expect(
        list.contains(
          #"{"bytes":6,"kind":"video","name":"Über uns.mp4","used_by":[]}"#), "\(list)")
      #expect(list.contains(#""free_bytes":"#))
      let copy = box.tcp(ServedStation.get("/api/media/\(name)"), admin)
      #expect(copy.hasSuffix("\r\n\r\na film"))
      #expect(copy.lowercased().contains("content-disposition: attachment"))
      let chosen = box.tcp(set("video.source", "file:media/Über uns.mp4"), admin)
      #expect(chosen.contains(" 200 "), "\(chosen)")
      #expect(box.station.settings.video.source == .file(path: path))
      let remove = ServedStation.request("DELETE", "/api/media/\(name)")
      let used = box.tcp(remove, admin)
      #expect(used.contains(" 409 ") && used.contains("in_use") && used.contains("video.source"))
      #expect(box.tcp(put(name, "a better film"), admin).contains(" 200 "), "it is replaced")
      #expect(read(path) == "a better film")
      #expect(box.tcp(set("video.source", "pattern"), admin).contains(" 200 "))
      #expect(box.tcp(remove, admin).contains(" 200 "))
      #expect(box.tcp(remove, admin).contains(" 404 "))
      #expect(File.names(in: "\(box.directory)/media") == [])
    }
  }

  @Test func onlyAnAdministratorChangesFiles() async throws {
    try await ServedStation.run { box in
      #expect(box.tcp(put("a.mp4")).contains(" 401 "))
      for scope in ["read", "control"] {
        for request in [
          put("a.mp4"), ServedStation.request("DELETE", "/api/media/a.mp4"),
          ServedStation.get("/api/media/a.mp4"),
        ] {
          #expect(box.tcp(request, box.token(scope)).contains(" 403 "))
        }
      }
      #expect(File.names(in: "\(box.directory)/media") == [])
    }
  }

  @Test func aHostileNameLeadsNowhere() async throws {
    try await ServedStation.run { box in
      let names = [
        "..", "%2E%2E", "..%2Fsettings.toml", "%2Fetc%2Fpasswd", ".hidden", ".upload", "a%00b",
        "a%0Ab", "a%7Fb", "%C2%85", "%E2%80%AEb", "%FF", "%C0%AF", "%ED%A0%80", "%", "%2", "%zz",
        "%+1", String(repeating: "a", count: 201), String(repeating: "%C3%9C", count: 101),
        "%EF%BF%BD",
      ]
      for name in names {
        for method in ["PUT", "GET", "DELETE"] {
          let answer = admin(
            box, ServedStation.request(method, "/api/media/\(name)", method == "PUT" ? "x" : ""))
          #expect(answer.contains(" 400 ") || answer.contains(" 404 "), "\(method) \(name)")
        }
      }
      #expect(admin(box, put("a/b")).contains(" 404 "))
      #expect(File.names(in: "\(box.directory)/media") == [])
      let whole = String(repeating: "%C3%9C", count: 100)
      #expect(admin(box, put(whole)).contains(" 200 "), "200 bytes")
    }
  }

  /// A path from elsewhere is refused before anything looks for it: the answer is the same whether or not it is there.
  @Test func anAnswerDoesNotTellWhichFilesThereAre() async throws {
    try await ServedStation.run { box in
      for (key, prefix) in [
        ("pause.image", ""), ("slate.camera_image", ""), ("slate.network_image", ""),
        ("video.source", "file:"), ("audio.source", "file:"), ("video.source", "camera:"),
      ] {
        let answers = ["/etc/passwd", "/etc", "/nowhere", "/dev/null", "/proc/self/environ"].map {
          path in
          ["", "?check=true", "?trial=true"].map { query in
            let answer = admin(
              box,
              set(key, prefix + path).replacing("/api/settings", with: "/api/settings\(query)"))
            #expect(answer.contains(" 400 "), "\(key) \(path)")
            return answer.split(separator: "\r\n\r\n").last.map(String.init) ?? ""
          }
        }
        #expect(Set(answers).count == 1, "\(key)")
      }
      // The box's own command line names what it likes.
      let own = ServedStation.send(
        set("video.source", "file:/nowhere"), to: ControlClient.socket(in: box.directory))
      #expect(own.contains(" 200 "))
      #expect(admin(box, set("video.source", "file:/nowhere")).contains(" 200 "))
    }
  }
}
