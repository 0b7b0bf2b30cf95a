// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Capture
import Settings
import Testing

@testable import Box
@testable import Studio

/// What the status says of the headphones at the box.
@Suite struct StatusMonitorTests {
  private func headphones(
    _ source: String = "programme", isOpen: Bool = true, code: String? = "running",
    delay: Int64? = 24_400_000, isHeard: Bool = true
  ) throws -> Status.Headphones {
    let settings = try Configuration.load(
      file: nil, overrides: ["audio.monitor=hw:1,0", "audio.monitor_source=\(source)"],
      environment: [:]
    ).settings.audio.monitor
    let report = code.map {
      SourceReport(
        state: $0 == "running" ? .running : .trouble, code: $0, sentence: "Plug them in.")
    }
    return Status.Headphones(
      MonitorState(settings: settings, isOpen: isOpen, report: report, delayNanos: delay),
      isHeard: isHeard)
  }

  @Test func eachStateHasASentence() throws {
    #expect(
      try headphones().sentence == "They play what viewers hear, 24 ms after it was made.")
    #expect(try headphones().delayMs == 24 && (try headphones().state) == "on")
    let voice = try headphones("main")
    #expect(voice.source == "main" && voice.sentence.contains("the sound of main, 24 ms"))
    #expect(try headphones(delay: nil).sentence.contains("nothing comes"))
    let private_ = try headphones(isHeard: false)
    #expect(private_.state == "private" && private_.sentence.contains("viewers hear nothing"))
    let own = try headphones("main", isHeard: false)
    #expect(own.state == "on" && !own.heard, "one's own voice")
    #expect(own.sentence.hasSuffix("; viewers hear nothing of it.") && voice.heard)
    let lost = try headphones(code: "lost", isHeard: false)
    #expect(lost.state == "lost" && lost.sentence == "Plug them in." && lost.delayMs == nil)
    #expect(try headphones(isOpen: false).state == "closed")
    #expect(try headphones(code: nil).state == "opening")
  }

  /// Whoever hears a track in the headphones is told when viewers do not.
  @Test func aTrackThatViewersDoNotHearIsTold() throws {
    let box = try LiveStation(
      port: 1, "publish.autostart=always", "audio.monitor=hw:31,0", "audio.monitor_source=main")
    defer { box.end() }
    func becomes(heard: Bool) -> Bool { box.run { box.station.status.monitor?.heard == heard } }
    func set(_ key: String, _ value: SettingsPatch.Value?) throws {
      _ = try box.desk.change(SettingsPatch([key: value]), by: "by test")
    }
    #expect(becomes(heard: true))
    for (key, value) in [
      ("audio.mute", SettingsPatch.Value.flag(true)), ("audio.volume", .integer(0)),
    ] {
      try set(key, value)
      #expect(becomes(heard: false), "\(key)")
      try set(key, nil)
      #expect(becomes(heard: true), "\(key)")
    }
    _ = box.station.setVolumes(voice: 0, music: nil, by: "by test")
    #expect(becomes(heard: false), "all voices")
    _ = box.station.setVolumes(voice: 50, music: nil, by: "by test")
    try box.station.perform(.mute, by: "by test")
    #expect(becomes(heard: false), "the whole sound")
    try box.station.perform(.unmute, by: "by test")
    #expect(becomes(heard: true))
    try box.station.perform(.pause, by: "by test")
    #expect(becomes(heard: false), "a pause")
  }
}
