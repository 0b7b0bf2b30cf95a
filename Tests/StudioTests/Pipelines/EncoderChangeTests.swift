// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Encode
import Media
import RateControl
import Testing
import Video

@testable import Studio

/// An encoder that records how it is changed.
private final class RecordingEncoder: VideoEncoder {
  let format: VideoFormat
  let header = VideoHeader(
    avcConfiguration: [], size: PictureSize(width: 160, height: 90), framesPerSecond: 30,
    bitrateKbps: 500)
  private(set) var rate: VideoRate
  let holdsFrames = false
  private(set) var changes: [VideoRate] = []
  var refusal: EncoderError?
  /// Whether each frame comes out at once; otherwise none does.
  var answers = false

  init(_ format: VideoFormat) {
    self.format = format
    rate = VideoRate(bitrateKbps: format.bitrateKbps)
  }

  func change(_ rate: VideoRate) {
    self.rate = rate
    changes.append(rate)
  }

  func takeRefusal() -> EncoderError? {
    defer { refusal = nil }
    return refusal
  }

  @unsafe func encode(
    _ picture: PlanarPicture, _ tag: FrameTag, key: Bool, introduced: Bool,
    emit: (EncodedFrame) -> Void
  ) {
    if answers { unsafe [0].withUnsafeBytes { unsafe emit(EncodedFrame(.frame, tag, bytes: $0)) } }
  }

  func finish(emit: (EncodedFrame) -> Void) {}
}

/// The encoder of live video is changed once for each change of the plan.
@Suite struct EncoderChangeTests {
  private final class Opened: @unchecked Sendable {
    var encoders: [RecordingEncoder] = []
    /// A size that cannot be encoded.
    var impossible: PictureSize?
  }

  private let opened = Opened()
  private let plan = VideoPlan(
    format: VideoFormat(
      size: PictureSize(width: 160, height: 90), framesPerSecond: 30, bitrateKbps: 500,
      speed: .superfast, colour: .bt709), gopNanos: .seconds(2))
  private let start = MediaTime.distantPast + .seconds(1)

  private var encoders: EncoderFactory {
    EncoderFactory(
      video: { [opened] (format) throws(EncoderError) in
        if format.size == opened.impossible { throw .notOpened }
        opened.encoders.append(RecordingEncoder(format))
        return opened.encoders[opened.encoders.count - 1]
      }, audio: EncoderFactory.libraries.audio)
  }

  /// What is sent must not stop without a word: the encoder counts as failed until it answers again.
  @Test func anEncoderThatReturnsNothingHasFailed() throws {
    let encoder = try LiveEncoder(plan, encoders: encoders)
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: 160 * 90)
    defer { unsafe memory.deallocate() }
    unsafe memory.initialize(repeating: 0, count: 160 * 90)
    let picture = unsafe PlanarPicture(
      y: memory, cb: memory, cr: memory, yStride: 160, chromaStride: 80, size: plan.format.size)
    var failures = 0
    func encode(_ frames: Range<Int>) {
      for index in frames {
        let tag = FrameTag(time: start + Int64(index) * .milliseconds(33))
        do {
          try unsafe encoder.encode(picture, tag, key: false, introduced: false) { _ in }
        } catch {
          #expect(error == .silent)
          failures += 1
        }
      }
    }
    encode(0..<61)
    #expect(failures == 0, "2 s are not over")
    encode(61..<70)
    #expect(failures == 9)
    opened.encoders[0].answers = true
    encode(70..<71)
    opened.encoders[0].answers = false
    encode(71..<101)
    #expect(failures == 9)
    encoder.close()
    try encoder.openIfNeeded()
    encode(200..<230)
    #expect(failures == 9)
  }

  @Test func aRateIsAppliedOnce() throws {
    let encoder = try LiveEncoder(plan, encoders: encoders)
    var asked = EncodingPlan(plan)
    (asked.videoKbps, asked.frameStep) = (300, 2)
    #expect(encoder.follow(asked) == plan.format)
    encoder.applyRate()
    encoder.applyRate()
    #expect(opened.encoders.count == 1)
    #expect(opened.encoders[0].changes == [VideoRate(bitrateKbps: 300, frameStep: 2)])
  }

  /// With a new size or speed the encoder begins with the new rate and is not changed again.
  @Test func aNewEncoderBeginsWithTheRate() throws {
    let encoder = try LiveEncoder(plan, encoders: encoders)
    var asked = EncodingPlan(plan)
    asked.videoKbps = 300
    asked.size = PictureSize(width: 80, height: 46)
    asked.speed = .veryfast
    var format = encoder.follow(asked)
    #expect(encoder.replace(format, isShown: true, now: start) { _ in } == .changed)
    encoder.applyRate()
    #expect(opened.encoders.count == 2)
    #expect(opened.encoders[0].changes.isEmpty)
    format.bitrateKbps = 300
    #expect(opened.encoders[1].format == format)
    #expect(opened.encoders[1].changes.isEmpty)
  }

  /// A size that is set during a still is tried when live video comes back. If it cannot be encoded, live video has the
  /// size before.
  @Test func anImpossibleSizeDoesNotKeepTheStill() throws {
    let programme = try Programme(plan: plan, now: start, encoders: encoders)
    let format = plan.format
    let still = try Still(
      try StillImage(.pause), like: format, rate: Still.Rate(framesPerSecond: 5), isBuiltIn: true)
    try programme.show(still)
    var impossible = format
    impossible.size = PictureSize(width: 320, height: 180)
    opened.impossible = impossible.size
    #expect(programme.replaceEncoder(impossible, now: start) { _ in } == .changed)
    #expect(programme.isStill && programme.liveFormat == impossible)
    let now = start + .seconds(1)
    #expect(
      try programme.endStill(for: programme.liveFormat.colour, now: now) == .rejected(impossible))
    #expect(!programme.isStill && programme.liveFormat == format)
    #expect(opened.encoders.last?.format == format)
    // It is tried again after a second, and told once.
    #expect(programme.retryFormat(now: now + .milliseconds(2_000)) { _ in } == .none)
    opened.impossible = nil
    #expect(programme.retryFormat(now: now + .milliseconds(2_900)) { _ in } == .none)
    #expect(programme.retryFormat(now: now + .milliseconds(3_000)) { _ in } == .changed)
    #expect(programme.liveFormat == impossible && opened.encoders.last?.format == impossible)
  }

  @Test func aRefusalIsPassedOnOnce() throws {
    let encoder = try LiveEncoder(plan, encoders: encoders)
    let refusal = EncoderError.settingNotApplied(name: "bitrate", value: "500, not 300")
    opened.encoders[0].refusal = refusal
    #expect(encoder.takeRefusal() == refusal)
    #expect(encoder.takeRefusal() == nil)
  }
}
