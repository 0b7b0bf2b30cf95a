// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Encode
import Media
import Settings
import TestSupport
import Testing
import Video

@testable import Director
@testable import Studio

/// `pause.picture`, on the video thread with a virtual clock, and in the studio.
@Suite struct PausePictureTests {
  /// The pool has no buffer.
  private struct Missing: Error {}

  private static let size = PictureSize(width: 160, height: 90)
  private static let interval: Int64 = 1_000_000_000 / 30

  private let time = VirtualClock()
  private let frames: FrameQueue
  private let pool = FramePool(count: FrameQueue.bufferCount, capacity: 160 * 90 * 3 / 2)
  private let sink: RecordingSink
  private let renditions = Renditions()
  private let line: VideoPipeline
  private let format = VideoFormat(
    size: size, framesPerSecond: 30, bitrateKbps: 500, speed: .superfast, colour: .bt709)

  init() {
    frames = FrameQueue(clock: time.clock)
    sink = RecordingSink(clock: time.clock)
    renditions.add(sink, isMain: true)
    line = VideoPipeline(
      plan: VideoPlan(format: format, gopNanos: .seconds(2)), frames: frames,
      renditions: renditions, clock: time.clock, notice: { _ in }, fatal: { _ in })
  }

  /// A frame whose luma is `level` comes from the camera; waits for its packet.
  private func feed(_ level: UInt8) throws {
    let count = sink.count
    guard let blank = pool.borrow() else { throw Missing() }
    unsafe blank.bytes.initializeMemory(as: UInt8.self, repeating: level)
    frames.put(
      blank.finish(
        format: FrameFormat(pixelFormat: .i420, size: Self.size, colour: .bt709),
        capturedAt: time.now))
    try #require(eventually { sink.count > count })
    // The copy is made after the packet was offered; the next wait begins after the copy.
    try #require(eventually { time.awaitedDeadline > time.now })
    time.advance(by: Self.interval)
  }

  private func stop() {
    frames.interrupt()
    #expect(line.stop(by: .now() + .seconds(60)))
  }

  private func level(_ frame: FrozenFrame?) -> UInt8? {
    frame.map { frozen in
      let whole = frozen.frame
      return unsafe whole.bytes[Self.size.width * 45 + 80]
    }
  }

  /// One keyframe of the still, and then no frame for as long as the pause lasts; one more for a sink that joins. Live
  /// video begins with a keyframe on the same timeline.
  @Test func onlyOneKeyframeIsSentBesideTheSound() throws {
    line.start()
    try feed(90)
    let still = try Still(
      try StillImage(.pause), like: format, rate: Still.Rate(), isBuiltIn: true)
    let cut = time.now
    line.show(VideoPipeline.Scene(number: 1, still: still, isSoundOnly: true, since: cut))
    try #require(eventually { sink.count == 2 })
    #expect(sink.packets[1].kind == .keyframe && sink.packets[1].time == cut)
    #expect(sink.headers.withLock { $0.last?.header.isSoundOnly } == true)
    for _ in 0..<100 {
      time.advance(by: .milliseconds(200))
      try #require(eventually { time.awaitedDeadline > time.now })
    }
    #expect(sink.count == 2)
    sink.wantKeyframe()
    frames.wake()
    try #require(eventually { sink.count == 3 })
    #expect(sink.packets[2].kind == .keyframe)
    // A still's next frame is due within the interval of its rate.
    #expect((0...Int64.milliseconds(200)).contains(sink.packets[2].time - time.now))
    time.advance(by: .milliseconds(20))
    line.show(VideoPipeline.Scene(number: 2, since: time.now))
    let back = time.now
    try feed(90)
    stop()
    #expect(sink.packets.last?.kind == .keyframe)
    let last = try #require(sink.packets.last)
    #expect(last.time > sink.packets[2].time && last.time - back < .milliseconds(40))
    #expect(sink.packets.map(\.scene) == [0, 1, 1, 2])
    #expect(sink.headers.withLock { $0.last?.header.isSoundOnly } == false)
  }

  /// The frame that a pause shows is the newest one that was offered in its scene. It is kept only if it may be shown.
  @Test func theLastFrameIsTheOneThatWasOfferedLast() throws {
    line.start()
    try feed(50)
    #expect(!line.lastFrame.has(of: 0), "it is kept without need")
    line.lastFrame.keep(true)
    for level in [60, 70, 80] as [UInt8] { try feed(level) }
    #expect(!line.lastFrame.has(of: 1) && line.lastFrame.take(of: 1) == nil)
    #expect(line.lastFrame.has(of: 0))
    #expect(level(line.lastFrame.take(of: 0)) == 80)
    #expect(!line.lastFrame.has(of: 0), "it was taken")
    try feed(100)
    line.lastFrame.keep(true)
    #expect(line.lastFrame.has(of: 0), "the setting has not changed")
    line.lastFrame.keep(false)
    #expect(!line.lastFrame.has(of: 0))
    line.lastFrame.keep(true)
    try feed(110)
    // After a while without frames black is sent, which is no frame of the room.
    let count = sink.count
    for _ in 0..<20 {
      time.advance(by: .milliseconds(100))
      try #require(eventually { time.awaitedDeadline > time.now })
    }
    #expect(sink.count > count && !line.lastFrame.has(of: 0))
    stop()
  }

