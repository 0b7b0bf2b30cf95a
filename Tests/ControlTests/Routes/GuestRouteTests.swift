// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Capture
import Foundation
import Testing

@testable import Box
@testable import Control

/// `/api/guests`, `/api/layout` and `/api/mix`.
@Suite struct GuestRouteTests {
  /// An answer: its status and its JSON.
  private struct Answer {
    let status: Int
    let body: [String: Any]

    init(_ text: String) {
      status = Int(text.dropFirst(9).prefix(3)) ?? 0
      let bytes = text.components(separatedBy: "\r\n\r\n").dropFirst().joined()
      body = (try? JSONSerialization.jsonObject(with: Data(bytes.utf8))) as? [String: Any] ?? [:]
    }

    var code: String { body["code"] as? String ?? "" }
    var guests: [[String: Any]] { body["guests"] as? [[String: Any]] ?? [] }
    var layout: [String: Any] { body["layout"] as? [String: Any] ?? [:] }
  }

  private static func ask(
    _ box: ServedStation, _ method: String, _ path: String, _ body: String = "",
    scope: String = "admin"
  ) -> Answer {
    Answer(box.tcp(ServedStation.request(method, "/api/\(path)", body), box.token(scope)))
  }

  private static let tracks = GuestTracks(
    video: .init(codec: "h264", size: .init(width: 640, height: 360), frameRate: 29.97),
    audio: .init(codec: "aac", sampleRate: 48_000, channels: 2))

