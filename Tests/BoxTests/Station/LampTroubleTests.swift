// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Director
import FakeServer
import Settings
import TestSupport
import Testing

@testable import Box
@testable import Events
@testable import Studio

/// A red lamp comes with a sentence.
@Suite struct LampTroubleTests {
  @Test(arguments: LampCause.allCases)
  func eachCauseOfARedLampHasASentence(_ cause: LampCause) {
    let since = MediaTime(nanos: 7)
    func untold(_ told: [TroubleList.Entry], isServerTold: Bool = false) -> [TroubleList.Entry] {
      TroubleList.missing(
        for: [cause], in: told, server: "example.org port 1935", isServerCovered: isServerTold,
        sources: OpenSources((nil, nil)), since: since)
    }
    let entries = untold([])
    #expect(entries.count == 1 && entries.allSatisfy { $0.sentence.hasSuffix(".") })
    #expect(untold(entries).isEmpty, "it is not told twice")
    let isOfServer = cause == .server || cause == .refusal
    #expect(untold([], isServerTold: true).isEmpty == isOfServer)
  }

  /// Every state that a station can be in, with a server and without, looked after or not, saved or not.
  @Test(arguments: [true, false], [true, false])
  func noStateHasARedLampWithoutASentence(hasServer: Bool, isSupervised: Bool) throws {
    let directory = stateDirectory()
    let station = try SettingsDeskTests.desk(
      in: directory,
      overrides: hasServer ? ["publish.url=rtmp://127.0.0.1:1/live", "publish.key=k"] : []
    ).station
    var state = station.state.withLock { $0 }
    state.supervisedAt = station.clock.now + (isSupervised ? .seconds(3_600) : .seconds(-3_600))
    var (wrong, causes): ([String], Set<String>) = ([], [])
    func look(_ intent: Intent, _ conditions: Conditions) {
      state.director = Director(
        intent: intent, conditions: conditions, pause: PausePlan(silenced: .all))
      let status = station.status(state)
      let isRed = ["fault", "no_camera", "reconnecting"].contains(status.lamp)
      if isRed != (status.presence?.colour == "red") { wrong.append("\(status.lamp)") }
      if isRed, !status.troubles.contains(where: { $0.sentence.hasSuffix(".") }) {
        wrong.append("\(intent) \(conditions)")
      }
      if isRed { causes.formUnion(status.troubles.map(\.cause)) }
    }
    for broadcast in Intent.Broadcast.allCases {
      for camera in Conditions.Input.allCases {
        for microphone in Conditions.Input.allCases {
          for destination in Conditions.Destination.allCases {
            for repair in [nil] + Repair.allCases.map(Optional.some) {
              for encoderFailed in [false, true] {
                look(
                  Intent(broadcast: broadcast),
                  Conditions(
                    camera: camera, microphone: microphone, destination: destination,
                    encoderFailed: encoderFailed, videoDelivered: true, repair: repair))
              }
            }
          }
        }
      }
    }
    #expect(wrong.prefix(5) == [])
    #expect(causes.isSuperset(of: ["lost", "encoder_failed"]))
    // Without a server nothing else is told of it.
    #expect(causes.isSuperset(of: ["no_connection", "refused"]) == hasServer)
    #expect(causes.contains("no_destination") == !hasServer)
    #expect(causes.contains("unsupervised") == !isSupervised)
  }

  /// A still that stays for a moment after a stall, while the source delivers again, has a red lamp, a state and a
  /// trouble.
  @Test func aStillAfterAStallIsTold() throws {
    let station = try SettingsDeskTests.desk(
      in: stateDirectory(), overrides: ["publish.url=rtmp://127.0.0.1:1/live", "publish.key=k"]
    ).station
    var state = station.state.withLock { $0 }
    state.supervisedAt = station.clock.now + .seconds(3_600)
    var conditions = Conditions(
      camera: .good, microphone: .good, destination: .delivered, videoDelivered: true)
    state.director = Director(
      intent: Intent(broadcast: .live), conditions: conditions, pause: PausePlan(silenced: .all))
    conditions.camera = .lost
    state.director.update(conditions, at: .seconds(10))
    conditions.camera = .good
    state.director.update(conditions, at: .milliseconds(10_500))
    let status = station.status(state)
    #expect(status.video == "no_camera_still")
    #expect(status.presence?.state == "no_camera" && status.presence?.grade == "poor")
    #expect(status.presence?.colour == "red" && status.presence?.audience == "all")
    #expect(status.troubles.contains { $0.subject == "video" })
    #expect(status.view?.hasPrefix("Viewers see a still") == true)
  }

