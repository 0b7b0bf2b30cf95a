// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Foundation
import TestSupport
import Testing

@testable import Box
@testable import Control

/// `/api/recordings` and `/api/record`.
@Suite struct RecordingRouteTests {
  private struct Answer {
    let status: Int
    let head: String
    let content: String
    let body: [String: Any]
    var code: String { body["code"] as? String ?? "" }

    init(_ text: String) {
      status = Int(text.dropFirst(9).prefix(3)) ?? 0
      let parts = text.components(separatedBy: "\r\n\r\n")
      head = parts[0].lowercased()
      content = parts.dropFirst().joined(separator: "\r\n\r\n")
      body =
        (try? JSONSerialization.jsonObject(with: Data(content.utf8))) as? [String: Any] ?? [:]
    }

    func field(_ name: String) -> String? {
      head.components(separatedBy: "\r\n").first { $0.hasPrefix("\(name): ") }
        .map { String($0.dropFirst(name.count + 2)) }
    }
  }

  /// Asks on the Unix socket, where changes are not counted.
  private func ask(_ box: ServedStation, _ method: String, _ path: String, _ body: String = "")
    -> Answer
  {
    Answer(
      ServedStation.send(
        ServedStation.request(method, "/api/\(path)", body),
        to: ControlClient.socket(in: box.directory)))
  }

  /// Supervises until something has happened.
  private func run(_ box: ServedStation, until condition: () -> Bool) -> Bool {
    eventually {
      _ = box.station.supervise(.now())
      return condition()
    }
  }

  /// Records some frames of the test picture.
  private func record(_ box: ServedStation, in folder: String) {
    let change = ask(
      box, "PATCH", "settings",
      """
      {"record.directory": "\(folder)", "video.source": "pattern", "audio.source": "tone", "video.size": "160x90"}
      """)
    #expect(change.status == 200, "\(change.content)")
    #expect(run(box) { box.station.status.record?.place == "folder" })
    #expect(ask(box, "POST", "record/start", #"{"name": "Über"}"#).status == 200)
    #expect(run(box) { box.station.status.record?.bytes ?? 0 > 0 })
    #expect(ask(box, "POST", "record/mark").status == 200)
    #expect(ask(box, "POST", "record/start").code == "recording")
    #expect(ask(box, "POST", "record/stop").status == 200)
    #expect(run(box) { box.station.events.newest.contains { $0.code == .recordStopped } })
  }

