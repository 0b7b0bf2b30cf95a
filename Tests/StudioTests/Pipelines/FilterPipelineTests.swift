// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Encode
import Media
import RateControl
import Settings
import Synchronization
import TestSupport
import Testing
import Video

@testable import Studio

/// An encoder that looks at two pixels of what it is given.
final class Looking: VideoEncoder {
  struct Seen {
    /// Luma in the upper left corner, and in the middle.
    var open, middle: UInt8
    var isKey: Bool
    var scene: UInt32
  }

  final class Record: Sendable {
    let frames = Mutex<[Seen]>([])
    let opened = Atomic(0)
    /// The keyframes that a sink asked for.
    let asked = Atomic(0)

    /// Makes these encoders; stills have real ones.
    var factory: EncoderFactory {
      EncoderFactory(
        video: { [self] (format) throws(EncoderError) in
          guard format.stillQuantizer == nil else {
            return try EncoderFactory.libraries.video(format)
          }
          return Looking(format, self)
        }, audio: EncoderFactory.libraries.audio)
    }
  }

  let format: VideoFormat
  let header: VideoHeader
  private(set) var rate: VideoRate
  let holdsFrames = false
  private let record: Record

  init(_ format: VideoFormat, _ record: Record) {
    (self.format, self.record) = (format, record)
    record.opened.wrappingAdd(1, ordering: .relaxed)
    header = VideoHeader(
      avcConfiguration: [], size: format.size, framesPerSecond: 30, bitrateKbps: 500)
    rate = VideoRate(bitrateKbps: format.bitrateKbps)
  }

  func change(_ rate: VideoRate) { self.rate = rate }
  func takeRefusal() -> EncoderError? { nil }
  func finish(emit: (EncodedFrame) -> Void) {}

  @unsafe func encode(
    _ picture: PlanarPicture, _ tag: FrameTag, key: Bool, introduced: Bool,
    emit: (EncodedFrame) -> Void
  ) {
    let middle = unsafe picture.size.height / 2 * picture.yStride + picture.size.width / 2
    let seen = unsafe Seen(
      open: picture.y[0], middle: picture.y[middle], isKey: key, scene: tag.scene)
    record.frames.withLock { $0.append(seen) }
    unsafe [UInt8](repeating: 0, count: 8).withUnsafeBytes {
      unsafe emit(EncodedFrame(key ? .keyframe : .frame, tag, bytes: $0))
    }
  }
}

/// A filter that takes time, and doubles luma in the corner.
private final class Slow: PictureFilter {
  let plan: SlowPlan
  init(_ plan: SlowPlan) { self.plan = plan }

  @unsafe func apply(to frame: FilterFrame) {
    plan.takes()
    unsafe frame.planes.y[0] = unsafe frame.planes.y[0] &* 2
  }
}

private struct SlowPlan: PictureFilterPlan {
  var takes: @Sendable () -> Void = {}
  func makeFilter() -> any PictureFilter { Slow(self) }
  static func == (one: SlowPlan, other: SlowPlan) -> Bool { true }
}

/// Filters and the privacy mask in the video pipeline, on a virtual clock.
@Suite struct FilterPipelineTests {
  private static let size = PictureSize(width: 160, height: 90)
  private static let interval: Int64 = 1_000_000_000 / 30
  /// What is behind the mask.
  private static let secret: UInt8 = 201

  private let time = VirtualClock()
  private let frames: FrameQueue
  private let record = Looking.Record()
  private let sink: RecordingSink
  private let renditions = Renditions()

  init() {
    frames = FrameQueue(clock: time.clock)
    sink = RecordingSink(clock: time.clock)
    renditions.add(sink, isMain: true)
  }

  private static func masked(_ steps: [PictureFilterStep] = []) -> Composition {
    var composition = Composition()
    composition.filters = SourceFilters(
      mask: PrivacyMask([
        PrivacyMask.Region(
          x: 0.4, y: 0.4, width: 0.2, height: 0.2, .solid(red: 0, green: 0, blue: 0))
      ]), steps: steps)
    return composition
  }

  private func pipeline(
    _ composition: Composition, speed: EncoderSpeed? = .superfast
  ) -> VideoPipeline {
    let format = VideoFormat(
      size: Self.size, framesPerSecond: 30, bitrateKbps: 500, speed: speed, colour: .bt709)
    var plan = VideoPlan(format: format, gopNanos: .seconds(2), composition: composition)
    plan.costs = SpeedCosts(nanosPerPixel: 8e6 / Double(Self.size.width * Self.size.height))
    return VideoPipeline(
      plan: plan, frames: frames, renditions: renditions, encoders: record.factory,
      clock: time.clock,
      notice: { _ in }, fatal: { _ in })
  }

  /// The next frame comes from a camera whose pictures have a size, and is encoded.
  private func feed(
    _ size: PictureSize = size, _ format: PixelFormat = .i420, luma: UInt8 = 60
  ) throws {
    time.advance(by: Self.interval)
    let count = record.frames.withLock { $0.count }
    let frame = FrameFormat(pixelFormat: format, size: size, colour: .bt709)
    let pool = FramePool(count: 1, capacity: frame.byteCount)
    guard let blank = pool.borrow() else { return }
    unsafe blank.bytes.initializeMemory(as: UInt8.self, repeating: luma)
    let (w, h) = (size.width, size.height)
    for y in h * 42 / 100..<h * 58 / 100 {
      for x in w * 42 / 100..<w * 58 / 100 { unsafe blank.bytes[y * w + x] = Self.secret }
    }
    frames.put(blank.finish(format: frame, capturedAt: time.now))
    try #require(eventually { record.frames.withLock { $0.count } > count })
  }

