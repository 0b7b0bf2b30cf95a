// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Foundation
import TestSupport
import Testing

@testable import Box
@testable import Control

/// `/api/audio` and `/api/tracks`.
@Suite struct AudioRouteTests {
  private struct Answer {
    let status: Int
    let json: Any?
    var body: [String: Any] { json as? [String: Any] ?? [:] }
    var code: String { body["code"] as? String ?? "" }
    var tracks: [[String: Any]] { body["tracks"] as? [[String: Any]] ?? [] }

    init(_ text: String) {
      status = Int(text.dropFirst(9).prefix(3)) ?? 0
      let bytes = text.components(separatedBy: "\r\n\r\n").dropFirst().joined()
      json = try? JSONSerialization.jsonObject(with: Data(bytes.utf8))
    }

    subscript(_ track: String) -> [String: Any] {
      tracks.first { $0["name"] as? String == track } ?? [:]
    }
  }

  private func ask(
    _ box: ServedStation, _ method: String, _ path: String, _ body: String = "",
    scope: String? = nil
  ) -> Answer {
    let request = ServedStation.request(method, "/api/\(path)", body)
    return Answer(
      scope.map { box.tcp(request, box.token($0)) }
        ?? ServedStation.send(request, to: ControlClient.socket(in: box.directory)))
  }

  @Test func stripsAreShownAndChanged() async throws {
    try await ServedStation.run { box in
      var audio = ask(box, "GET", "audio", scope: "read")
      #expect(audio.status == 200 && audio.body["state"] as? String == "closed")
      #expect(audio.tracks.map { $0["name"] as? String } == ["main", "music"])
      #expect(audio["main"]["kind"] as? String == "microphone")
      #expect(audio["main"]["state"] as? String == "closed")
      #expect(audio["main"]["volume"] as? Double == 50)
      #expect(audio["music"]["state"] as? String == "off" && audio["music"]["pan"] == nil)
      #expect(audio.body["levels"] == nil && audio.body["loudness"] == nil)
      #expect((audio.body["alarms"] as? [Any])?.isEmpty == true)

      let added = ask(
        box, "POST", "tracks", #"{"name": "guest", "source": "microphone:hw:7,0", "volume": 40}"#)
      #expect(added.status == 200)
      let change = ask(
        box, "PATCH", "audio",
        """
        {"scene": "speech", "target_lufs": -16, "duck_db": 15.5, "tracks": [
          {"name": "main", "gain_db": 3, "pan": -20}, {"name": "guest", "mute": true, "delay_ms": 40}]}
        """)
      #expect(change.status == 200 && change.body["changed"] as? Bool == true)
      audio = ask(box, "GET", "audio")
      #expect(audio.body["scene"] as? String == "speech")
      #expect(audio.body["target_lufs"] as? Int == -16)
      #expect((audio.body["ducking"] as? [String: Any])?["depth_db"] as? Double == 15.5)
      #expect(audio["main"]["gain_db"] as? Double == 3 && audio["main"]["pan"] as? Int == -20)
      #expect(
        audio["main"]["denoise"] as? Int == 15 && audio["main"]["hum_filter"] as? Bool == true)
      #expect(audio["guest"]["mute"] as? Bool == true && audio["guest"]["delay_ms"] as? Int == 40)
      #expect(audio["guest"]["volume"] as? Double == 40)
      #expect(audio["guest"]["source"] as? String == "microphone:hw:7,0")

      // A value of null gets its default again.
      #expect(ask(box, "PATCH", "audio", #"{"scene": null}"#).status == 200)
      #expect(ask(box, "GET", "audio").body["scene"] as? String == "off")
      #expect(ask(box, "PATCH", "tracks/guest", #"{"enabled": false}"#).status == 200)
      audio = ask(box, "GET", "audio")
      #expect(audio["guest"]["state"] as? String == "off")
      let list = ask(box, "GET", "tracks").json as? [[String: Any]]
      #expect(list?.count == 1 && list?[0]["state"] as? String == "off")
      #expect(ask(box, "DELETE", "tracks/guest").status == 200)
      #expect(ask(box, "GET", "audio").tracks.count == 2)
    }
  }

  @Test func whoOperatesMaySetVolumeAndMute() async throws {
    try await ServedStation.run { box in
      let volume = #"{"tracks": [{"name": "main", "volume": 30, "mute": true}]}"#
      #expect(ask(box, "PATCH", "audio", volume, scope: "read").status == 403)
      #expect(ask(box, "PATCH", "audio", volume, scope: "operate").status == 200)
      #expect(ask(box, "GET", "audio")["main"]["volume"] as? Double == 30)
      for body in [
        #"{"scene": "music"}"#, #"{"target_lufs": -16}"#,
        #"{"tracks": [{"name": "main", "volume": 30, "gain_db": 2}]}"#,
      ] {
        let answer = ask(box, "PATCH", "audio", body, scope: "operate")
        #expect(answer.status == 403 && answer.code == "scope_too_small", "\(body)")
      }
    }
  }

  @Test func mistakesChangeNothing() async throws {
    try await ServedStation.run { box in
      let before = box.station.settings
      for (body, status, code) in [
        ("[]", 400, "not_understood"), (#"{"scenes": "off"}"#, 400, "not_understood"),
        (#"{"tracks": {"main": 1}}"#, 400, "not_understood"),
        (#"{"tracks": [{"volume": 1}]}"#, 400, "not_understood"),
        (#"{"tracks": [{"name": "main", "enabled": true}]}"#, 400, "not_understood"),
        (#"{"tracks": [{"name": "main", "source": "tone"}]}"#, 400, "not_understood"),
        (#"{"tracks": [{"name": "music", "volume": 1}]}"#, 400, "not_understood"),
        (#"{"tracks": [{"name": "main"}, {"name": "main"}]}"#, 400, "not_understood"),
        (#"{"tracks": [{"name": "guest", "volume": 1}]}"#, 400, "unknown_track"),
        (
          #"{"tracks": [{"name": "main", "volume": 10}, {"name": "x", "pan": 1}]}"#, 400,
          "unknown_track"
        ),
        (#"{"target_lufs": -5}"#, 400, "unfit_settings"), (#"{"scene": 1}"#, 400, "unfit_settings"),
        (#"{"tracks": [{"name": "main", "volume": 101}]}"#, 400, "unfit_settings"),
      ] {
        let answer = ask(box, "PATCH", "audio", body)
        #expect(answer.code == code, "\(body): \(answer.body)")
        #expect(answer.status == status || code == "unfit_settings", "\(body)")
      }
      #expect(box.station.settings == before)
    }
  }

  /// "main" and "music" are no names of further tracks, and there are at most three.
  @Test func namesAndTheNumberOfTracksAreChecked() async throws {
    try await ServedStation.run { box in
      for name in ["main", "music", "a b"] {
        let answer = ask(box, "POST", "tracks", #"{"name": "\#(name)", "source": "tone"}"#)
        #expect(answer.status == 400 && answer.code == "unfit_name", "\(name)")
      }
      for name in ["a", "b", "c"] {
        #expect(
          ask(box, "POST", "tracks", #"{"name": "\#(name)", "source": "tone"}"#).status == 200)
      }
      let excess = ask(box, "POST", "tracks", #"{"name": "d", "source": "tone"}"#)
      #expect(excess.code == "unfit_settings")
      let audio = try ControlClient.audio(directory: box.directory)
      #expect(audio.tracks.map(\.name) == ["main", "a", "b", "c", "music"])
      #expect(audio.tracks[1].words == "a: closed, volume 50. A test tone.")
    }
  }
}