  @Test func aRecordingIsListedGivenAndChanged() async throws {
    try await ServedStation.run { box in
      #expect(ask(box, "GET", "recordings").code == "no_place")
      for word in ["stop", "mark"] {
        #expect(ask(box, "POST", "record/\(word)").code == "not_recording")
      }
      #expect(ask(box, "POST", "record/eject").code == "no_stick")
      #expect(ask(box, "POST", "record/start", #"{"title": "x"}"#).status == 400)
      record(box, in: stateDirectory())
      let list = ask(box, "GET", "recordings")
      let films = try #require(list.body["recordings"] as? [[String: Any]])
      let id = try #require(films.first?["id"] as? String)
      #expect(films.count == 1 && list.body["more"] as? Bool == false)
      // On a machine whose clock is not known to be set, it has no title.
      let name = films[0]["name"] as? String ?? ""
      #expect(name.hasSuffix("Über") || name.hasPrefix("before-clock-"))
      #expect(ask(box, "GET", "recordings?after=\(id)").content.contains(#""recordings":[]"#))
      for limit in ["0", "1001", "x"] {
        #expect(ask(box, "GET", "recordings?limit=\(limit)").status == 400)
      }
      #expect(ask(box, "GET", "recordings/\(id)/picture").head.contains("image/jpeg"))
      let kept = ask(box, "PATCH", "recordings/\(id)", #"{"kept": true}"#)
      #expect(kept.body["kept"] as? Bool == true)
      let renamed = ask(box, "PATCH", "recordings/\(id)", #"{"name": "../../etc/x"}"#)
      let new = try #require(renamed.body["id"] as? String)
      #expect(renamed.status == 200 && !(renamed.body["file"] as? String ?? "/").contains("/"))
      #expect(ask(box, "PATCH", "recordings/\(new)", #"{"name": " . "}"#).status == 400)
      #expect(ask(box, "DELETE", "recordings/\(new)").status == 200)
      #expect(ask(box, "GET", "recordings/\(new)").status == 404)
      #expect(ask(box, "POST", "recordings/\(new)/undo").status == 200)
      #expect(ask(box, "GET", "recordings/\(new)").body["kept"] as? Bool == true)
      for wrong in ["..", "%2e%2e", "%2e%2e%2fetc%2fpasswd", id, "0", "%00"] {
        let answer = ask(box, "GET", "recordings/\(wrong)/file")
        #expect([400, 404].contains(answer.status), "\(wrong): \(answer.head)")
      }
    }
  }

  @Test func aFilmIsGivenInRanges() async throws {
    try await ServedStation.run { box in
      record(box, in: stateDirectory())
      let films = try #require(
        ask(box, "GET", "recordings").body["recordings"] as? [[String: Any]])
      let id = try #require(films.first?["id"] as? String)
      let bytes = try #require(films.first?["bytes"] as? Int)
      func get(_ fields: String...) -> Answer {
        Answer(
          ServedStation.send(
            ServedStation.get("/api/recordings/\(id)/file").replacing(
              "Host:", with: fields.map { "\($0)\r\n" }.joined() + "Host:"),
            to: ControlClient.socket(in: box.directory)))
      }
      let whole = get()
      let tag = try #require(whole.field("etag"))
      #expect(whole.status == 200 && whole.field("content-length") == "\(bytes)")
      #expect(whole.field("accept-ranges") == "bytes")
      #expect(whole.field("content-disposition")?.hasPrefix("inline;") == true)
      #expect(whole.field("content-disposition")?.contains("filename*=utf-8''") == true)
      let part = get("Range: bytes=4-7")
      #expect(part.status == 206 && part.content == "ftyp")
      #expect(part.field("content-range") == "bytes 4-7/\(bytes)")
      #expect(get("Range: bytes=\(bytes - 2)-").field("content-length") == "2")
      #expect(get("Range: bytes=-3").field("content-length") == "3")
      #expect(get("Range: bytes=4-7", "If-Range: \(tag)").status == 206)
      #expect(get("Range: bytes=4-7", "If-Range: \"other\"").status == 200)
      let beyond = get("Range: bytes=\(bytes)-")
      #expect(beyond.status == 416 && beyond.field("content-range") == "bytes */\(bytes)")
      for strange in ["bytes=1-0", "bytes=0-1,3-4", "lines=1-2", "bytes=-", "bytes=x-"] {
        #expect(get("Range: \(strange)").status == 200, "\(strange)")
      }
    }
  }

  @Test func aRangeIsThatOfTheFile() {
    let cases: [(String, Range<Int>?)] = [
      ("bytes=0-", 0..<10), ("bytes=0-0", 0..<1), ("bytes=9-9", 9..<10), ("bytes=3-99", 3..<10),
      ("bytes=10-", nil), ("bytes=-1", 9..<10), ("bytes=-99", 0..<10), ("bytes=-0", nil),
      ("bytes=0-9223372036854775807", 0..<10), ("Bytes= 1-2", 1..<3),
    ]
    for (text, range) in cases {
      #expect(ByteRange(text)?.within(10) == range, "\(text)")
    }
    #expect(ByteRange("bytes=0-99999999999999999999999") == nil)
    #expect(ByteRange("bytes=0-")?.within(0) == nil)
    #expect(ByteRange("bytes=-5")?.within(0) == nil)
  }

  @Test func aNameIsToldInASCIIAndUTF8() {
    #expect(
      Routes.disposition("a b.mp4", isSaved: true)
        == #"attachment; filename="a b.mp4"; filename*=UTF-8''a%20b.mp4"#)
    #expect(
      Routes.disposition("Ü\"\\\r\n;%.mp4", isSaved: false)
        == #"inline; filename="________.mp4"; filename*=UTF-8''%C3%9C%22%5C%0D%0A%3B%25.mp4"#)
  }

  /// Off air a recording opens the camera: an operator may not begin one.
  @Test func whoMayDoWhat() async throws {
    try await ServedStation.run { box in
      let start = ServedStation.request("POST", "/api/record/start")
      #expect(box.tcp(start, box.token("read")).contains(" 403 "))
      #expect(box.tcp(start, box.token("operate")).contains("scope_too_small"))
      #expect(box.tcp(start, box.token("control")).contains("no_place"))
      for (method, path) in [
        ("GET", "recordings/0/file"), ("GET", "recordings/0/picture"), ("DELETE", "recordings/0"),
      ] {
        let request = ServedStation.request(method, "/api/\(path)")
        #expect(box.tcp(request, box.token("operate")).contains(" 403 "))
      }
      #expect(
        box.tcp(ServedStation.get("/api/recordings"), box.token("read")).contains("no_place"))
      // Nobody elsewhere has the camera always open, names a folder of the box or a program.
      for (key, value) in [
        ("record.start", "always"), ("record.directory", "/tmp"), ("record.after", "/bin/true"),
      ] {
        let change = ServedStation.request(
          "PATCH", "/api/settings", "{\"\(key)\": \"\(value)\"}")
        #expect(box.tcp(change, box.token("admin")).contains("box_only"), "\(key)")
      }
      #expect(ask(box, "PATCH", "settings", #"{"record.after": "/bin/true"}"#).status == 400)
      #expect(ask(box, "PATCH", "settings", #"{"record.start": "always"}"#).status == 200)
    }
  }
}
