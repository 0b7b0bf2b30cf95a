// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Director
import Logging
import Settings
import TestSupport
import Testing

@testable import Box
@testable import Events

@Suite struct StationTests {
  @Test func aCommandThatChangesNothingSaysWhy() throws {
    let directory = try directory(after: .live)
    let configuration = try Configuration.load(
      file: nil,
      overrides: [
        "publish.url=rtmp://127.0.0.1/live", "publish.key=k", "state.directory=\(directory)",
      ], environment: [:])
    let station = Station(
      configuration: configuration,
      reload: { _ throws(ConfigurationError) in configuration },
      store: IntentStore(directory: directory) { _ in },
      events: EventLog(log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
    func say(_ word: String) -> String? { station.answer(word, by: "by test").sentence }
    #expect(say("start") == "Already live.")
    #expect(say("resume") == "Already live.")
    #expect(say("unmute") == "Not muted.")
    #expect(say("mute") == "Muted: viewers no longer hear the microphone.")
    #expect(say("mute") == "Already muted.")
    #expect(say("video_on") == "The picture is not switched off.")
    #expect(say("video_off") == "Picture off: viewers see a still.")
    #expect(say("video_off") == "The picture is off already.")
    #expect(say("audio_off") == "Sound off: viewers hear nothing.")
    #expect(say("unmute") == "Unmuted. The sound is still off.")
    #expect(say("mute") == "Muted: viewers no longer hear the microphone.")
    #expect(say("audio_on") == "Sound on. The microphone is still muted.")
    #expect(say("audio_on") == "The sound is not switched off.")
    #expect(say("pause") == "Paused: viewers no longer see the camera.")
    #expect(say("resume") == "Live. The microphone is still muted. The picture is still off.")
    #expect(say("video_on") == "Picture on: viewers see the camera again.")
    #expect(say("pause") == "Paused: viewers no longer see the camera.")
    #expect(say("pause") == "Already paused.")
    #expect(say("start") == "Already started; the broadcast is paused.")
    let desk = SettingsDesk(
      station, configuration: configuration,
      reload: { _ throws(ConfigurationError) in configuration })
    #expect(desk.reload(by: "by test").sentence == "Nothing has changed.")
    #expect(say("stop") == "The broadcast ends.")
    #expect(say("stop") == "Already off air.")
    #expect(station.answer("explode", by: "").code == "unknown_command")
  }

  /// The state directory of a box after a power cut in a given state.
  private func directory(after broadcast: Intent.Broadcast) throws -> String {
    let directory = stateDirectory()
    let store = IntentStore(directory: directory) { _ in }
    store.start()
    store.save(Intent(broadcast: broadcast))
    #expect(store.stop(by: .now() + .seconds(60)))
    return directory
  }

  /// A box that was live has no stream key after a power cut: it is off air and shows a fault until the user stops it.
  @Test func aBoxWithoutItsKeyShowsAFault() throws {
    let directory = try directory(after: .live)

    let configuration = try Configuration.load(
      file: nil, overrides: ["publish.url=rtmp://127.0.0.1/live", "state.directory=\(directory)"],
      environment: [:])
    let store = IntentStore(directory: directory) { _ in }
    let station = Station(
      configuration: configuration,
      reload: { _ throws(ConfigurationError) in configuration }, store: store,
      events: EventLog(log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, before: 0))
    store.start()
    #expect(station.supervise(.now()) == nil)
    #expect(station.intent == Intent())
    #expect(station.lamp == .fault)
    #expect(station.status.troubles.map(\.cause) == ["no_destination"])

    #expect(try !station.perform(.stop, by: "test"))
    let deadline = MediaTime.now() + .seconds(600)
    while !station.isSettled, .now() < deadline {
      (MediaTime.now() + .milliseconds(1)).sleepUntil()
    }
    #expect(station.lamp == .offAir)
    #expect(store.stop(by: .now() + .seconds(60)))
    #expect(IntentStore(directory: directory) { _ in }.lastRunIntent == Intent())
  }

  /// A reload gives the same box its key: it resumes as it would after a start.
  @Test func aBoxResumesWhenItsKeyIsBack() throws {
    let directory = try directory(after: .paused)

    let overrides = ["publish.url=rtmp://127.0.0.1/live", "state.directory=\(directory)"]
    let store = IntentStore(directory: directory) { _ in }
    let reload: SettingsReader = { _ throws(ConfigurationError) in
      try Configuration.load(
        file: nil, overrides: overrides + ["publish.key=k"], environment: [:])
    }
    let configuration = try Configuration.load(file: nil, overrides: overrides, environment: [:])
    let station = Station(
      configuration: configuration, reload: reload, store: store,
      events: EventLog(log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, before: 0))
    let desk = SettingsDesk(station, configuration: configuration, reload: reload)
    store.start()
    #expect(station.intent == Intent())
    #expect(station.lamp == .fault)
    let reply = desk.reload(by: "test")
    #expect(reply.ok && reply.changes?.map(\.key) == ["publish.key"])
    #expect(station.status.troubles == [])
    #expect(station.intent == Intent(broadcast: .paused))
    #expect(station.lamp == .starting)
    #expect(store.stop(by: .now() + .seconds(60)))
  }

  /// A reload applies the target and the minimum of the bit rate, and names the settings that need a restart.
  @Test func aReloadAppliesTheBitRates() throws {
    let directory = stateDirectory()
    let overrides = [
      "publish.url=rtmp://127.0.0.1/live", "publish.key=k", "state.directory=\(directory)",
    ]
    let store = IntentStore(directory: directory) { _ in }
    let configuration = try Configuration.load(file: nil, overrides: overrides, environment: [:])
    let lower = try Configuration.load(
      file: nil,
      overrides: overrides + ["video.bitrate_kbps=900", "network.mode=fixed", "page.listen="],
      environment: [:])
    let reload: SettingsReader = { _ throws(ConfigurationError) in lower }
    let station = Station(
      configuration: configuration, reload: reload, store: store,
      events: EventLog(log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, before: 0))
    let desk = SettingsDesk(station, configuration: configuration, reload: reload)
    let reply = desk.reload(by: "test")
    #expect(reply.changed)
    #expect(reply.changes?.map(\.key) == ["video.bitrate_kbps", "network.mode", "page.listen"])
    #expect(
      reply.sentence?.hasPrefix(
        """
        video.bitrate_kbps is now 900.
        network.mode is now "fixed".
        page.listen will be "" at the next start
        """) == true)
    let again = desk.reload(by: "test")
    #expect(!again.changed)
    #expect(again.changes?.map(\.key) == ["page.listen"], "it still waits for a restart")
    #expect(station.settings == lower.settings)
  }

  /// The program ends only when jobs that change files have ended.
  @Test func theEndWaitsForTheJobs() throws {
    let station = try SettingsDeskTests.desk(in: stateDirectory()).station
    let gate = Signal()
    #expect(station.jobs.submit { _ = gate.wait(until: .distantFuture) })
    #expect(!station.stop(goodbye: false, by: .now()))
    gate.signal()
    #expect(station.stop(goodbye: false, by: .now() + .seconds(60)))
  }
}