  @Test func aGuestIsAddedAdmittedAndRemoved() async throws {
    try await ServedStation.run { box in
      func ask(_ method: String, _ path: String, _ body: String = "") -> Answer {
        Self.ask(box, method, path, body)
      }
      let none = ask("GET", "guests")
      #expect(none.status == 200 && none.guests.isEmpty && none.body["most"] as? Int == 3)
      #expect(none.layout["present"] as? String == "bypass")
      let added = ask(
        "POST", "guests",
        #"{"name": "ann", "url": "rtsp://me:s3cret@192.0.2.1/path", "label": "Anna"}"#)
      #expect(added.status == 200)
      #expect(ask("POST", "guests", #"{"name": "bob", "key": "0123456789"}"#).status == 200)
      // From elsewhere than the box, its own addresses are refused.
      #expect(
        ask("POST", "guests", #"{"name": "own", "url": "rtsp://127.0.0.1/"}"#).status == 400)

      box.station.guestDesk.note(.connecting, of: "ann")
      box.station.guestDesk.note(.online(Self.tracks), of: "ann")
      let listed = ask("GET", "guests")
      #expect(listed.guests.map { $0["name"] as? String } == ["ann", "bob"])
      let ann = try #require(listed.guests.first)
      #expect(ann["state"] as? String == "waiting" && ann["label"] as? String == "Anna")
      #expect(ann["way"] as? String == "fetch" && ann["has_picture"] as? Bool == false)
      #expect(ann["url"] as? String == "rtsp://***@192.0.2.1/***")
      #expect((ann["since"] as? String)?.hasSuffix("Z") == true)
      let video = (ann["tracks"] as? [String: Any])?["video"] as? [String: Any]
      #expect(video?["width"] as? Int == 640 && video?["fps"] as? Double == 29.97)
      #expect(
        listed.guests[1]["way"] as? String == "send" && listed.guests[1]["url"] as? String == "")
      #expect(listed.guests[1]["sentence"] is String)

      #expect(ask("POST", "guests/nobody/admit").status == 404)
      let admitted = ask("POST", "guests/ann/admit")
      #expect(admitted.status == 200 && admitted.body["changed"] as? Bool == true)
      #expect(ask("POST", "guests/ann/admit").body["changed"] as? Bool == false)
      let shown = ask("GET", "guests")
      #expect(shown.body["on_air"] as? Int == 1)
      #expect(shown.layout["present"] as? String == "side_by_side")
      let panes = shown.layout["panes"] as? [[String: Any]] ?? []
      #expect(panes.map { $0["source"] as? String } == ["host", "guest:ann"])
      let status = ask("GET", "status").body["guests"] as? [String: Any]
      #expect(status?["mode"] as? String == "mix" && status?["layout"] as? String == "side_by_side")

      #expect(ask("GET", "guests/ann/picture").status == 404, "there is no frame")
      #expect(ask("POST", "guests/ann/remove").status == 200)
      let refused = ask("POST", "guests/ann/admit")
      #expect(refused.status == 409 && refused.code == "guest_removed")
      #expect(ask("POST", "guests/ann/allow").status == 200)
      #expect(ask("PATCH", "guests/ann", #"{"volume": 70}"#).status == 200)
      #expect(ask("GET", "guests").guests.first?["volume"] as? Double == 70)
      #expect(ask("DELETE", "guests/ann").status == 200)
      #expect(ask("GET", "guests").guests.map { $0["name"] as? String } == ["bob"])
    }
  }

  @Test func aLayoutIsChosenByHandAndByATask() async throws {
    try await ServedStation.run { box in
      func ask(_ method: String, _ path: String, _ body: String = "") -> Answer {
        Self.ask(box, method, path, body)
      }
      _ = ask("POST", "guests", #"{"name": "ann", "url": "rtsp://192.0.2.1/", "admit": "auto"}"#)
      box.station.guestDesk.note(.connecting, of: "ann")
      box.station.guestDesk.note(.online(Self.tracks), of: "ann")
      #expect(ask("POST", "layout", #"{"layout": "pip"}"#).status == 200)
      let chosen = ask("GET", "layout").body
      #expect(chosen["present"] as? String == "pip" && chosen["origin"] as? String == "hand")
      #expect((chosen["choices"] as? [String])?.contains("pip_top_left") == true)
      #expect(ask("POST", "layout", #"{"layout": "nothing"}"#).status == 400)
      #expect(ask("POST", "layout", #"{"layouts": "pip"}"#).status == 400)
      #expect(ask("POST", "layout", #"{"layout": null}"#).status == 200)
      #expect(ask("GET", "layout").body["origin"] as? String == "automatic")

      #expect(ask("POST", "mix", #"{"id": "t", "mode": "both"}"#).status == 400)
      #expect(ask("POST", "mix", #"{"id": "", "mode": "mix"}"#).status == 400)
      #expect(ask("POST", "mix", #"{"id": "t", "mode": "mix", "layout": "grid"}"#).status == 200)
      let taken = ask("POST", "mix", #"{"id": "t", "mode": "mix"}"#)
      #expect(taken.status == 409 && taken.code == "id_taken")
      #expect(ask("GET", "mix").body["layout"] as? String == "grid")
      #expect(ask("GET", "layout").body["origin"] as? String == "task")
      #expect(
        ask("PATCH", "mix/t", #"{"mode": "bypass", "source": "guest:ann"}"#).status == 200)
      #expect(ask("GET", "layout").body["present"] as? String == "guest:ann")
      #expect(ask("PATCH", "mix/u", #"{"mode": "mix"}"#).status == 404)
      #expect(ask("DELETE", "mix/t").status == 200 && ask("DELETE", "mix/t").status == 404)
      #expect(ask("GET", "layout").body["present"] as? String == "bypass")
    }
  }

  /// Off air a guest is seen by whoever may see the camera.
  @Test func aPictureNeedsTheRightToSeeTheCamera() async throws {
    try await ServedStation.run { box in
      _ = Self.ask(box, "POST", "guests", #"{"name": "ann", "url": "rtsp://192.0.2.1/"}"#)
      for (scope, status) in [("read", 403), ("operate", 403), ("control", 404), ("admin", 404)] {
        #expect(Self.ask(box, "GET", "guests/ann/picture", scope: scope).status == status)
      }
      #expect(Self.ask(box, "POST", "guests/ann/admit", scope: "read").status == 403)
      #expect(Self.ask(box, "POST", "guests/ann/admit", scope: "operate").status == 200)
      let change = Self.ask(box, "PATCH", "guests/ann", #"{"url": "x"}"#, scope: "operate")
      #expect(change.status == 403)
    }
  }
}
