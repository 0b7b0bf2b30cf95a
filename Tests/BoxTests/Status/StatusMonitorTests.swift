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
    #expect(try headphones("main", isHeard: false).state == "on", "one's own voice")
    let lost = try headphones(code: "lost", isHeard: false)
    #expect(lost.state == "lost" && lost.sentence == "Plug them in." && lost.delayMs == nil)
    #expect(try headphones(isOpen: false).state == "closed")
    #expect(try headphones(code: nil).state == "opening")
  }
}
