// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media
import Testing

@testable import Mux
@testable import Preview

/// Which packets are taken, and where epochs begin.
struct EpochRulesTests {
  private let start = MediaTime(nanos: .seconds(1_000))
  private let video = EpochRulesTests.video(1)
  private let audio = AudioHeader(
    audioSpecificConfig: [0x11, 0x90], sampleRate: 48_000, channels: 2, bitrateKbps: 96)

  private static func video(_ mark: UInt8) -> VideoHeader {
    VideoHeader(
      avcConfiguration: [1, 100, 0, mark], size: PictureSize(width: 320, height: 180),
      framesPerSecond: 30, bitrateKbps: 1_000)
  }

  /// A plan that knows both headers and has begun.
  private func begun() -> EpochRules {
    var plan = EpochRules()
    plan.setVideo(video, now: start)
    plan.setAudio(audio, now: start)
    #expect(offer(.keyframe, 0, &plan) == .begin)
    return plan
  }

  private func offer(
    _ kind: PacketKind, _ millis: Int64, scene: UInt32 = 0, _ plan: inout EpochRules
  ) -> EpochRules.Verdict {
    let now = start + .milliseconds(millis)
    return plan.offer(kind, scene: scene, time: now, now: now)
  }

  @Test func itBeginsWithAKeyframe() {
    var plan = EpochRules()
    #expect(plan.needsKeyframe)
    #expect(offer(.keyframe, 0, &plan) == .ignore, "no header yet")
    plan.setVideo(video, now: start)
    plan.setAudio(audio, now: start)
    #expect(offer(.audio, 0, &plan) == .ignore)
    #expect(offer(.frame, 10, &plan) == .ignore)
    #expect(plan.needsKeyframe)
    #expect(offer(.keyframe, 40, &plan) == .begin)
    #expect(!plan.needsKeyframe)
    #expect(offer(.audio, 45, &plan) == .queue)
    #expect(offer(.frame, 70, &plan) == .queue)
    #expect(offer(.keyframe, 100, &plan) == .queue)
    #expect(plan.epoch == Epoch(number: 1, video: video, audio: audio))
    #expect(plan.heldUntil == .distantPast)
  }

  @Test func aNewHeaderBeginsAnEpochAtItsKeyframe() {
    var plan = begun()
    let other = EpochRulesTests.video(2)
    plan.setVideo(other, now: start + .milliseconds(100))
    #expect(plan.needsKeyframe)
    #expect(offer(.audio, 110, &plan) == .queue)
    #expect(offer(.keyframe, 120, &plan) == .begin)
    #expect(plan.epoch == Epoch(number: 2, video: other, audio: audio))
    var faster = other
    faster.bitrateKbps = 2_000
    plan.setVideo(faster, now: start + .milliseconds(200))
    #expect(offer(.keyframe, 210, &plan) == .queue, "only the bit rate is new")
  }

  @Test func theFirstEpochWaitsForTheOtherTrack() {
    var plan = EpochRules()
    plan.setVideo(video, now: start)
    #expect(offer(.keyframe, 0, &plan) == .begin)
    #expect(plan.heldUntil == start + .seconds(1))
    plan.setAudio(audio, now: start + .milliseconds(500))
    #expect(plan.heldUntil == .distantPast)
    #expect(plan.epoch.audio == audio)
    #expect(offer(.audio, 520, &plan) == .queue)
    #expect(offer(.frame, 530, &plan) == .queue)
  }

  @Test func videoThatComesWhileAudioWaitsReplacesIt() {
    var plan = EpochRules()
    plan.setAudio(audio, now: start)
    #expect(offer(.audio, 0, &plan) == .begin)
    #expect(offer(.audio, 20, &plan) == .queue)
    plan.setVideo(video, now: start + .milliseconds(300))
    #expect(offer(.keyframe, 310, &plan) == .begin)
    #expect(plan.heldUntil == .distantPast)
    #expect(plan.epoch == Epoch(number: 2, video: video, audio: audio))
  }

