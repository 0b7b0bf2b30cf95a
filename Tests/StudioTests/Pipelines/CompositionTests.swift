// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Encode
import Media
import RateControl
import Synchronization
import TestSupport
import Testing
import Video

@testable import Studio

/// What the encoders were given.
private final class Seen: Sendable {
  struct Frame: Equatable {
    /// Luma in the upper left and in the lower right corner.
    var luma: [UInt8]
    var scene: UInt32
    var effort: EncoderEffort?
  }

  let frames = Mutex<[Frame]>([])
  /// Of the encoders of live video, in the order in which they were opened.
  let formats = Mutex<[VideoFormat]>([])

  var factory: EncoderFactory {
    EncoderFactory(
      video: { [self] (format) throws(EncoderError) in
        guard format.stillQuantizer == nil else {
          return try EncoderFactory.libraries.video(format)
        }
        formats.withLock { $0.append(format) }
        return SeeingEncoder(format, self)
      }, audio: EncoderFactory.libraries.audio)
  }

  var colours: [Colour] { formats.withLock { $0.map(\.colour) } }
  var count: Int { frames.withLock { $0.count } }
  var last: Frame? { frames.withLock { $0.last } }
}

/// An encoder that looks at what it is given.
private final class SeeingEncoder: VideoEncoder {
  let format: VideoFormat
  let header: VideoHeader
  private(set) var rate: VideoRate
  let holdsFrames = false
  private let seen: Seen

  init(_ format: VideoFormat, _ seen: Seen) {
    (self.format, self.seen) = (format, seen)
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
    let last = unsafe (picture.size.height - 1) * picture.yStride + picture.size.width - 1
    let luma = unsafe [picture.y[0], picture.y[last]]
    seen.frames.withLock {
      $0.append(Seen.Frame(luma: luma, scene: tag.scene, effort: rate.effort))
    }
    unsafe [UInt8](repeating: 0, count: 8).withUnsafeBytes {
      unsafe emit(EncodedFrame(key ? .keyframe : .frame, tag, bytes: $0))
    }
  }
}

/// A layer that is there at once, and may take time.
private final class PromptLayer: LayerSource {
  private let painted: BlendPlanes
  private let takes: @Sendable () -> Void

  /// - Parameter grey: in full range.
  init(_ grey: UInt8, _ size: PictureSize, takes: @escaping @Sendable () -> Void = {}) {
    self.takes = takes
    let pixels = Array(repeating: [grey, grey, grey, 255], count: size.width * size.height)
    painted = unsafe pixels.flatMap { $0 }.withUnsafeBytes { bytes in
      unsafe BlendPlanes(bgra: bytes, size: size, colour: .bt709)
    }
  }

  @unsafe func picture(
    _ target: LayerTarget, at time: MediaTime, since: MediaTime
  ) -> LayerPicture? {
    takes()
    return unsafe painted.picture
  }

  func still(_ target: LayerTarget) -> BlendPlanes? { painted }
}

/// The programme's picture in the pipeline: its layers, its colour, and what composing costs. On a virtual clock.
@Suite struct CompositionTests {
  private static let size = PictureSize(width: 160, height: 90)
  private static let interval: Int64 = 1_000_000_000 / 30

  private let time = VirtualClock()
  private let frames: FrameQueue
  private let pool = FramePool(count: FrameQueue.bufferCount, capacity: 160 * 90 * 3 / 2)
  private let seen = Seen()
  private let sink: RecordingSink
  private let renditions = Renditions()
  private let format = VideoFormat(
    size: size, framesPerSecond: 30, bitrateKbps: 500, speed: .superfast, colour: .bt709)

  init() {
    frames = FrameQueue(clock: time.clock)
    sink = RecordingSink(clock: time.clock)
    renditions.add(sink, isMain: true)
  }

  private func pipeline(
    _ composition: Composition = Composition(), speed: EncoderSpeed? = .superfast
  ) -> VideoPipeline {
    var format = format
    format.speed = speed
    var plan = VideoPlan(format: format, gopNanos: .seconds(2), composition: composition)
    plan.costs = SpeedCosts(nanosPerPixel: 8e6 / Double(Self.size.width * Self.size.height))
    return VideoPipeline(
      plan: plan, frames: frames, renditions: renditions, encoders: seen.factory,
      clock: time.clock, notice: { _ in }, fatal: { _ in })
  }

  /// The next frame comes, and is encoded.
  private func feed(_ luma: UInt8 = 100, _ colour: Colour = .bt709) throws {
    time.advance(by: Self.interval)
    let count = sink.count
    guard let blank = pool.borrow() else { return }
    unsafe blank.bytes.initializeMemory(as: UInt8.self, repeating: luma)
    let format = FrameFormat(pixelFormat: .i420, size: Self.size, colour: colour)
    frames.put(blank.finish(format: format, capturedAt: time.now))
    try #require(eventually { sink.count > count })
  }

