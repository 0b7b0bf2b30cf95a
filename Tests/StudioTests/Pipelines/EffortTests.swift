// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Encode
import Media
import RateControl
import Testing
import Video

@testable import Studio

/// The effort of each frame with `video.speed` "auto", from what the frame shows.
@Suite struct EffortTests {
  private static let size = PictureSize(width: 160, height: 90)

  /// The encoder that was opened last.
  private final class Opened: @unchecked Sendable {
    var encoder: X264Encoder?
  }

  private let programme: Programme
  private let opened = Opened()
  private let owner = CountingOwner(count: 160 * 90 * 3 / 2)

  init() throws {
    var plan = VideoPlan(
      format: VideoFormat(
        size: Self.size, framesPerSecond: 30, bitrateKbps: 500, speed: nil, colour: .bt709),
      gopNanos: .seconds(2))
    // A demanding scene takes 8 ms of processor time on the first rung.
    plan.costs = SpeedCosts(nanosPerPixel: 8e6 / Double(Self.size.width * Self.size.height))
    let encoders = EncoderFactory(
      video: { [opened] (format) throws(EncoderError) in
        let encoder = try X264Encoder(format)
        opened.encoder = encoder
        return encoder
      }, audio: EncoderFactory.libraries.audio)
    programme = try Programme(plan: plan, now: .distantPast + .seconds(1), encoders: encoders)
  }

  /// Encodes a frame of one luma value.
  /// - Parameter firstRungMs: the processor time that it would take on the first rung.
  /// - Returns: its rung.
  private func encode(_ number: Int, luma: UInt8, firstRungMs: Double) throws -> Int {
    let now = MediaTime.distantPast + .seconds(1) + Int64(number) * 33_333_333
    unsafe owner.bytes.initializeMemory(as: UInt8.self, repeating: luma)
    let frame = unsafe Frame(
      format: FrameFormat(pixelFormat: .i420, size: Self.size, colour: .bt709),
      capturedAt: now, bytes: UnsafeRawBufferPointer(owner.bytes), owner: owner, slot: 0)
    let stamped = programme.stamp(frame, now: now)
    let time = try #require(stamped)
    try programme.take(frame, now: now)
    let composed = unsafe programme.compose(at: time)
    programme.applyRate(
      time: time, key: false, waiting: 0, preparing: 1_000_000, clockShare: 1, now: now)
    var isKeyframe = false
    try unsafe programme.encode(composed, FrameTag(time: time), key: false) {
      isKeyframe = $0.packet.kind == .keyframe
    }
    let effort = try #require(opened.encoder?.rate.effort)
    let rung = try #require(SpeedLadder.efforts.firstIndex(of: effort))
    let processor = firstRungMs / 1_000 * SpeedLadder.usualCosts[rung]
    _ = programme.learn(
      SpeedGovernor.FrameWork(
        encoding: .seconds(processor * 0.7),
        processorTime: .seconds(processor), isKeyframe: isKeyframe), now: now)
    return rung
  }

  @Test func theFirstFrameOfAnotherSceneGetsLess() throws {
    var quiet = 0
    for number in 0..<400 { quiet = try encode(number, luma: 60, firstRungMs: 1) }
    #expect(quiet >= SpeedLadder.top - 1)
    let cut = try encode(400, luma: 180, firstRungMs: 2.5)
    #expect(cut < quiet - 3, "\(cut) after \(quiet)")
    let after = try encode(401, luma: 180, firstRungMs: 1)
    #expect(after > cut)
  }
}
