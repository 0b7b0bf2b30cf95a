// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Foundation
import Settings
import Testing

@testable import Box
@testable import Control

/// `/api/overlays`, by which each list of the settings is listed and changed, and `/api/text`.
@Suite struct ListRouteTests {
  /// An answer: its status and its JSON.
  private struct Answer {
    let status: Int
    let body: [String: Any]
    let list: [[String: Any]]

    init(_ text: String) {
      status = Int(text.dropFirst(9).prefix(3)) ?? 0
      let bytes = text.components(separatedBy: "\r\n\r\n").dropFirst().joined()
      let json = try? JSONSerialization.jsonObject(with: Data(bytes.utf8))
      body = json as? [String: Any] ?? [:]
      list = json as? [[String: Any]] ?? []
    }

    var code: String { body["code"] as? String ?? "" }
    var sentence: String { body["sentence"] as? String ?? "" }
  }

  private static func ask(
    _ box: ServedStation, _ method: String, _ path: String, _ body: String = "",
    scope: String = "admin"
  ) -> Answer {
    Answer(box.tcp(ServedStation.request(method, "/api/\(path)", body), box.token(scope)))
  }

  @Test func anOverlayIsAddedChangedAndRemoved() async throws {
    try await ServedStation.run { box in
      func ask(_ method: String, _ path: String, _ body: String = "") -> Answer {
        Self.ask(box, method, path, body)
      }
      #expect(ask("GET", "overlays").list.isEmpty)
      let added = ask("POST", "overlays", #"{"kind": "text", "text": "Anna", "x": 0.25}"#)
      #expect(added.status == 200 && added.body["name"] as? String == "text-1")
      #expect(
        ask("POST", "overlays", #"{"kind": "image", "file": "media/a.png", "width": 0.2}"#)
          .body["name"] as? String == "image-1")
      #expect(
        ask("POST", "overlays", #"{"name": "who", "kind": "text", "text": "x"}"#).status == 200)
      let listed = ask("GET", "overlays").list
      #expect(listed.map { $0["name"] as? String } == ["image-1", "text-1", "who"])
      let text = try #require(listed.dropFirst().first)
      #expect(text["x"] as? Double == 0.25 && text["fade_ms"] as? Int == 300)
      #expect(text["state"] as? String == "shown" && text["sentence"] is NSNull)
      #expect(
        Set(text.keys) == Set(OverlaySettings.list.fieldNames + ["name", "state", "sentence"]))
      #expect(ask("PATCH", "overlays/who", #"{"enabled": false, "z": 7}"#).status == 200)
      #expect(
        ask("PATCH", "overlays/text-1", #"{"x": null, "until": "2000-01-01 00:00"}"#).status == 200)
      let states = ask("GET", "overlays").list.map { $0["state"] as? String }
      #expect(states == ["shown", "waiting", "hidden"])
      #expect(ask("GET", "overlays").list[1]["x"] as? Double == 0.1, "its default")
      #expect(box.station.settings.overlays.first { $0.name == "who" }?.z == 7)
      #expect(ask("DELETE", "overlays/who").status == 200)
      let all = ask(
        "PUT", "overlays", #"[{"name": "text-1"}, {"name": "b", "kind": "text", "text": "y"}]"#)
      #expect(all.status == 200)
      #expect(ask("GET", "overlays").list.map { $0["name"] as? String } == ["b", "text-1"])
      #expect(ask("PUT", "overlays", "[]").status == 200 && ask("GET", "overlays").list.isEmpty)
    }
  }

  /// Programs read a list, change a value and send the list back. What they may not set is left as it is.
  @Test func aListCanBeSentBack() async throws {
    try await ServedStation.run { box in
      // The owner may name files of the box; others may not, and do not by sending back what they were told.
      var owner: [String: SettingsPatch.Value?] = [
        "relay.one.url": .text("rtmp://relay.test/live"), "relay.one.key": .text("s3cret"),
        "relay.two.url": .text("rtmp://other.test/live/s3cret-2"),
        "overlay.a.kind": .text("image"), "overlay.a.file": .text("/usr/share/none.png"),
        "overlay.b.kind": .text("text"), "overlay.b.text": .text("x"),
        "filter.c.kind": .text("mask"), "filter.c.x": .number(0.5),
      ]
      _ = try box.desk.change(SettingsPatch(owner), by: "by test")
      let before = box.desk.configuration
      func list(_ path: String) throws -> [[String: Any]] {
        let listed = Self.ask(box, "GET", path).list
        try #require(!listed.isEmpty)
        return listed
      }
      func put(_ path: String, _ list: [[String: Any]]) throws -> Answer {
        let bytes = try JSONSerialization.data(withJSONObject: list)
        return Self.ask(box, "PUT", path, String(decoding: bytes, as: UTF8.self))
      }
      for path in ["relays", "overlays", "filters"] {
        let same = try put(path, try list(path))
        #expect(same.status == 200 && same.body["changed"] as? Bool == false, "\(same.sentence)")
      }
      #expect(box.desk.configuration.runTime == before.runTime)
      for (path, field, value) in [
        ("relays", "enabled", false), ("overlays", "y", 0.75), ("filters", "width", 0.25),
      ] as [(String, String, Any)] {
        var changed = try list(path)
        changed[changed.count - 1][field] = value
        let answer = try put(path, changed)
        #expect(answer.status == 200 && answer.body["changed"] as? Bool == true)
      }
      owner["relay.two.enabled"] = .flag(false)
      // As after any change from elsewhere: these may not come from the settings file later.
      for field in ["key", "password"] { owner["relay.two.\(field)"] = .text("") }
      owner["overlay.b.y"] = .number(0.75)
      owner["filter.c.width"] = .number(0.25)
      #expect(box.desk.configuration.runTime.keys == owner.keys.sorted())
      let relays = box.desk.configuration.relays.map(\.address)
      #expect(relays == before.relays.map(\.address), "with their keys")
      // Single entries, too.
      let one = try #require(try list("filters").first)
      let bytes = try JSONSerialization.data(withJSONObject: one)
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(Self.ask(box, "PATCH", "filters/c", text).status == 200)
      #expect(Self.ask(box, "PATCH", "filters/c", #"{"stat": "on"}"#).status == 400)
      let new = #"{"kind": "mask", "state": "on", "sentence": null}"#
      #expect(Self.ask(box, "POST", "filters", new).status == 200)
    }
  }

  /// What is wrong with an overlay is in the list, too, and ends with it.
  @Test func anOverlayThatCannotBeShownSaysSo() async throws {
    try await ServedStation.run { box in
      _ = Self.ask(box, "POST", "overlays", #"{"name": "a", "kind": "text", "text": "x"}"#)
      box.station.events.report(
        .overlayUnusable, level: .warning, subject: "overlay.a.text", "overlay.a.text is odd.")
      let one = try #require(Self.ask(box, "GET", "overlays").list.first)
      #expect(one["state"] as? String == "unusable")
      #expect(one["sentence"] as? String == "overlay.a.text is odd.")
      box.station.events.endTrouble("overlay.a.text")
      #expect(Self.ask(box, "GET", "overlays").list.first?["state"] as? String == "shown")
    }
  }

  private static let mistakes: [(String, String, String, Int, String, String)] = [
    (
      "POST", "overlays", #"{"name": "logo", "kind": "text", "text": "x"}"#, 409, "name_taken",
      #"There is an overlay "logo" already."#
    ),
    (
      "POST", "overlays", #"{"name": "main", "kind": "text", "text": "x"}"#, 400, "unfit_name",
      "An overlay needs a name of its own"
    ),
    (
      "POST", "overlays", #"{"name": 3, "kind": "text"}"#, 400, "not_understood", "must be text"
    ),
    (
      "POST", "overlays", #"{"kind": "text", "color": "x"}"#, 400, "not_understood",
      #"did you mean "colour"?"#
    ),
    ("POST", "overlays", #"{"kind": "film"}"#, 400, "unfit_settings", ""),
    ("POST", "overlays", #"{"name": "b"}"#, 400, "unfit_settings", "is missing"),
    ("PUT", "filters", #"[{"name": "b"}]"#, 400, "unfit_settings", "is missing"),
    ("POST", "relays", #"{"name": "b", "key": "k"}"#, 400, "unfit_settings", "is missing"),
    (
      "POST", "overlays", #"{"kind": "image", "file": "/etc/passwd"}"#, 400, "unfit_settings",
      ""
    ),
    ("POST", "overlays", #"{"removed": true}"#, 400, "not_understood", ""),
    ("POST", "overlays", "[]", 400, "not_understood", "JSON object"),
    ("PUT", "overlays", "{}", 400, "not_understood", "list"),
    ("PUT", "overlays", #"[{"kind": "text"}]"#, 400, "unfit_name", ""),
    (
      "PUT", "overlays", "[\(Array(repeating: "{}", count: 17).joined(separator: ","))]", 422,
      "unfit_settings", "at most 16 overlays"
    ),
    (
      "PATCH", "overlays/lgoo", #"{"enabled": true}"#, 404, "unknown_overlay",
      #"There is no overlay "lgoo"; did you mean "logo"?"#
    ),
    ("PATCH", "overlays/logo", #"{"name": "other"}"#, 404, "unknown_overlay", ""),
    ("PATCH", "overlays/logo", #"{"x": "far"}"#, 400, "unfit_settings", ""),
    ("PATCH", "overlays/logo", #"{"x": [1]}"#, 400, "unfit_settings", ""),
    ("DELETE", "overlays/none", "", 404, "unknown_overlay", ""),
    ("DELETE", "relays/none", "", 404, "unknown_relay", #"There is no relay "none"."#),
  ]

  /// More than twenty changes at a time are refused, so they are made in two parts.
  @Test(arguments: [mistakes.prefix(14), mistakes.dropFirst(14)])
  func aMistakeIsToldWithItsCode(
    mistakes: ArraySlice<(String, String, String, Int, String, String)>
  ) async throws {
    try await ServedStation.run { box in
      _ = Self.ask(box, "POST", "overlays", #"{"name": "logo", "kind": "text", "text": "x"}"#)
      for (method, path, body, status, code, sentence) in mistakes {
        let answer = Self.ask(box, method, path, body)
        #expect(answer.status == status && answer.code == code, "\(method) \(path) \(body)")
        #expect(sentence.isEmpty || answer.sentence.contains(sentence), "\(answer.sentence)")
      }
      #expect(box.station.settings.overlays.map(\.name) == ["logo"])
    }
  }

  /// Filters have the same routes. Operators switch none: a privacy mask is among them.
  @Test func filtersAreAListLikeOverlays() async throws {
    try await ServedStation.run { box in
      let mask = #"{"kind": "mask", "x": 0.5, "width": 0.25}"#
      let added = Self.ask(box, "POST", "filters", mask)
      #expect(added.status == 200 && added.body["name"] as? String == "mask-1")
      let one = try #require(Self.ask(box, "GET", "filters").list.first)
      #expect(one["state"] as? String == "on" && one["height"] as? Double == 1)
      #expect(Set(one.keys) == Set(FilterSettings.list.fieldNames + ["name", "state", "sentence"]))
      let off = #"{"enabled": false}"#
      #expect(Self.ask(box, "PATCH", "filters/mask-1", off, scope: "control").status == 403)
      #expect(Self.ask(box, "PATCH", "filters/mask-1", off).status == 200)
      #expect(Self.ask(box, "GET", "filters").list.first?["state"] as? String == "off")
      #expect(Self.ask(box, "DELETE", "filters/mask").sentence.contains("did you mean"))
      #expect(Self.ask(box, "DELETE", "filters/mask-1").status == 200)
      #expect(box.station.settings.filters.isEmpty)
    }
  }

  /// Operators show and hide overlays and set their texts: a lower third is a part of operating. They change nothing else.
  @Test func operatorsShowAndHide() async throws {
    try await ServedStation.run { box in
      _ = Self.ask(box, "POST", "overlays", #"{"name": "a", "kind": "text", "text": "x"}"#)
      for scope in ["operate", "control"] {
        func status(_ method: String, _ path: String, _ body: String) -> Int {
          Self.ask(box, method, path, body, scope: scope).status
        }
        #expect(status("PATCH", "overlays/a", #"{"enabled": false}"#) == 200)
        #expect(box.station.settings.overlays.first?.enabled == false)
        #expect(status("PATCH", "overlays/a", #"{"enabled": true}"#) == 200)
        #expect(status("PATCH", "text/score", #"{"text": "\#(scope)"}"#) == 200)
        #expect(box.station.texts == [BoardText(name: "score", text: scope)])
        for body in [#"{"text": "y"}"#, #"{"enabled": false, "x": 0.5}"#] {
          let answer = Self.ask(box, "PATCH", "overlays/a", body, scope: scope)
          #expect(answer.status == 403 && answer.code == "scope_too_small")
        }
        #expect(status("POST", "overlays", #"{"kind": "text", "text": "x"}"#) == 403)
        #expect(status("PUT", "overlays", "[]") == 403)
        #expect(status("DELETE", "overlays/a", "") == 403)
        #expect(status("PATCH", "relays/a", #"{"enabled": false}"#) == 403)
      }
      #expect(
        Self.ask(box, "PATCH", "overlays/a", #"{"enabled": false}"#, scope: "read").status == 403)
      #expect(Self.ask(box, "PATCH", "text/score", #"{"text": "x"}"#, scope: "read").status == 403)
      #expect(Self.ask(box, "GET", "overlays", scope: "read").list.count == 1)
      #expect(Self.ask(box, "GET", "text", scope: "read").list.count == 1)
      let overlay = try #require(box.station.settings.overlays.first)
      #expect(overlay.enabled && overlay.text == "x" && overlay.x == 0.1)
    }
  }

  @Test func textsAreSetAndListed() async throws {
    try await ServedStation.run { box in
      func set(_ name: String, _ body: String) -> Answer {
        Self.ask(box, "PATCH", "text/\(name)", body)
      }
      #expect(set("score", #"{"text": "2 : 1"}"#).body["changed"] as? Bool == true)
      #expect(set("score", #"{"text": "2 : 1"}"#).body["changed"] as? Bool == false)
      #expect(set("away", #"{"text": "Bär"}"#).status == 200)
      let listed = Self.ask(box, "GET", "text").list.map { $0["name"] as? String }
      #expect(listed == ["away", "score"])
      #expect(set("away", #"{"text": ""}"#).status == 200)
      #expect(box.station.texts == [BoardText(name: "score", text: "2 : 1")])
      #expect(set("a%20b", #"{"text": "x"}"#).code == "unfit_name")
      #expect(set("a", #"{"text": "\u0007"}"#).code == "unfit_text")
      for body in ["", "{}", #"{"text": 3}"#, #"{"text": "x", "more": 1}"#, #"{"text": null}"#] {
        #expect(set("a", body).code == "not_understood", "\(body)")
      }
    }
  }
}
