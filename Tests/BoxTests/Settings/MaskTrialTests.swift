// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import FakeServer
import Settings
import TestSupport
import Testing

@testable import Box
@testable import Studio

/// Privacy masks, and changes that are taken back because they break something.
@Suite struct MaskTrialTests {
  /// The camera that is shown again gets the masks back that the change took from it, and a new mask stays.
  @Test func aTrialTakesNoMaskAway() throws {
    let main = try FakeServer.reading()
    defer { main.end() }
    let live = try LiveStation(port: main.port)
    try live.station.perform(.start, by: "by test")
    #expect(live.run { live.isDelivering && live.station.studio.health(.now()).video == .good })
    let masked = live.desk.answerOnTrial(
      SettingsPatch([
        "filter.a.kind": .text("mask"), "filter.a.x": .number(0.5), "filter.c.kind": .text("skin"),
      ]), by: "by test", isRemote: true)
    #expect(masked.ok)
    #expect(live.desk.trial.withLock { $0 } == nil, "filters break no source")
    let reply = live.desk.answerOnTrial(
      SettingsPatch([
        "video.fps": .integer(25), "filter.a.enabled": .flag(false), "filter.a.x": nil,
        "filter.b.kind": .text("mask"), "filter.c.white": .integer(1),
      ]), by: "by test", isRemote: true)
    #expect(reply.ok)
    #expect(
      live.desk.trial.withLock { $0 }?.undoPatch
        == SettingsPatch([
          "video.fps": nil, "filter.a.enabled": nil, "filter.a.x": .number(0.5),
        ]))
    live.end()
  }

  /// Somebody enlarges the mask while the change is on trial.
  @Test func aChangeThatIsTakenBackMakesNoMaskSmaller() throws {
    let main = try FakeServer.reading()
    defer { main.end() }
    let live = try LiveStation(port: main.port)
    try live.station.perform(.start, by: "by test")
    #expect(live.run { live.isDelivering && live.station.studio.health(.now()).video == .good })
    func set(_ values: [String: SettingsPatch.Value?], onTrial: Bool = false) {
      let patch = SettingsPatch(values)
      let reply =
        onTrial
        ? live.desk.answerOnTrial(patch, by: "by test", isRemote: true)
        : live.desk.answer(patch, by: "by test", isRemote: true)
      #expect(reply.ok && reply.changed)
    }
    set(["filter.a.kind": .text("mask"), "filter.a.width": .number(0.25)])
    set(["video.fps": .integer(25), "filter.a.width": .number(0.125)], onTrial: true)
    set(["filter.a.width": .number(0.75)])
    let trial = try #require(live.desk.trial.withLock { $0 })
    live.desk.undo(trial, "no picture came")
    let settings = live.station.settings
    #expect(settings.video.fps == 30)
    #expect(settings.filters.map(\.mask.width) == [0.75])
    let undone = live.station.events.newest.last { $0.code == .settingsUndone }
    #expect(undone?.sentence.contains("was taken back: no picture came") == true)
    live.end()
  }
}
