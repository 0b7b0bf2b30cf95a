// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Foundation
import TestSupport
import Testing

@testable import Box
@testable import Control

/// `/api/music` and `/api/volumes`, off air: music waits until a broadcast or a preview needs it.
@Suite struct MusicRouteTests {
  private struct Answer {
    let status: Int
    let body: [String: Any]
    var code: String { body["code"] as? String ?? "" }
    var state: String { body["state"] as? String ?? "" }

    init(_ text: String) {
      status = Int(text.dropFirst(9).prefix(3)) ?? 0
      let bytes = text.components(separatedBy: "\r\n\r\n").dropFirst().joined()
      body = (try? JSONSerialization.jsonObject(with: Data(bytes.utf8))) as? [String: Any] ?? [:]
    }
  }

  @Test func musicIsPlayedPausedAndStopped() async throws {
    try await ServedStation.run { box in
      func ask(_ method: String, _ path: String, _ body: String = "", scope: String = "operate")
        -> Answer
      {
        // Over TCP there are only so many changes a minute.
        let request = ServedStation.request(method, "/api/\(path)", body)
        let isRemote = body.contains(":/") || scope != "operate"
        return Answer(
          isRemote
            ? box.tcp(request, box.token(scope))
            : ServedStation.send(request, to: ControlClient.socket(in: box.directory)))
      }
      #expect(ask("GET", "music", scope: "read").state == "stopped")
      #expect(ask("POST", "music", scope: "read").status == 403)
      for (word, code) in [("pause", "music_not_playing"), ("resume", "music_not_paused")] {
        let answer = ask("POST", "music/\(word)")
        #expect(answer.status == 409 && answer.code == code)
      }
      #expect(ask("POST", "music/stop").body["changed"] as? Bool == false)
      #expect(ask("POST", "music").code == "no_music")
      // Files of the box are not named from elsewhere, and none is found out.
      for source in ["file:/etc/hostname", "file:/no/such/file", "folder:/etc", "shuffle:/media/x"]
      {
        let answer = ask("POST", "music", #"{"source": "\#(source)"}"#)
        #expect(answer.status == 400 && answer.code == "media_only", "\(source)")
      }
      for body in [
        #"{"source": "ftp://x/"}"#, #"{"source": "https://u:p@x/"}"#, #"{"volume": 101}"#,
        #"{"sauce": "file:media/a.mp3"}"#, #"{"loop": 1}"#, "[]",
      ] {
        #expect(ask("POST", "music", body).status == 400, "\(body)")
      }
      #expect(ask("POST", "music", #"{"source": "file:media/none.mp3"}"#).code == "no_such_file")

      let started = ask(
        "POST", "music", #"{"source": "https://radio.example/live", "loop": true, "volume": 40}"#)
      #expect(started.status == 200 && started.body["changed"] as? Bool == true)
      var music = ask("GET", "music", scope: "read")
      #expect(music.state == "waiting" && music.body["volume"] as? Int == 40)
      #expect(music.body["source"] as? String == "https://radio.example/live")
      #expect(music.body["loop"] as? Bool == true && music.body["position_seconds"] == nil)
      #expect(ask("POST", "music/resume").code == "music_not_paused")
      #expect(ask("POST", "music/pause").status == 200)
      #expect(ask("POST", "music/pause").code == "music_not_playing")
      #expect(ask("GET", "music", scope: "read").state == "paused")
      #expect(ask("POST", "music/resume").status == 200)
      #expect(ask("POST", "music/stop").status == 200)
      music = ask("GET", "music", scope: "read")
      #expect(music.state == "stopped" && music.body["source"] == nil)

      #expect(ask("POST", "volumes", #"{"voice": 0, "music": 100}"#).status == 200)
      #expect(ask("POST", "volumes", #"{"music": 100}"#).body["changed"] as? Bool == false)
      #expect(ask("POST", "volumes", #"{"voice": -1}"#).code == "unfit_volume")
      music = ask("GET", "music", scope: "read")
      #expect(music.body["volume"] as? Int == 100 && music.body["voice_volume"] as? Int == 0)
      // A new value of the setting counts from then on.
      #expect(ask("PATCH", "settings", #"{"music.volume": 30}"#, scope: "admin").status == 200)
      #expect(
        eventually {
          box.station.studio.adjust()
          return box.station.music.volume == 30
        })
      let codes = box.station.events.newest.map(\.code.rawValue).filter { $0.hasPrefix("music") }
      #expect(codes == ["music_paused", "music_resumed", "music_stopped"])
    }
  }

  /// On the box itself any file can be named.
  @Test func aFileThatCannotBePlayedIsTold() async throws {
    try await ServedStation.run { box in
      let path = "\(box.directory)/../song.mp3"
      try Data("no music".utf8).write(to: URL(filePath: path))
      let reply = try ControlClient.startMusic(
        "file:\(path)", loops: nil, volume: nil, directory: box.directory)
      #expect(reply.ok && reply.changed)
      #expect(
        eventually {
          box.station.events.newest.contains { $0.code == .musicFailed && $0.cause == "not_media" }
        })
      #expect(try ControlClient.music(directory: box.directory).state == "stopped")
      #expect(
        try ControlClient.music("pause", directory: box.directory).code == "music_not_playing")
    }
  }
}
