// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import FoundationEssentials
import Posix
import TestSupport
import Testing

@testable import Box
@testable import Control
@testable import Events

@Suite struct UpdateRouteTests {
  private static let bundle = "hsqs and the rest of a bundle"

  private func put(_ body: String) -> String { ServedStation.request("PUT", "/api/update", body) }

  private func fetch(_ url: String) -> String {
    ServedStation.request("POST", "/api/update", "{\"url\": \"\(url)\"}")
  }

  private func read(_ path: String) -> String? {
    (try? File.read(path, limit: 1_000)).map { String(decoding: $0.bytes, as: UTF8.self) }
  }

  private func say(_ text: String, in name: String, of box: ServedStation) throws {
    try Data(text.utf8).write(to: URL(filePath: "\(box.updates.results)/\(name)"))
  }

  private func state(_ box: ServedStation) -> String {
    ServedStation.send(
      ServedStation.get("/api/update"), to: ControlClient.socket(in: box.directory))
  }

  /// Updates of this box, apart from those that its station looks at.
  private func update(of box: ServedStation) -> SystemUpdate {
    SystemUpdate(
      environment: [
        "ONAIR_UPDATES": box.updates.results, "RUNTIME_DIRECTORY": box.updates.requests,
      ], directory: box.directory)
  }

  @Test func aBundleIsHandedOver() async throws {
    try await ServedStation.run { box in
      #expect(state(box).contains(#""state":"idle""#))
      #expect(box.tcp(put(Self.bundle), box.token("admin")).contains(" 200 "))
      #expect(read("\(box.directory)/\(SystemUpdate.bundleName)") == Self.bundle)
      #expect(read("\(box.updates.requests)/\(SystemUpdate.requestName)") == "file\n")
      #expect(state(box).contains(#""state":"waiting""#))
      for request in [put(Self.bundle), fetch("https://example.org/a.raucb")] {
        #expect(box.tcp(request, box.token("admin")).contains(" 409 "), "one at a time")
      }
    }
  }

