// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Encode
import Media
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
  ) {}

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
  private let showing: Showing

  init() throws {
    let format = VideoFormat(
      size: PictureSize(width: 160, height: 90), framesPerSecond: 30, bitrateKbps: 500,
      speed: .superfast, colour: .bt709)
    let opened = opened
    let encoders = EncoderFactory(
      video: { (format) throws(EncoderError) in
        if format.size == opened.impossible { throw .notOpened }
        opened.encoders.append(RecordingEncoder(format))
        return opened.encoders[opened.encoders.count - 1]
      }, audio: EncoderFactory.libraries.audio)
    showing = try Showing(
      plan: VideoPlan(
        format: format, gopNanos: .seconds(2)),
      now: .distantPast + .seconds(1), encoders: encoders)
  }

  @Test func aRateIsAppliedOnce() {
    showing.rate = VideoRate(bitrateKbps: 300, frameStep: 2)
    showing.applyRate()
    showing.applyRate()
    #expect(opened.encoders.count == 1)
    #expect(opened.encoders[0].changes == [VideoRate(bitrateKbps: 300, frameStep: 2)])
  }

  /// With a new size or speed the encoder begins with the new rate and is not changed again.
  @Test func aNewEncoderBeginsWithTheRate() throws {
    showing.rate = VideoRate(bitrateKbps: 300)
    var format = showing.liveFormat
    format.size = PictureSize(width: 80, height: 46)
    format.speed = .veryfast
    try showing.replaceEncoder(format) { _ in }
    showing.applyRate()
    #expect(opened.encoders.count == 2)
    #expect(opened.encoders[0].changes.isEmpty)
    format.bitrateKbps = 300
    #expect(opened.encoders[1].format == format)
    #expect(opened.encoders[1].changes.isEmpty)
  }

  /// A size that is set during a still is tried when live video comes back. If it cannot be encoded, live video has the
  /// size before.
  @Test func anImpossibleSizeDoesNotKeepTheStill() throws {
    let format = showing.liveFormat
    let still = try Still(
      try StillImage(.pause), like: format, rate: Still.Rate(framesPerSecond: 5), isBuiltIn: true)
    try showing.show(still)
    var impossible = format
    impossible.size = PictureSize(width: 320, height: 180)
    opened.impossible = impossible.size
    try showing.replaceEncoder(impossible) { _ in }
    #expect(showing.isStill && showing.liveFormat == impossible)
    let now = MediaTime.distantPast + .seconds(2)
    try showing.endStill(now: now)
    #expect(!showing.isStill && showing.liveFormat == format)
    #expect(showing.rejected?.format == impossible && showing.rejected?.at == now)
    #expect(opened.encoders.last?.format == format)
  }

  @Test func aRefusalIsPassedOnOnce() {
    let refusal = EncoderError.settingNotApplied(name: "bitrate", value: "500, not 300")
    opened.encoders[0].refusal = refusal
    #expect(showing.takeRefusal() == refusal)
    #expect(showing.takeRefusal() == nil)
  }
}
