// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Director
import FakeServer
import FoundationEssentials
import Glibc
import Settings
import TestSupport
import Testing

@testable import Box
@testable import Events
@testable import Figures
@testable import Studio

/// What a box tells of its sound.
@Suite struct StationAudioTests {
  /// A program that writes samples into a pipe, without waiting.
  private final class Writer {
    let path: String
    private let descriptor: Int32
    private let bytes: [UInt8]

    /// A square wave.
    /// - Parameters:
    ///   - level: its higher value, 1 for full scale.
    ///   - low: its lower value.
    init(in folder: String, level: Double, low: Double? = nil) {
      path = "\(folder)/samples"
      _ = unsafe mkfifo(path, 0o600)
      descriptor = unsafe open(path, O_RDWR | O_NONBLOCK)
      let samples = (0..<4_096).map { Int16(($0 / 40 % 2 == 0 ? level : low ?? -level) * 32_767) }
      bytes = samples.flatMap {
        [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)]
      }
    }

    func write() { _ = unsafe Glibc.write(descriptor, bytes, bytes.count) }

    deinit { close(descriptor) }
  }

  @Test func soundThatIsTooLoudIsToldOnceAndEnded() throws {
    let writer = Writer(in: stateDirectory(), level: 1)
    let box = try LiveStation(
      port: 1, "publish.autostart=always", "audio.source=pipe:\(writer.path)",
      "audio.pipe_format=S16_LE", "panel.lamp_audio=true")
    defer { box.end() }
    #expect(
      box.run {
        writer.write()
        return box.count(.audioAlarm) > 0
      })
    let alarm = try #require(box.events.first { $0.code == .audioAlarm })
    #expect(alarm.subject == "track.main" && alarm.cause == "clipping")
    // The alarm may come before the sum has blocks that are as loud.
    #expect(
      box.run {
        writer.write()
        let audio = box.station.audio(mayViewOffAir: false)
        return audio.levels?.peakDb ?? -100 > -3 && audio.loudness?.momentaryLufs ?? -100 > -20
      })
    let audio = box.station.audio(mayViewOffAir: false)
    #expect(audio.state == "open" && audio.alarms.map(\.cause) == ["clipping"])
    let main = try #require(audio.tracks.first)
    #expect(main.kind == "pipe" && main.state == "on" && main.alarms == ["clipping"])
    #expect(main.sentence == alarm.sentence && main.peakDb ?? -100 > -3)
    #expect(box.station.status.troubles.contains { $0.subject == "track.main" })
    box.station.measure(.now())
    #expect(box.station.metrics.contains("onair_audio_alarm{track=\"main\",alarm=\"clipping\"} 1"))
    #expect(box.station.metrics.contains("onair_audio_track_peak_dbfs{track=\"main\"}"))

    _ = try box.desk.change(SettingsPatch(["audio.source": .text("tone")]), by: "by test")
    #expect(box.run { box.count(.audioAlarmOver) > 0 })
    #expect(box.count(.audioAlarm) == 1 && box.count(.audioAlarmOver) == 1)
    #expect(!box.station.status.troubles.contains { $0.subject == "track.main" })
  }

  /// A second sound whose device is not there is told by its name, and the broadcast goes on.
  @Test func aTrackWithoutItsDeviceIsTold() throws {
    let box = try LiveStation(port: 1, "publish.autostart=always")
    defer { box.end() }
    _ = try box.desk.change(
      SettingsPatch([
        "track.guest.source": .text("microphone:hw:31,0"), "track.file.source": .text("tone"),
        "track.file.volume": .integer(0),
      ]), by: "by test")
    #expect(box.run { box.count(.deviceLost) > 0 })
    let event = try #require(box.events.first { $0.code == .deviceLost })
    #expect(event.subject == "track.guest.source")
    #expect(
      box.run {
        let tracks = box.station.audio(mayViewOffAir: true).tracks
        return tracks.contains { $0.name == "guest" && $0.state == "lost" && $0.sentence != nil }
          && tracks.contains { $0.name == "file" && $0.state == "on" && $0.peakDb == -100 }
      })
    var reader = SoundReader()
    #expect(
      box.run {
        let levels = box.station.levels(&reader, mayViewOffAir: false)
        return levels?.tracks?.map(\.name).contains("file") == true && levels?.loudness != nil
      })
    let list = String(
      decoding: box.desk.list(TrackSettings.list, on: "on", off: "off"), as: UTF8.self)
    #expect(list.contains("\"state\": \"unusable\"") && list.contains("\"state\": \"on\""))
    _ = try box.desk.change(
      SettingsPatch(["track.guest.source": nil]), by: "by test")
    #expect(box.run { box.station.audio(mayViewOffAir: true).tracks.count == 3 })
    #expect(box.run { !box.station.status.troubles.contains { $0.subject.hasPrefix("track.") } })
  }

  /// Another format of the samples counts at once for each track that comes through a pipe.
  @Test func aFormatOfPipesCountsForAllTracks() throws {
    // Two of these samples of 16 bits are a tiny number in floating point.
    let writer = Writer(in: stateDirectory(), level: 0.01, low: 0)
    let box = try LiveStation(port: 1, "publish.autostart=never")
    defer { box.end() }
    let user = box.station.studio.enter([.audio])
    func change(_ key: String, _ text: String) throws {
      _ = try box.desk.change(SettingsPatch([key: .text(text)]), by: "by test")
    }
    func becomes(_ isFit: (Double) -> Bool) -> Bool {
      box.run {
        writer.write()
        let tracks = box.station.audio(mayViewOffAir: true).tracks
        return tracks.contains {
          $0.name == "guest" && $0.state == "on" && isFit($0.peakDb ?? .nan)
        }
      }
    }
    try change("track.guest.source", "pipe:\(writer.path)")
    try change("track.beep.source", "tone")
    #expect(becomes { abs($0 + 40) < 3 })
    let open = try #require(box.station.studio.halves.audio).openTracks
    try change("audio.pipe_format", "F32")
    #expect(becomes { $0 == -100 })
    try change("audio.pipe_format", "S16_LE")
    #expect(becomes { abs($0 + 40) < 3 })
    let after = try #require(box.station.studio.halves.audio).openTracks
    for (name, isKept) in [("main", true), ("beep", true), ("guest", false)] {
      let (one, other) = (
        try #require(open.first { $0.name == name }), try #require(after.first { $0.name == name })
      )
      #expect((one === other) == isKept, "\(name)")
    }
    user.leave()
  }

  /// Neither events nor fields tell off air that the room is loud.
  @Test func offAirNobodyLearnsThatItIsLoud() throws {
    let writer = Writer(in: stateDirectory(), level: 1)
    let box = try LiveStation(
      port: 1, "publish.autostart=never", "audio.source=pipe:\(writer.path)",
      "audio.pipe_format=S16_LE", "audio.target_lufs=-16")
    defer { box.end() }
    let user = box.station.studio.enter([.audio])
    #expect(
      box.run {
        writer.write()
        let reading = box.station.studio.trackReadings(.now()).first
        return reading?.alarms.contains(.clipping) == true
          && box.station.audio(mayViewOffAir: true).correctionDb ?? 0 < 0
      })
    for _ in 0..<20 { _ = box.station.supervise(.now()) }
    #expect(box.count(.audioAlarm) == 0)
    for mayView in [true, false] {
      let audio = box.station.audio(mayViewOffAir: mayView)
      #expect(audio.alarms.isEmpty && audio.tracks.allSatisfy { $0.alarms?.isEmpty ?? true })
      #expect(audio.tracks.allSatisfy { $0.sentence == nil })
      #expect((audio.correctionDb != nil) == mayView)
    }
    withExtendedLifetime(user) {}
  }

  @Test func offAirNobodyHearsByItsLevels() throws {
    let box = try LiveStation(port: 1, "publish.autostart=never")
    defer { box.end() }
    let user = box.station.studio.enter([.audio])
    #expect(box.run { box.station.audio(mayViewOffAir: true).levels?.peakDb ?? -100 > -60 })
    let hidden = box.station.audio(mayViewOffAir: false)
    #expect(hidden.state == "open" && hidden.levels == nil && hidden.loudness == nil)
    #expect(hidden.tracks.allSatisfy { $0.peakDb == nil })
    box.station.measure(.now())
    #expect(!box.station.metrics.contains("onair_audio_loudness"))
    withExtendedLifetime(user) {}
  }

  /// What the strips mute is not told as heard, and music is, beside the voice or alone.
  @Test(arguments: [
    (["audio.mute=true"], "silence", false, "live_muted", "hear nothing."),
    (["audio.volume=0"], "silence", false, "live_muted", "hear nothing."),
    (["music.volume=50"], "tone", true, "live", "hear the test tone, with music."),
    (["music.volume=0"], "tone", false, "live", "hear the test tone."),
    (["audio.mute=true", "music.volume=50"], "music", false, "live", "hear the music."),
    (["audio.mute=true", "music.volume=0"], "silence", false, "live_muted", "hear nothing."),
    (["audio.mute=true", "track.b.source=silence"], "silence", false, "live", "hear nothing."),
    (
      ["audio.mute=true", "track.b.source=microphone:hw:31,0"], "silence", false, "audio_alarm",
      "hear nothing."
    ),
    (
      ["audio.mute=true", "track.a.source=microphone:hw:31,0", "track.b.source=tone"], "tone",
      false, "live", "hear the test tone."
    ),
  ])
  func statusTellsWhatIsHeard(
    settings: [String], audio: String, hasMusic: Bool, state: String, words: String
  ) throws {
    let server = try FakeServer.reading()
    defer { server.end() }
    let folder = stateDirectory()
    try Data(TestSound.file(seconds: 60)).write(to: URL(filePath: "\(folder)/song.wav"))
    let hasSong = settings.contains { $0.hasPrefix("music.") }
    let box = try LiveStation(
      port: server.port,
      overrides: settings
        + (hasSong ? ["music.source=file:\(folder)/song.wav", "music.autostart=true"] : []))
    defer { box.end() }
    try box.station.perform(.start, by: "by test")
    var status = box.station.status
    #expect(
      box.run {
        status = box.station.status
        return status.presence?.state == state && status.capture.microphone == "good"
          && status.audio == audio && (!hasSong || box.station.music.state == "playing")
      })
    #expect(status.audio == audio && status.music == hasMusic)
    let grades = ["live": "good", "live_muted": "muted", "audio_alarm": "weak"]
    #expect(status.presence?.grade == grades[state])
    #expect(status.view == "Viewers see the test picture and \(words)")
  }
}