  /// Whoever looks at the picture first and then goes live reads what is missing all the same, and no longer than that.
  @Test(arguments: [(true, true), (true, false), (false, true)], [true, false])
  func missingDevicesAreToldForTheWholeBroadcast(
    _ missing: (camera: Bool, microphone: Bool), looksBefore: Bool
  ) throws {
    let server = try FakeServer.reading()
    defer { server.end() }
    let box = try LiveStation(
      port: server.port, in: nil,
      missing.camera ? "video.source=camera:/dev/nowhere" : "video.source=pattern",
      missing.microphone ? "audio.source=microphone:nowhere" : "audio.source=tone")
    let station = box.station
    let subjects = (missing.camera ? ["video"] : []) + (missing.microphone ? ["audio"] : [])
    func told() -> [String] {
      station.status.troubles.map(\.subject).filter { ["video", "audio"].contains($0) }
    }
    let viewer = looksBefore ? station.studio.enter([.video, .audio]) : nil
    if looksBefore { #expect(box.run { Set(told()) == Set(subjects) }) }
    try station.perform(.start, by: "by test")
    let lamp: LampPattern = missing.camera ? .noCamera : .fault
    let state =
      !missing.camera ? "no_microphone" : missing.microphone ? "no_inputs" : "no_camera"
    // Camera and microphone are found missing one after the other.
    let isTold = box.run {
      guard station.lamp == lamp, Set(told()) == Set(subjects) else { return false }
      guard let presence = station.status.presence, presence.state == state else { return false }
      return presence.colour == "red" && presence.word == "live" && presence.advice == "see_below"
    }
    #expect(isTold, "\(station.lamp), \(told()), \(String(describing: station.status.presence))")

    let counted = box.run {
      let totals = station.state.withLock { $0.tally?.totals(.now()) }
      return (totals?.withoutCameraSeconds != nil || !missing.camera)
        && (totals?.withoutMicrophoneSeconds != nil || !missing.microphone)
    }
    #expect(counted)
    try station.perform(.stop, by: "by test")
    #expect(box.run { !station.isOnAir })
    let ended = box.events.last { $0.code == .ended }?.sentence ?? ""
    #expect(ended.contains("there was no picture for") == missing.camera)
    #expect(ended.contains("there was no sound for") == missing.microphone)
    if let viewer {
      #expect(Set(told()) == Set(subjects), "who still looks still reads it")
      viewer.leave()
    }
    #expect(box.run { told().isEmpty }, "nothing is open any more")
    box.end()
  }

  /// With no server there is no word of "live", and a relay that has the stream is told.
  @Test func theStatusSaysWhoHasTheStream() throws {
    let relay = try FakeServer.reading()
    defer { relay.end() }
    let box = try LiveStation(port: 1)
    let station = box.station
    var words: Set<String> = []
    func presence() -> Status.Presence? {
      let presence = station.status.presence
      _ = presence.map { words.insert($0.word) }
      return presence
    }
    #expect(presence()?.state == "off_air")
    try station.perform(.start, by: "by test")
    #expect(box.run { presence()?.state == "not_on_air" })
    #expect(station.status.lines.contains { $0.name == "State" && $0.value.contains("No server") })
    #expect(station.status.troubles.map(\.cause) == ["connection_refused"])
    #expect(words == ["off", "connecting", "not_on_air"])
    try station.perform(.pause, by: "by test")
    #expect(box.run { presence()?.state == "paused_not_on_air" })
    try station.perform(.resume, by: "by test")
    _ = try box.desk.change(
      SettingsPatch([
        "relay.one.url": .text("rtmp://127.0.0.1:\(relay.port)/live"), "relay.one.key": .text("k"),
      ]), by: "by test")
    #expect(box.run { presence()?.state == "relays_only" })
    #expect(presence()?.relays == ["one"] && presence()?.word == "live")
    #expect(
      station.status.view == "Viewers of one see the test picture and hear the test tone.")
    try station.perform(.pause, by: "by test")
    #expect(box.run { presence()?.state == "paused_relays_only" })
    #expect(station.status.view == "Viewers of one see a still and hear nothing.")
    box.end()
  }

  /// The normal way from the start to live and to a pause gives no alarm.
  @Test func aNormalBroadcastGivesNoAlarm() throws {
    let server = try FakeServer.reading()
    defer { server.end() }
    let box = try LiveStation(port: server.port)
    let station = box.station
    var grades: [String] = []
    func reaches(_ state: String, _ grade: String) -> Bool {
      box.run {
        guard let presence = station.status.presence else { return false }
        if grades.last != presence.grade { grades.append(presence.grade) }
        return presence.state == state && presence.grade == grade
      }
    }
    try station.perform(.start, by: "by test")
    #expect(reaches("live", "good"))
    try station.perform(.pause, by: "by test")
    #expect(reaches("paused", "private"))
    try station.perform(.mute, by: "by test")
    try station.perform(.resume, by: "by test")
    #expect(reaches("live_muted", "muted"))
    #expect(station.status.view == "Viewers see the test picture and hear nothing.")
    try station.perform(.stop, by: "by test")
    #expect(reaches("off_air", "off"))
    #expect(Set(grades) == ["starting", "good", "private", "muted", "off"])
    box.end()
  }

  /// After a crash or a power cut it is the same broadcast.
  @Test func theTimeOnAirCountsOnAfterANewStart() throws {
    let server = try FakeServer.reading()
    defer { server.end() }
    let box = try LiveStation(port: server.port)
    try box.station.perform(.start, by: "by test")
    #expect(box.run { box.isDelivering && Station.broadcastAge(box.directory, .system) != nil })
    // One more than is asked below: the start on the disk may be noted a moment later.
    #expect(box.run { (box.station.status.onAirSeconds ?? 0) >= 3 })
    box.end()
    let ended = box.events.last { $0.code == .ended }?.sentence ?? ""
    #expect(ended.contains("which goes on at the next start"))
    let again = try LiveStation(port: server.port, in: box.directory)
    #expect(again.run { again.station.status.onAirSeconds != nil })
    #expect(again.station.status.onAirSeconds ?? 0 >= 2)
    #expect(again.run { (again.station.status.deliveredSeconds ?? 0) >= 2 })
    try again.station.perform(.stop, by: "by test")
    #expect(again.run { !again.station.isOnAir })
    // Nobody knows what viewers missed of the earlier start.
    let last = try #require(again.events.last { $0.code == .ended })
    let totals = try #require(last.totals)
    #expect(try #require(totals.countedSeconds) < totals.seconds && totals.interruptions >= 1)
    #expect(!last.sentence.contains("missed nothing"))
    try again.station.perform(.start, by: "by test")
    #expect(again.run { again.station.isOnAir })
    #expect(again.station.status.onAirSeconds ?? 9 < 2, "another broadcast")
    again.end()
  }
}
