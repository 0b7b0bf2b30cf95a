// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Recording
import Studio
import Testing

@testable import Box

/// What is told of a recording, on a clock of the test.
@Suite struct RecordingWatchTests {
  private typealias Reading = RecordingWatch.Reading
  private typealias Report = RecordingWatch.Report

  private let full = RecordingObstacle(.full)
  private let start = MediaTime(nanos: 1_000_000_000_000)

  private func after(_ seconds: Int64) -> MediaTime { start + .seconds(seconds) }

  @Test func aFailureIsToldOnceAndItsEnd() {
    var watch = RecordingWatch()
    var reading = Reading(isWanted: true)
    #expect(watch.check(reading, now: start) == [])
    reading.obstacle = full
    #expect(watch.check(reading, now: after(1)) == [.failed(full, isLater: false)])
    #expect(watch.check(reading, now: after(2)) == [])
    let failed = RecordingObstacle(.diskFailed)
    reading.obstacle = failed
    #expect(watch.check(reading, now: after(3)) == [.failed(failed, isLater: false)])
    reading.obstacle = nil
    #expect(watch.check(reading, now: after(4)) == [.back])
    #expect(watch.check(reading, now: after(5)) == [])
  }

  @Test func aFailureOfWhatNobodyWantsIsForgotten() {
    var watch = RecordingWatch()
    #expect(watch.check(Reading(obstacle: full), now: start) == [])
    #expect(watch.check(Reading(isWanted: true, obstacle: full), now: start).count == 1)
    #expect(watch.check(Reading(obstacle: full), now: after(1)) == [.forgotten])
  }

  /// With record.start = "broadcast" a disk that cannot be used is told before the broadcast, and again in it.
  @Test func itIsToldBeforeTheBroadcast() {
    var watch = RecordingWatch()
    var reading = Reading(isExpected: true, obstacle: full)
    #expect(watch.check(reading, now: start) == [.failed(full, isLater: true)])
    reading.isWanted = true
    #expect(watch.check(reading, now: after(1)) == [.failed(full, isLater: false)])
    reading.isWanted = false
    #expect(watch.check(reading, now: after(2)) == [])
    reading.isWanted = true
    #expect(watch.check(reading, now: after(3)) == [.failed(full, isLater: false)])
    #expect(watch.check(reading, now: after(4)) == [])
  }

  /// What is missing for a moment, as at the beginning, is not told; nor that it is back after nobody has asked for it.
  @Test func aMissingProgrammeIsToldAfterAWhile() {
    var watch = RecordingWatch()
    var reading = Reading(isWanted: true, programme: .refused(.processor))
    #expect(watch.check(reading, now: start) == [])
    #expect(watch.check(reading, now: after(9)) == [])
    reading.programme = .recorded
    #expect(watch.check(reading, now: after(10)) == [])
    reading.programme = .refused(.filter)
    #expect(watch.check(reading, now: after(11)) == [])
    #expect(watch.check(reading, now: after(21)) == [.asSent(.filter)])
    #expect(watch.check(reading, now: after(50)) == [])
    reading.programme = nil
    #expect(watch.check(reading, now: after(51)) == [])
    reading.programme = .recorded
    #expect(watch.check(reading, now: after(52)) == [.asProgramme])
  }

  @Test func recordingsThatMadeRoomAreTold() {
    var watch = RecordingWatch()
    watch.beginRecording()
    var recorder = RecorderStatus()
    recorder.removed = 2
    let reading = Reading(isWanted: true, recorder: recorder)
    #expect(watch.check(reading, now: start) == [.removed(2)])
    #expect(watch.check(reading, now: after(1)) == [])
    recorder.removed = 3
    let later = Reading(isWanted: true, recorder: recorder)
    #expect(watch.check(later, now: after(2)) == [.removed(1)])
  }

  @Test func gapsAreToldOnceAMinute() {
    var watch = RecordingWatch()
    watch.beginRecording()
    var recorder = RecorderStatus()
    (recorder.gaps, recorder.gapNanos, recorder.droppedFrames) = (1, .seconds(2), 60)
    var reading = Reading(isWanted: true, recorder: recorder)
    #expect(watch.check(reading, now: start) == [.gap(nanos: .seconds(2), frames: 60)])
    for second in Int64(1)..<60 {
      (recorder.gaps, recorder.gapNanos, recorder.droppedFrames) = (
        1 + Int(second), .seconds(2 + second), 60 + 30 * Int(second)
      )
      reading.recorder = recorder
      #expect(watch.check(reading, now: after(second)) == [])
    }
    #expect(
      watch.check(reading, now: after(60)) == [.gap(nanos: .seconds(59), frames: 59 * 30)])
    watch.beginRecording()
    recorder.gaps = 1
    reading.recorder = recorder
    #expect(watch.check(reading, now: after(61)).count == 1, "another recorder counts anew")
  }

  @Test func theRoomIsToldInTimeAndNotEachSecond() {
    var watch = RecordingWatch()
    func check(_ free: Int, seconds: Int) -> [Report] {
      let room = RecordingWatch.Room(usableBytes: free, totalBytes: 1_000, seconds: seconds)
      return watch.check(Reading(isWanted: true, room: room), now: start)
    }
    #expect(check(900, seconds: 100_000) == [])
    #expect(check(100, seconds: 100_000) == [], "little of a large disk lasts for days")
    #expect(check(900, seconds: 1_799) == [.roomLow(seconds: 1_799)])
    #expect(check(900, seconds: 1_801) == [], "it wavers")
    #expect(check(900, seconds: 2_251) == [.roomBack])
    #expect(check(100, seconds: 20_000) == [.roomLow(seconds: 20_000)])
    #expect(check(900, seconds: 20_000) == [.roomBack])
  }

  @Test func sticksAreTold() {
    var rules = StickRules()
    func stick(_ state: String, _ change: (inout Status.Record.Stick) -> Void = { _ in })
      -> Status.Record.Stick
    {
      var stick = Status.Record.Stick(
        id: "1A2B-3C4D", label: "PICS", fileSystem: "vfat", bytes: 1, state: state)
      change(&stick)
      return stick
    }
    func codes(_ stick: Status.Record.Stick?) -> [String] {
      rules.check(stick, isUsed: true).map { "\($0.code.rawValue) \($0.cause ?? "-")" }
    }
    #expect(codes(nil) == [])
    #expect(codes(stick("checking")) == [])
    #expect(codes(stick("ready")) == ["stick_ready -"])
    #expect(codes(stick("ready")) == [])
    #expect(codes(stick("ready") { $0.speed = "slow" }) == ["stick_slow slow"])
    #expect(codes(stick("ready") { $0.speed = "slow" }) == [])
    #expect(codes(stick("removing")) == [])
    #expect(codes(stick("ready") { $0.problem = "busy" }) == ["record_failed stick_busy"])
    #expect(codes(stick("removed")) == ["stick_removable -"])
    #expect(codes(nil) == [], "it was allowed to be unplugged")
    #expect(codes(stick("ready") { $0.readOnly = true }) == ["stick_unusable read_only"])
    #expect(codes(nil) == ["stick_gone -"])
    #expect(codes(stick("unusable") { $0.problem = "format" }) == ["stick_unusable format"])
    let other = Status.Record.Stick(
      id: "other", label: "", fileSystem: "ext4", bytes: 1, state: "ready", speed: "fast")
    #expect(codes(other) == ["stick_gone -", "stick_ready -"])
  }
}