  /// A frame's owner that tells when the pipeline has done with it.
  private final class Barrier: FrameOwner, @unchecked Sendable {
    let isPassed = Atomic(false)
    override func recycle(slot: Int) { isPassed.store(true, ordering: .sequentiallyConsistent) }
  }

  /// Waits until the pipeline's thread has done all its work.
  private func settle() throws {
    let barrier = Barrier()
    // An empty frame, which is not shown.
    frames.put(
      unsafe Frame(
        format: FrameFormat(pixelFormat: .i420, size: Self.size, colour: .bt709),
        capturedAt: .distantPast, bytes: UnsafeRawBufferPointer(start: nil, count: 0),
        owner: barrier, slot: 0))
    try #require(eventually { barrier.isPassed.load(ordering: .sequentiallyConsistent) })
  }

  private func stop(_ line: VideoPipeline) {
    frames.interrupt()
    #expect(line.stop(by: .now() + .seconds(60)))
  }

  private static func corner(
    _ source: any LayerSource, onStills: Bool = false
  ) -> Composition {
    var layer = Layer("corner")
    layer.area = LayerArea(x: 0.75, y: 0.75, width: 0.25, height: 0.25)
    layer.onStills = onStills
    var composition = Composition()
    composition.add(layer, source)
    return composition
  }

  private static func white() -> PromptLayer {
    PromptLayer(255, PictureSize(width: 40, height: 22))
  }

  // MARK: Layers

  @Test func layersChangeAtAFrame() throws {
    let line = pipeline()
    line.start()
    try feed()
    #expect(seen.last?.luma == [100, 100])
    line.compose(Self.corner(Self.white()))
    try feed()
    #expect(seen.last?.luma == [100, 235])
    line.compose(Composition())
    try feed()
    #expect(seen.last?.luma == [100, 100])
    stop(line)
    #expect(seen.formats.withLock { $0.count } == 1)
  }

  /// What composing takes is no part of the time of encoding, and the encoder has less time for it.
  @Test func composingCountsAsPreparing() throws {
    func run(composing: Int64) throws -> (encoding: Int64, delay: Int64, level: Double) {
      let layer = PromptLayer(255, PictureSize(width: 40, height: 22)) { [time] in
        time.advance(by: composing)
      }
      let line = pipeline(Self.corner(layer), speed: nil)
      line.start()
      for _ in 0..<30 {
        try feed()
        try settle()
      }
      let level = line.present.level ?? -1
      let counters = (line.counters.encoding.nanos, line.counters.delay.nanos)
      frames.removeAll()
      line.requestStop()
      frames.wake()
      #expect(line.stop(by: .now() + .seconds(60)))
      return (counters.0, counters.1, level)
    }
    // The queue cannot be used after an interruption.
    let quick = try run(composing: 0)
    #expect(quick.encoding == 0 && quick.delay == 0)
    let before = seen.count
    let slow = try run(composing: .milliseconds(25))
    #expect(slow.encoding == 0)
    #expect(slow.delay == 30 * .milliseconds(25))
    #expect(slow.level < quick.level, "\(slow.level), \(quick.level)")
    let efforts = seen.frames.withLock { $0.map { $0.effort } }
    let rungs = efforts.map { effort in SpeedLadder.efforts.firstIndex { $0 == effort } ?? -1 }
    #expect(try #require(rungs[before...].max()) < (try #require(rungs[..<before].last)))
  }

  /// A pause hides the layers with the camera; the still has those that ask for it.
  @Test(arguments: [false, true]) func aStillHasTheLayersThatAskForIt(onStills: Bool) throws {
    let composition = Self.corner(Self.white(), onStills: onStills)
    let line = pipeline(composition)
    line.start()
    try feed()
    #expect(seen.last?.luma == [100, 235])
    func still(_ layers: Composition) throws -> Still {
      try Still(
        try StillImage(.pause), like: format, rate: Still.Rate(), isBuiltIn: true, layers: layers)
    }
    let (bare, drawn) = (try still(Composition()), try still(composition.onStills))
    func luma(_ still: Still) -> UInt8 {
      unsafe still.picture.y[89 * still.picture.yStride + 159]
    }
    #expect(luma(bare) != luma(drawn) || !onStills)
    #expect(luma(drawn) == (onStills ? 235 : luma(bare)))
    let live = seen.count
    line.show(VideoPipeline.Scene(number: 1, still: drawn, since: time.now))
    try #require(eventually { sink.packets.last?.scene == 1 })
    // Frames and layers that come meanwhile are not shown.
    line.compose(Self.corner(PromptLayer(50, PictureSize(width: 40, height: 22))))
    for _ in 0..<10 {
      time.advance(by: .milliseconds(200))
      let count = sink.count
      try #require(eventually { sink.count > count })
    }
    #expect(seen.count == live)
    line.show(VideoPipeline.Scene(number: 2, since: time.now))
    try feed()
    #expect(seen.last?.scene == 2 && seen.last?.luma.first == 100)
    #expect(seen.last.map { $0.luma[1] < 100 } == true)
    stop(line)
  }

