// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Settings
import Studio
import Testing

@testable import Box

/// A change that breaks what worked is taken back.
@Suite struct SettingsTrialTests {
  private let time = VirtualClock()
  private let good = StudioHealth(video: .good, audio: .good)

  private func trial(_ before: StudioHealth) -> SettingsTrial {
    SettingsTrial(undoPatch: SettingsPatch(["video.source": nil]), before: before, now: time.now)
  }

  @Test func aCameraThatDoesNotComeBackIsUndoneAfterTenSeconds() {
    let trial = trial(good)
    let broken = StudioHealth(video: .opening, audio: .good)
    time.advance(by: .milliseconds(9_999))
    #expect(trial.verdict(broken, now: time.now) == .wait)
    time.advance(by: .milliseconds(1))
    #expect(trial.verdict(broken, now: time.now) == .undo("no picture came"))
    #expect(
      trial.verdict(StudioHealth(video: .lost, audio: .good), now: time.now)
        == .undo("no picture came"))
    #expect(
      trial.verdict(StudioHealth(video: .good, audio: .lost), now: time.now)
        == .undo("no sound came"))
    #expect(trial.verdict(good, now: time.now) == .keep)
  }

  @Test func whatWasBrokenBeforeIsNotTheChangesFault() {
    let trial = trial(StudioHealth(video: .lost, audio: .good))
    time.advance(by: SettingsTrial.lengthNanos)
    #expect(trial.verdict(StudioHealth(video: .lost, audio: .good), now: time.now) == .keep)
  }

  @Test func whatIsSwitchedOffIsNotBroken() {
    let trial = trial(good)
    time.advance(by: SettingsTrial.lengthNanos)
    #expect(trial.verdict(StudioHealth(video: .good, audio: .unused), now: time.now) == .keep)
  }

  @Test func anEncoderThatFailsIsNotWaitedForLong() {
    let trial = trial(good)
    let failing = StudioHealth(video: .good, audio: .good, encoderFailed: true)
    time.advance(by: .seconds(1))
    #expect(trial.verdict(failing, now: time.now) == .wait)
    time.advance(by: .seconds(2))
    #expect(trial.verdict(failing, now: time.now) == .undo("picture or sound could not be encoded"))
  }

  /// The second change comes when the first has broken the picture already.
  @Test func aSecondChangeIsJudgedWithTheFirst() {
    let first = trial(good)
    time.advance(by: .seconds(3))
    let both = first.followed(
      by: SettingsPatch(["audio.gain_db": .integer(3), "video.source": .text("pattern")]),
      now: time.now)
    #expect(both.undoPatch == SettingsPatch(["video.source": nil, "audio.gain_db": .integer(3)]))
    time.advance(by: SettingsTrial.lengthNanos)
    #expect(
      both.verdict(StudioHealth(video: .opening, audio: .good), now: time.now)
        == .undo("no picture came"))
  }

  @Test func theWayBackIsWhatWasSetBefore() {
    var runTime = RunTimeSettings()
    runTime = runTime.applying(
      SettingsPatch(["video.fps": .integer(25), "audio.gain_db": .number(-3)]))
    let back = runTime.undoPatch(
      for: SettingsPatch(["video.fps": .integer(30), "video.mirror": .flag(true)]))
    #expect(back == SettingsPatch(["video.fps": .integer(25), "video.mirror": nil]))
  }
}