  @Test func anAddressIsHandedOver() async throws {
    try await ServedStation.run { box in
      for address in ["", "file:///etc/passwd", "--help", "https://a b", "http://\\u000a"] {
        #expect(box.tcp(fetch(address), box.token("admin")).contains(" 400 "), "\(address)")
      }
      #expect(box.tcp(fetch("https://example.org/a.raucb"), box.token("control")).contains(" 403 "))
      #expect(File.names(in: box.updates.requests) == [])
      #expect(box.tcp(fetch("https://example.org/a.raucb"), box.token("admin")).contains(" 200 "))
      #expect(
        read("\(box.updates.requests)/\(SystemUpdate.requestName)")
          == "https://example.org/a.raucb\n")
    }
  }

  /// Older systems are refused by root's helper, unless they are asked for on purpose.
  @Test func anOlderOneIsAskedForOnPurpose() async throws {
    let address = "https://example.org/a.raucb"
    func fetch(_ older: String) -> String {
      ServedStation.request("POST", "/api/update", #"{"url": "\#(address)", "older": \#(older)}"#)
    }
    func put(_ query: String) -> String {
      ServedStation.request("PUT", "/api/update\(query)", Self.bundle)
    }
    let cases: [(request: String, asked: String?)] = [
      (fetch("true"), "\(address)\nolder\n"), (fetch("false"), "\(address)\n"), (fetch("1"), nil),
      (put("?older=1"), "file\nolder\n"), (put("?older=0"), "file\n"), (put("?older=yes"), nil),
    ]
    for (request, asked) in cases {
      try await ServedStation.run { box in
        let answer = box.tcp(request, box.token("admin"))
        #expect(answer.contains(asked == nil ? " 400 " : " 200 "), "\(answer)")
        #expect(read("\(box.updates.requests)/\(SystemUpdate.requestName)") == asked)
      }
    }
  }

  @Test func anAddressWithoutTLSIsWarnedOf() async throws {
    for (address, isWarned) in [("http://a/b", true), ("https://a/b", false)] {
      try await ServedStation.run { box in
        let answer = box.tcp(fetch(address), box.token("admin"))
        #expect(answer.contains(" 200 ") && answer.contains("not https:") == isWarned, "\(answer)")
      }
    }
  }

  @Test func whatIsNoBundleIsNotKept() async throws {
    try await ServedStation.run { box in
      for body in ["", "h", "hsq", "PK and the rest of an archive"] {
        #expect(box.tcp(put(body), box.token("admin")).contains(#""code":"no_bundle""#), "\(body)")
      }
      #expect(File.names(in: box.updates.requests) == [])
      // It is removed once the answer is on its way.
      #expect(
        eventually {
          !File.names(in: box.directory).contains { $0.hasPrefix(SystemUpdate.bundleName) }
        })
      let long = put(Self.bundle).replacing(
        /Content-Length: [0-9]+/, with: "Content-Length: \(SystemUpdate.maxBytes + 1)")
      #expect(box.tcp(long, box.token("admin")).contains(" 413 "))
      #expect(state(box).contains(#""state":"idle""#))
    }
  }

  @Test func aBroadcastIsNotInterrupted() async throws {
    try await ServedStation.run { box in
      _ = ServedStation.send(
        ServedStation.request(
          "PATCH", "/api/settings",
          #"{"publish.url": "rtmp://127.0.0.1:1/live", "publish.key": "x"}"#),
        to: ControlClient.socket(in: box.directory))
      let started = box.tcp(ServedStation.request("POST", "/api/start"), box.token("admin"))
      #expect(started.contains(" 200 "), "\(started)")
      for request in [put(Self.bundle), fetch("https://example.org/a.raucb")] {
        #expect(box.tcp(request, box.token("admin")).contains(#""code":"on_air""#))
      }
      #expect(File.names(in: box.updates.requests) == [])
    }
  }

  @Test func theImageSaysHowItGoes() async throws {
    try await ServedStation.run { box in
      try say("downloading\n", in: "progress", of: box)
      #expect(state(box).contains(#""state":"downloading""#))
      #expect(box.tcp(put(Self.bundle), box.token("admin")).contains(#""code":"busy""#))
      try say("nonsense\n", in: "progress", of: box)
      #expect(state(box).contains(#""state":"idle""#))
      try say("", in: "trying", of: box)
      #expect(state(box).contains(#""state":"trying""#))
      try say("The update was undone.\n", in: "result", of: box)
      #expect(state(box).contains(#""sentence":"The update was undone.""#))
    }
  }

  /// A request that nothing takes is given up, and what the image says is told as an event.
  @Test func whatBecomesOfARequestIsTold() async throws {
    try await ServedStation.run { box in
      let update = update(of: box)
      func look(_ seconds: Int64) -> [SystemUpdate.Report] {
        update.check(MediaTime(nanos: .seconds(seconds)))
      }
      #expect(look(1).isEmpty)
      _ = try update.fetch("https://example.org/a.raucb")
      #expect(look(2).isEmpty && look(61).isEmpty)
      #expect(update.state.state == .waiting)
      let reports = look(62)
      #expect(reports.map(\.code) == [.updateFailed])
      #expect(update.state.state == .idle && update.state.sentence == reports.first?.sentence)
      #expect(File.names(in: box.updates.requests) == [])
      // The next request says nothing of the one before.
      _ = try update.fetch("https://example.org/a.raucb")
      #expect(update.state.sentence == nil)
      let results: [(sentence: String, code: Event.Code)] = [
        ("The update cannot be downloaded: curl: (6) Could not resolve host", .updateFailed),
        ("The update is installed and is tried now.", .updating),
        ("The update in slot b is confirmed: it can stream.", .updated),
        ("The update was undone: it was interrupted.", .updateFailed),
      ]
      for (number, result) in results.enumerated() {
        try say("\(result.sentence)\n", in: "result", of: box)
        let reports = look(70 + Int64(number))
        #expect(reports.map(\.code) == [result.code], "\(result.sentence)")
        #expect(update.state.sentence == result.sentence)
      }
      #expect(look(80).isEmpty)
    }
  }

  /// When the image takes a request just as OnAir withdraws it, the update goes on, and its bundle stays. A folder in
  /// the request's place stands for that moment: it is listed, and cannot be unlinked.
  @Test func aRequestThatOnAirCannotWithdrawIsNotGivenUp() async throws {
    try await ServedStation.run { box in
      let update = update(of: box)
      File.makePrivateFolder("\(box.updates.requests)/\(SystemUpdate.requestName)")
      let bundle = "\(box.directory)/\(SystemUpdate.bundleName)"
      try Data("hsqs".utf8).write(to: URL(filePath: bundle))
      for seconds in [1, 61, 122] {
        #expect(update.check(MediaTime(nanos: .seconds(Int64(seconds)))).isEmpty)
      }
      #expect(read(bundle) == "hsqs" && update.state.sentence == nil)
    }
  }

  @Test func whoAsksIsTold() async throws {
    try await ServedStation.run { box in
      _ = box.tcp(fetch("https://example.org/a.raucb"), box.token("admin"))
      let event = box.station.events.newest.last
      #expect(event?.code == .updating)
      #expect(event?.sentence.contains(/with the token admin(-\d)?\.$/) == true)
    }
  }

  /// A box whose system is not OnAir's.
  @Test func withoutAnImageThereIsNone() throws {
    let update = SystemUpdate(
      environment: ["RUNTIME_DIRECTORY": "/run/onair"], directory: "/nowhere")
    #expect(!update.state.available)
    #expect(throws: UpdateError.self) { _ = try update.beginUpload() }
    #expect(throws: UpdateError.self) { _ = try update.fetch("https://example.org/a.raucb") }
  }
}