  /// A guest's frame from a pause is not shown after it.
  @Test func aPauseHidesTheFramesOfAllSources() throws {
    let guest = FrameQueue(clock: time.clock)
    let line = pipeline(Self.corner(FrameLayerSource(frames: guest, filters: SourceFilters())))
    func frame(_ luma: UInt8) throws -> Frame {
      guard let blank = pool.borrow() else { throw PictureError.malformed }
      unsafe blank.bytes.initializeMemory(as: UInt8.self, repeating: luma)
      return blank.finish(
        format: FrameFormat(pixelFormat: .i420, size: Self.size, colour: .bt709),
        capturedAt: time.now)
    }
    line.start()
    guest.put(try frame(200))
    try feed()
    #expect(seen.last?.luma == [100, 200])
    let still = try Still(
      try StillImage(.pause), like: format, rate: Still.Rate(), isBuiltIn: true)
    line.show(VideoPipeline.Scene(number: 1, still: still, since: time.now))
    try #require(eventually { sink.packets.last?.scene == 1 })
    time.advance(by: .milliseconds(20))
    guest.put(try frame(180))
    time.advance(by: .milliseconds(20))
    line.show(VideoPipeline.Scene(number: 2, since: time.now))
    try feed()
    #expect(seen.last?.luma == [100, 100])
    guest.put(try frame(160))
    try feed()
    #expect(seen.last?.luma == [100, 160])
    stop(line)
  }

  // MARK: The colour

  /// The first frame decides; sources of another colour are converted, without another encoder.
  @Test func theFirstSourceDecidesTheColour() throws {
    let line = pipeline()
    line.start()
    try feed(100, .webcam)
    #expect(seen.colours == [.bt709, .webcam] && seen.last?.luma == [100, 100])
    try feed(100, .jpeg)
    // Grey of full range in limited range: 16 + 100 * 219 / 255, with chroma of 100.
    #expect(seen.last.map { abs(Int($0.luma[0]) - 102) <= 1 } == true)
    try feed(100, .bt709)
    try feed(100, .webcam)
    #expect(seen.last?.luma == [100, 100])
    stop(line)
    #expect(seen.colours == [.bt709, .webcam])
    // That of the start, and that of the first frame.
    #expect(sink.headers.withLock { $0.count } <= 2)
    #expect(sink.packets.map(\.kind) == [.keyframe, .frame, .frame, .frame])
  }

  /// Black decides nothing: a source that needs more than a moment keeps its colour, too. At the start of another broadcast
  /// the source that is open then decides.
  @Test func blackDoesNotDecideTheColour() throws {
    let line = pipeline()
    line.start()
    try #require(eventually { time.awaitedDeadline > time.now })
    time.advance(by: Programme.firstFrameTimeoutNanos)
    try #require(eventually { sink.count == 1 })
    try feed(100, .webcam)
    try feed(100, .bt709)
    #expect(seen.colours == [.bt709, .webcam])
    line.reopenColour()
    sink.wantKeyframe()
    frames.wake()
    try #require(eventually { seen.colours == [.bt709, .webcam, .bt709] })
    try feed(100, .bt709)
    #expect(seen.last?.luma == [100, 100])
    try feed(100, .jpeg)
    stop(line)
    #expect(seen.colours == [.bt709, .webcam, .bt709])
  }

  /// A still has a colour of its own, and leaves the decision to the first frame after it.
  @Test func aStillDoesNotDecideTheColour() throws {
    let line = pipeline()
    let still = try Still(
      try StillImage(.noCamera), like: format, rate: Still.Rate(), isBuiltIn: true)
    line.show(VideoPipeline.Scene(number: 1, still: still, since: time.now))
    line.start()
    try #require(eventually { sink.count > 0 })
    #expect(still.format.colour == .webcam)
    line.show(VideoPipeline.Scene(number: 2, since: time.now))
    try feed(100, .jpeg)
    #expect(seen.colours.last == .jpeg && seen.last?.luma == [100, 100])
    let count = seen.colours.count
    try feed(100, .webcam)
    stop(line)
    #expect(seen.colours.count == count)
  }
}
