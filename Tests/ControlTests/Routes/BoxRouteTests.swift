// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Access
import Foundation
import Settings
import Testing

@testable import Box
@testable import Control
@testable import Figures

/// Routes about the box itself. In a process of their own, as `APITests`.
@Suite struct BoxRouteTests {
  @Test func theBoxHasANameAndAZone() async {
    await #expect(processExitsWith: .success) {
      try await ServedStation.run { box in
        let before = box.both(ServedStation.get("/api/status"))[0]
        #expect(!before.contains("play_url"))
        _ = box.both(
          ServedStation.request(
            "PATCH", "/api/settings",
            #"{"box.name": "Town hall", "box.zone": "UTC", "publish.play_url": "https://example.org/a?b=c"}"#
          ))
        for status in box.both(ServedStation.get("/api/status")) {
          #expect(status.contains(#""name":"Town hall""#) && status.contains(#""zone":"UTC""#))
          #expect(status.contains(#""play_url":"https://example.org/a?b=c""#))
        }
        #expect(box.tcp(ServedStation.get("/api/session")).contains(#""name":"Town hall""#))
      }
    }
  }

  @Test func theLinkForViewersHasACode() async {
    await #expect(processExitsWith: .success) {
      try await ServedStation.run { box in
        #expect(
          box.both(ServedStation.get("/api/watch.svg")).allSatisfy {
            $0.hasPrefix("HTTP/1.1 409") && $0.contains("no_play_url")
          })
        _ = box.both(
          ServedStation.request(
            "PATCH", "/api/settings", #"{"publish.play_url": "https://example.org/"}"#))
        let image = try #require(QRCode("https://example.org/")).svg
        for answer in box.both(ServedStation.get("/api/watch.svg")) {
          #expect(answer.hasPrefix("HTTP/1.1 200") && answer.contains("image/svg+xml"))
          #expect(answer.hasSuffix(image))
        }
        #expect(box.tcp(ServedStation.get("/api/watch.svg")).hasPrefix("HTTP/1.1 401"))
      }
    }
  }

  @Test func theMachineIsRestartedByWhoMay() async {
    await #expect(processExitsWith: .success) {
      try await ServedStation.run { box in
        for path in ["restart", "shutdown"] {
          let request = ServedStation.request("POST", "/api/box/\(path)")
          #expect(box.tcp(request, box.token("control")).hasPrefix("HTTP/1.1 403"))
          #expect(box.tcp(request).hasPrefix("HTTP/1.1 401"))
          #expect(
            box.tcp(
              ServedStation.request("POST", "/api/box/\(path)", #"{"force": true}"#),
              box.token("admin")
            )
            .hasPrefix("HTTP/1.1 400"))
        }
        #expect(box.machine.methods.isEmpty)
        #expect(
          box.tcp(ServedStation.request("POST", "/api/box/restart"), box.token("admin")).contains(
            "The machine restarts."))
        #expect(box.machine.methods == ["Reboot"])

        _ = box.both(
          ServedStation.request(
            "PATCH", "/api/settings", #"{"publish.url": "rtmp://127.0.0.1:9/a/b"}"#))
        _ = box.both(ServedStation.request("POST", "/api/start"))
        let shutdown = ServedStation.request("POST", "/api/box/shutdown")
        for answer in box.both(shutdown) {
          #expect(answer.hasPrefix("HTTP/1.1 409") && answer.contains("on_air"))
        }
        #expect(box.machine.methods == ["Reboot"])
        let forced = ServedStation.request("POST", "/api/box/shutdown", #"{"even_live": true}"#)
        #expect(box.both(forced).allSatisfy { $0.hasPrefix("HTTP/1.1 200") })
        #expect(box.machine.methods == ["Reboot", "PowerOff", "PowerOff"])
      }
    }
  }

  /// A file with secrets is given for the password alone, and taken over as a whole or not at all.
  @Test func settingsToAFileAndBack() async {
    await #expect(processExitsWith: .success) {
      try await ServedStation.run { box in
        _ = box.both(
          ServedStation.request(
            "PATCH", "/api/settings",
            #"{"publish.url": "rtmp://a.example.net/app", "publish.key": "s3cret", "video.mirror": true}"#
          ))
        let plain = body(box.tcp(ServedStation.get("/api/settings/export"), box.token("read")))
        #expect(plain.contains("video.mirror = true\n") && !plain.contains("s3cret"))
        func export(_ json: String, _ scope: String = "admin") -> String {
          box.tcp(ServedStation.request("POST", "/api/settings/export", json), box.token(scope))
        }
        let right =
          #"{"passphrase": "three plain words", "password": "\#(ServedStation.password)"}"#
        #expect(export(right, "control").contains("scope_too_small"))
        #expect(export(#"{"passphrase": "three plain words"}"#).contains("password_needed"))
        #expect(
          export(#"{"passphrase": "three plain words", "password": "not this one"}"#).hasPrefix(
            "HTTP/1.1 403"))
        #expect(
          export(#"{"passphrase": "short", "password": "\#(ServedStation.password)"}"#).contains(
            "unfit_passphrase"))
        let sealed = body(export(right))
        #expect(sealed.hasPrefix("onair-sealed-1 ") && !sealed.contains("s3cret"))

        func take(_ text: String, _ passphrase: String? = nil, check: Bool = false) -> String {
          var fields = ["text": text]
          fields["passphrase"] = passphrase
          let json = String(decoding: JSON.encode(fields), as: UTF8.self)
          return box.tcp(
            ServedStation.request(
              "POST", "/api/settings/import\(check ? "?check=true" : "")", json),
            box.token("admin"))
        }
        #expect(take(sealed).contains("passphrase_needed"))
        #expect(take(sealed, "three plain word").contains("wrong_passphrase"))
        #expect(take(String(sealed.prefix(90)), "three plain words").contains("unreadable_file"))
        #expect(take("video.fps = 1000\nbox.name = \"x\"").contains(#""key":"video.fps""#))
        #expect(take("video.fps 25").contains(#""place":"settings:1:"#))
        #expect(box.station.settings.video.look.mirror && box.station.settings.box.name == "")
        #expect(take("box.name = \"x\"", check: true).contains("The change can be made."))
        #expect(box.station.settings.box.name == "")
        #expect(take("box.name = \"x\"").contains(#""ok":true"#))
        #expect(!box.station.settings.video.look.mirror && box.station.settings.box.name == "x")
        // Another server without its key, and a file of the box.
        #expect(
          take("publish.url = \"rtmp://b.example.net/app\"").contains(#""key":"publish.key""#))
        #expect(take("publish.key_file = \"/etc/shadow\"").contains("names a file of the box"))
        #expect(take(sealed, "three plain words").contains(#""ok":true"#))
        #expect(box.station.settings.video.look.mirror && box.station.settings.box.name == "")
      }
    }
  }

  /// A parameter that is misspelt must not make a change that was only to be checked.
  @Test func unknownParametersAreRefusedWhereSomethingChanges() async {
    await #expect(processExitsWith: .success) {
      try await ServedStation.run { box in
        let change = #"{"video.fps": 20}"#
        for (method, path, body) in [
          ("PATCH", "/api/settings?chek=true", change),
          ("PATCH", "/api/settings?check=true&x=1", change),
          ("POST", "/api/mute?now=1", ""), ("PUT", "/api/relays?check=true", "[]"),
          ("DELETE", "/api/relays/none?check=true", ""),
          ("POST", "/api/settings/import?trial=true", "{}"),
        ] {
          for answer in box.both(ServedStation.request(method, path, body)) {
            #expect(answer.hasPrefix("HTTP/1.1 400"), "\(path): \(answer.prefix(200))")
            #expect(answer.contains("There is no parameter"))
          }
        }
        #expect(box.station.settings.video.fps == 25)
        #expect(
          box.both(ServedStation.get("/api/status?at=123")).allSatisfy {
            $0.hasPrefix("HTTP/1.1 200")
          })
        let check = ServedStation.request("PATCH", "/api/settings?check=true", change)
        #expect(box.both(check).allSatisfy { $0.hasPrefix("HTTP/1.1 200") })
      }
    }
  }

  /// What a person mistypes is told as it is.
  @Test func oddChangesAreToldAsTheyAre() async {
    await #expect(processExitsWith: .success) {
      try await ServedStation.run { box in
        for (change, part) in [
          (#"{"video": {"fps": 20}}"#, #"name each setting in full, as in \"video."#),
          (#"{"": 1}"#, #"there is no such setting; \"onair settings\" lists them all"#),
          (#"{"audio.gain_db": 1e400}"#, "not a number beyond all bounds"),
          (#"{"audio.gain_db": [1]}"#, "not a list or an object"),
        ] {
          for answer in box.both(ServedStation.request("PATCH", "/api/settings", change)) {
            #expect(
              answer.hasPrefix("HTTP/1.1 400") && answer.contains(part), "\(change): \(answer)")
          }
        }
      }
    }
  }
}

/// What stands below the head of an answer.
private func body(_ answer: String) -> String {
  answer.firstRange(of: "\r\n\r\n").map { String(answer[$0.upperBound...]) } ?? ""
}