  private func stop(_ line: VideoPipeline) {
    frames.interrupt()
    #expect(line.stop(by: .now() + .seconds(60)))
  }

  private var last: Looking.Seen? { record.frames.withLock { $0.last } }

  /// From the first frame on, also with a frame that was captured before.
  @Test(arguments: [PixelFormat.i420, .nv12]) func theFirstFrameIsCovered(format: PixelFormat)
    throws
  {
    let line = pipeline(Self.masked())
    line.start()
    try feed(Self.size, format)
    record.frames.withLock { for seen in $0 { #expect(seen.middle == 16) } }
    #expect(last?.open == 60)
    stop(line)
  }

  /// A change is there with the next frame; it asks for no keyframe, drops no frame, and opens no encoder.
  @Test func aSwitchChangesNothingElse() throws {
    let line = pipeline(Composition())
    line.start()
    for _ in 0..<10 { try feed() }
    let before = record.frames.withLock { $0.count { $0.isKey } }
    let double = [PictureFilterStep("double", SlowPlan())]
    var expected: [[UInt8]] = []
    for round in 0..<20 {
      line.compose(round % 2 == 0 ? Self.masked(round % 4 == 0 ? double : []) : Composition())
      try feed()
      let seen = try #require(last)
      expected.append([seen.open, seen.middle])
    }
    #expect(
      expected
        == (0..<20).map { round in
          round % 2 == 1
            ? [60, Self.secret] : [round % 4 == 0 ? 120 : 60, 16]
        })
    stop(line)
    // 30 frames are less than the two seconds between keyframes.
    #expect(record.frames.withLock { $0.count { $0.isKey } } == before)
    #expect(record.frames.withLock { $0.count } == 30)
    #expect(record.opened.load(ordering: .relaxed) == 1 && frames.dropped == 0)
  }

  /// Thousands of frames over sizes of the camera and of the picture, rotations, pauses, resumes and a camera that is taken
  /// out: none shows what is behind the mask.
  @Test func eachFrameIsCovered() throws {
    let still = try Still(
      StillImage(.pause),
      like: VideoFormat(
        size: Self.size, framesPerSecond: 30, bitrateKbps: 500, speed: .superfast, colour: .bt709),
      rate: Still.Rate(), isBuiltIn: true)
    let line = pipeline(Self.masked())
    line.start()
    var random = SplitMix64(seed: 7)
    var scene: UInt32 = 1
    var (size, format, shown) = (Self.size, PixelFormat.i420, 0)
    for _ in 0..<3_000 {
      switch random.next() % 40 {
      case 0:
        size =
          [Self.size, PictureSize(width: 320, height: 180), .init(width: 90, height: 160)][
            Int(random.next() % 3)]
        line.releaseFrame(by: .now() + .seconds(10))
      case 1: format = [.i420, .nv12][Int(random.next() % 2)]
      case 2:
        var adjustment = VideoPipeline.Adjustment()
        adjustment.look.rotation = [.none, .quarter, .half, .threeQuarters][Int(random.next() % 4)]
        adjustment.look.fit = [.fit, .fill, .stretch][Int(random.next() % 3)]
        line.adjust(adjustment)
      case 3:
        line.follow(
          EncodingPlan(
            videoKbps: 500, framesPerSecond: 30,
            size: [Self.size, PictureSize(width: 80, height: 46)][Int(random.next() % 2)],
            speed: .superfast, gopNanos: .seconds(2), audioKbps: 0))
      case 4:
        scene += 1
        line.show(VideoPipeline.Scene(number: scene, still: still, since: time.now))
        time.advance(by: .milliseconds(500))
        scene += 1
        line.show(VideoPipeline.Scene(number: scene, since: time.now))
      default: break
      }
      try feed(size, format)
      shown += 1
    }
    stop(line)
    record.frames.withLock { all in
      #expect(all.count >= shown)
      #expect(!all.contains { $0.middle > 100 })
    }
  }

  /// What filters take is no part of the time of encoding, and the encoder has less time for it.
  @Test func filteringCountsAsPreparing() throws {
    let filter = SlowPlan { [time] in time.advance(by: .milliseconds(20)) }
    let line = pipeline(Self.masked([PictureFilterStep("slow", filter)]), speed: nil)
    line.start()
    for _ in 0..<30 {
      try feed()
      // Until the pipeline waits for the next frame, time must not pass.
      try #require(eventually { time.waitingThreads == 1 })
    }
    stop(line)
    #expect(line.counters.encoding.nanos == 0)
    #expect(line.counters.delay.nanos == 30 * .milliseconds(20))
  }
}

/// From the settings to the filters.
@Suite struct FilterMappingTests {
  private func filters(_ overrides: [String]) throws -> SourceFilters {
    SourceFilters(
      try Configuration.load(file: nil, overrides: overrides).settings, FilterHost { _, _ in })
  }

  @Test func masksComeFirstAndTheRestByNumberAndName() throws {
    let made = try filters([
      "filter.a.kind=sharpen", "filter.a.order=9", "filter.c.kind=skin", "filter.b.kind=colour",
      "filter.z.kind=mask", "filter.z.order=100", "filter.z.x=0.5", "filter.z.style=blocks",
      "filter.off.kind=colour", "filter.off.enabled=false",
    ])
    #expect(made.steps.map(\.name) == ["b", "c", "a"])
    #expect(
      made.mask == PrivacyMask([PrivacyMask.Region(x: 0.5, y: 0, width: 1, height: 1, .blocks)]))
    #expect(
      made.steps[1] == PictureFilterStep("c", SkinFilterPlan(white: 70, buffing: 40, ruddy: 40)))
    #expect(try filters([]) == SourceFilters())
    #expect(try filters(["filter.m.kind=mask", "filter.m.enabled=false"]).mask.isEmpty)
  }
}