  /// A frame that no sink takes is not one that viewers could see.
  @Test func aFrameThatIsNotSentIsNotKept() throws {
    line.lastFrame.keep(true)
    renditions.silence(sink)
    line.start()
    guard let blank = pool.borrow() else { throw Missing() }
    frames.put(
      blank.finish(
        format: FrameFormat(pixelFormat: .i420, size: Self.size, colour: .bt709),
        capturedAt: time.now))
    try #require(eventually { line.sourcePulse.firstBeat != nil })
    try #require(eventually { time.awaitedDeadline > time.now })
    #expect(!line.lastFrame.has(of: 0))
    stop()
  }

  /// The still of a last frame is that frame, also after another size; the frame of an earlier pause is never shown.
  @Test func theStillIsTheFrameOfThisPauseAlone() throws {
    func settings(_ size: String) throws -> Settings {
      try Configuration.load(file: nil, overrides: ["video.size=\(size)", "pause.picture=last"])
        .settings
    }
    let shelf = StillShelf(try settings("160x90")) { _, _ in }
    shelf.start()
    defer { shelf.stop() }
    func luma() -> UInt8? {
      shelf.still(.lastFrame).map { unsafe $0.picture.y[45 * $0.picture.yStride + 80] }
    }
    func frame(_ level: UInt8) -> FrozenFrame {
      let frozen = FrozenFrame(size: Self.size, colour: .bt709)
      let bytes = [UInt8](repeating: level, count: frozen.format.byteCount)
      unsafe bytes.withUnsafeBufferPointer { bytes in
        guard let start = bytes.baseAddress else { return }
        unsafe frozen.copy(
          PlanarPicture(i420: start, bytesPerRow: Self.size.width, size: Self.size))
      }
      return frozen
    }
    #expect(!shelf.hasFrozenFrame)
    // Without a frame it is the pause still.
    #expect(eventually { shelf.still(.pauseStill) != nil })
    #expect(shelf.still(.lastFrame) === shelf.still(.pauseStill))
    #expect(shelf.still(.soundOnly) === shelf.still(.pauseStill))
    for level in [60, 200, 120] as [UInt8] {
      shelf.freeze(frame(level))
      #expect(shelf.hasFrozenFrame)
      #expect(luma() ?? level == level, "the frame of the pause before")
      #expect(eventually { luma() == level })
    }
    shelf.change(try settings("320x180"), Composition())
    #expect(eventually { shelf.still(.lastFrame)?.format.size.width == 320 })
    #expect(luma() == 120)
    shelf.freeze(nil)
    #expect(!shelf.hasFrozenFrame)
    #expect(shelf.still(.lastFrame) === shelf.still(.pauseStill))
  }

  /// The studio has a last frame while live video is shown, and for the pause that shows it; not after a still, a
  /// restart or a change of scenes without a new frame.
  @Test func theStudioTellsWhetherThereIsALastFrame() throws {
    let last = Plan(video: .lastFrame, audio: .silence, lamp: .paused)
    let live = Plan(video: .camera, audio: .microphone, lamp: .live)
    let settings = try Configuration.load(
      file: nil,
      overrides: [
        "video.source=pattern", "audio.source=none", "video.size=160x90", "pause.picture=last",
      ]
    ).settings
    let studio = Studio(settings: settings, clock: time.clock) { _ in }
    let user = studio.enter([.video])
    let sink = QueueSink(capacity: 10_000)
    sink.start()
    user.add(sink)
    func pass(_ plan: Plan, until condition: () -> Bool) -> Bool {
      eventually {
        time.advance(by: .milliseconds(5))
        studio.present(plan)
        studio.supervise(time.now)
        return condition()
      }
    }
    // A broadcast that begins paused.
    studio.present(last)
    #expect(pass(last) { sink.taken.contains { $0.scene == 1 } })
    #expect(!studio.hasLastFrame)
    #expect(pass(live) { studio.hasLastFrame })
    studio.present(last)
    let number = studio.scene.video
    #expect(studio.hasLastFrame)
    #expect(pass(last) { sink.taken.contains { $0.scene == number } })
    #expect(studio.hasLastFrame)
    // To another still and back within the pause: the frame is gone.
    studio.present(Plan(video: .pauseStill, audio: .silence, lamp: .paused))
    #expect(!studio.hasLastFrame)
    studio.present(last)
    #expect(!studio.hasLastFrame)
    #expect(pass(live) { studio.hasLastFrame })
    studio.renewScenes()
    studio.present(last)
    #expect(!studio.hasLastFrame, "a frame from before the broadcast")
    #expect(pass(live) { studio.hasLastFrame })
    studio.present(last)
    #expect(studio.closeAll(by: .now() + .seconds(60)))
    #expect(!studio.hasLastFrame)
    user.leave()
    studio.supervise(time.now)
    #expect(sink.stop())
  }
}
