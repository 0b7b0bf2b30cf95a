// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Testing

@testable import RateControl

@Suite struct EncodingPlanTests {
  private static let asked = EncodingPlan(
    videoKbps: 2_000, framesPerSecond: 30, size: PictureSize(width: 1280, height: 720),
    speed: .faster, audioKbps: 128)

  private static func link(
    kbps: Int = 2_000, frameStep: Int = 1, rung: VideoLadder.Rung? = nil,
    reducesAudio: Bool = false
  ) -> LinkPlan {
    LinkPlan(
      videoKbps: kbps, frameStep: frameStep, rung: rung, reducesAudio: reducesAudio, link: .good)
  }

  @Test func withoutLimitsItIsWhatIsAsked() {
    #expect(
      EncodingPlan(asked: EncodingPlanTests.asked, link: EncodingPlanTests.link(kbps: 9_000))
        == EncodingPlanTests.asked)
  }

  /// In each respect the tightest limit counts, whoever sets it.
  @Test func theLeastCounts() {
    let small = VideoLadder.rungs.first { $0.height == 360 }
    let link = EncodingPlanTests.link(kbps: 500, frameStep: 2, rung: small, reducesAudio: true)
    let byLink = EncodingPlan(
      videoKbps: 500, framesPerSecond: 30, frameStep: 2, size: PictureSize(width: 640, height: 360),
      speed: .faster,
      audioKbps: BitrateController.reducedAudioKbps)
    #expect(EncodingPlan(asked: EncodingPlanTests.asked, link: link) == byLink)

    var byBoth = byLink
    byBoth.frameStep = 3
    let processor = ProcessorPlan(frameStep: 3, size: PictureSize(width: 960, height: 540))
    #expect(
      EncodingPlan(asked: EncodingPlanTests.asked, link: link).within(processor) == byBoth)

    let byProcessor = EncodingPlan(asked: EncodingPlanTests.asked, link: EncodingPlanTests.link())
      .within(ProcessorPlan(size: PictureSize(width: 960, height: 540)))
    #expect(byProcessor.size == PictureSize(width: 960, height: 540))
    #expect(byProcessor.videoKbps == 2_000)
  }

  /// A reduced size keeps the aspect ratio, and its sides are even.
  @Test func aRungKeepsTheAspectRatio() {
    for rung in VideoLadder.rungs {
      for size in [(1920, 1080), (1080, 1920), (1280, 720), (768, 576)] {
        let reduced = rung.size(like: PictureSize(width: size.0, height: size.1))
        #expect(reduced.width % 2 == 0 && reduced.height % 2 == 0)
        let ratio = Double(reduced.width * size.1) / Double(reduced.height * size.0)
        #expect(abs(ratio - 1) < 0.01)
      }
    }
  }
}