  @Test func aTrackThatComesLaterNeedsAnEpoch() {
    var plan = EpochRules()
    plan.setVideo(video, now: start)
    #expect(offer(.keyframe, 0, &plan) == .begin)
    plan.setAudio(audio, now: start + .milliseconds(1_500))
    #expect(offer(.audio, 1_510, &plan) == .ignore)
    #expect(plan.needsKeyframe)
    #expect(offer(.frame, 1_520, &plan) == .queue)
    #expect(plan.needsKeyframe)
    #expect(offer(.keyframe, 1_550, &plan) == .begin)
    #expect(plan.epoch.audio == audio)
  }

  @Test func aTrackThatFallsSilentIsLeftOut() {
    var plan = begun()
    for millis in stride(from: Int64(20), through: 2_000, by: 20) {
      #expect(offer(.audio, millis, &plan) == .queue)
    }
    #expect(offer(.audio, 2_020, &plan) == .begin)
    #expect(plan.epoch.video == nil)
    #expect(!plan.needsKeyframe)
    #expect(offer(.frame, 2_030, &plan) == .ignore)
    #expect(plan.needsKeyframe)
    #expect(offer(.audio, 2_040, &plan) == .queue)
    #expect(offer(.keyframe, 2_060, &plan) == .begin)
    #expect(plan.epoch.video == video && plan.epoch.audio == audio)
  }

  @Test func aCutNeedsAKeyframeOfTheNewScene() {
    var plan = begun()
    var isCut = plan.cut(video: 0, audio: 0)
    #expect(!isCut)
    isCut = plan.cut(video: 2, audio: 0)
    #expect(isCut)
    #expect(plan.needsKeyframe)
    #expect(offer(.frame, 20, scene: 1, &plan) == .ignore)
    #expect(offer(.keyframe, 40, scene: 1, &plan) == .ignore)
    #expect(plan.needsKeyframe)
    #expect(offer(.frame, 60, scene: 2, &plan) == .ignore)
    #expect(offer(.keyframe, 80, scene: 2, &plan) == .begin)
    #expect(plan.epoch.number == 2)
  }

  @Test func aCutOfAudioLetsVideoGoOn() {
    var plan = begun()
    let isCut = plan.cut(video: 0, audio: 5)
    #expect(!isCut)
    #expect(!plan.needsKeyframe)
    #expect(offer(.audio, 10, scene: 4, &plan) == .ignore)
    #expect(offer(.frame, 20, &plan) == .queue)
    #expect(offer(.audio, 30, scene: 5, &plan) == .queue)
  }

  @Test func aCutOfAudioAloneBeginsAnEpoch() {
    var plan = EpochRules()
    plan.setAudio(audio, now: start)
    #expect(offer(.audio, 0, &plan) == .begin)
    let isCut = plan.cut(video: 0, audio: 1)
    #expect(isCut)
    #expect(offer(.audio, 20, &plan) == .ignore)
    #expect(offer(.audio, 40, scene: 1, &plan) == .begin)
    #expect(offer(.audio, 60, scene: 1, &plan) == .queue)
  }

  /// A still has a keyframe every ten seconds only.
  @Test func anOldKeyframeIsNotEnough() {
    var plan = begun()
    for millis in stride(from: Int64(100), through: 3_900, by: 100) {
      #expect(offer(.audio, millis, &plan) == .queue)
      #expect(offer(.frame, millis, &plan) == .queue)
      let needsKeyframe = plan.needsKeyframe
      #expect(!needsKeyframe)
    }
    #expect(offer(.frame, 4_000, &plan) == .queue)
    #expect(plan.needsKeyframe)
    #expect(offer(.keyframe, 4_100, &plan) == .queue)
    #expect(!plan.needsKeyframe)
  }
}
