// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Audio
import Base
import Logging
import Settings
import Studio
import Testing

@testable import Events

/// Each alarm is told once when it begins and once when it ends, and only if it is one.
struct AudioAlarmRulesTests {
  /// A box with tracks, in seconds.
  private struct Box {
    var rules = AudioAlarmRules()
    var readings = [TrackReading(name: "main", source: .microphone(pcm: nil), health: .good)]
    var context = AudioAlarmRules.Context(heard: ["main"], silenceSeconds: 30)
    var second = 0

    /// - Returns: the alarms that begin ("+main clipping") or end ("-main clipping") within so many seconds.
    mutating func run(_ seconds: Int = 1) -> [String] {
      var reports: [AudioAlarmRules.Report] = []
      for _ in 0..<seconds {
        reports += rules.check(readings, context, now: MediaTime(nanos: .seconds(Int64(second))))
        second += 1
      }
      for report in reports { #expect(report.sentence.hasSuffix(".") || report.begins) }
      return reports.map { "\($0.begins ? "+" : "-")\($0.track) \($0.alarm.rawValue)" }
    }

    mutating func raise(_ alarms: Set<AudioAlarm>, of track: Int = 0) {
      readings[track].alarms = alarms
    }
  }

  @Test(arguments: [AudioAlarm.clipping, .deadChannel, .inverted, .hum, .deadDevice])
  func eachBeginsAndEndsOnce(_ alarm: AudioAlarm) {
    var box = Box()
    #expect(box.run(5) == [])
    box.raise([alarm])
    #expect(box.run(100) == ["+main \(alarm.rawValue)"])
    #expect(box.rules.standing.map(\.alarm) == [alarm])
    box.raise([])
    #expect(box.run(100) == ["-main \(alarm.rawValue)"])
    #expect(box.rules.standing.isEmpty)
  }

  /// What is told of a track that viewers are not to hear would tell what happens in the room.
  @Test(arguments: AudioAlarm.allCases)
  func ofATrackThatIsNotHeardNothingIsTold(_ alarm: AudioAlarm) {
    var box = Box()
    box.context.heard = []
    box.raise([alarm])
    #expect(box.run(100) == [])
    box.context.heard = ["main"]
    #expect(box.run(40) == ["+main \(alarm.rawValue)"])
    box.context.heard = []
    #expect(box.run(40) == ["-main \(alarm.rawValue)"])
    #expect(box.rules.standing.isEmpty)
  }

  /// The microphone may have been silent for long before viewers could hear it.
  @Test func silenceCountsFromWhenItIsLive() {
    var box = Box()
    box.context.heard = []
    box.raise([.silence])
    #expect(box.run(100) == [])
    box.context.heard = ["main"]
    #expect(box.run(30) == [])
    #expect(box.run(1) == ["+main silence"])
    box.context.heard = []
    #expect(box.run(10) == ["-main silence"], "a mute ends it")
    box.context.heard = ["main"]
    #expect(box.run(30) == [])
  }

  @Test func oneOfSeveralMicrophonesMayRest() {
    var box = Box()
    box.readings.append(
      TrackReading(name: "guest", source: .microphone(pcm: "hw:1,0"), health: .good))
    box.context.heard = ["main", "guest"]
    box.raise([.silence])
    #expect(box.run(100) == [])
    box.raise([.silence], of: 1)
    #expect(box.run(5) == ["+main silence", "+guest silence"])
    box.raise([])
    #expect(box.run(5) == ["-main silence", "-guest silence"])
    // A track that is muted does not count.
    box.context.heard = ["main"]
    box.raise([.silence])
    box.raise([], of: 1)
    #expect(box.run(5) == ["+main silence"])
  }

  @Test func aDeadDeviceIsToldAsThatAlone() {
    var box = Box()
    #expect(box.run(40) == [])
    box.raise([.deadDevice, .silence])
    #expect(box.run(100) == ["+main dead_device"])
  }

  @Test func humThatIsRemovedIsNoAlarm() {
    var box = Box()
    box.raise([.hum])
    box.readings[0].hum = Hum(hertz: 60, tones: [60, 120])
    #expect(box.run() == ["+main hum"])
    #expect(box.rules.standing.first?.humHertz == 60)
    #expect(box.rules.standing.first?.sentence.contains("audio.hum_filter") == true)
    box.context.humFiltered = ["main"]
    #expect(box.run(10) == ["-main hum"])
  }

  @Test func aTrackThatIsLostOrClosedEndsItsAlarms() {
    var box = Box()
    box.raise([.clipping])
    #expect(box.run() == ["+main clipping"])
    box.readings[0].health = .lost
    #expect(box.run(10) == ["-main clipping"])
    box.readings[0].health = .good
    #expect(box.run(10) == ["+main clipping"])
    box.readings = []
    #expect(box.run(10) == ["-main clipping"])
  }

  /// The status has one trouble for each track: the gravest.
  @Test func theGravestIsATrouble() {
    let events = EventLog(log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, before: 0)
    var box = Box()
    func tell() {
      let reports = box.rules.check(
        box.readings, box.context, now: MediaTime(nanos: .seconds(Int64(box.second))))
      events.handle(reports, box.rules)
    }
    box.raise([.hum, .clipping])
    tell()
    #expect(events.newest.map(\.code) == [.audioAlarm, .audioAlarm])
    #expect(Set(events.newest.map(\.cause)) == ["hum", "clipping"])
    #expect(events.newest.allSatisfy { $0.subject == "track.main" })
    #expect(events.troubles.map(\.subject) == ["track.main"])
    #expect(events.troubles.first?.sentence.contains("too loud") == true)
    box.raise([.hum])
    tell()
    #expect(events.newest.last?.code == .audioAlarmOver)
    #expect(events.troubles.first?.sentence.contains("hums") == true)
    box.raise([])
    tell()
    #expect(events.troubles.isEmpty)
  }
}
