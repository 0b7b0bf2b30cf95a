// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Encode
import Glibc
import Media
import RateControl
import Synchronization
import TestSupport
import Testing
import Video

@testable import Preview
@testable import Publish
@testable import Studio

/// What viewers may not get any more, from the view of the test.
struct Forbidden {
  /// Frames up to this number were captured before the last pause, or in a pause.
  var frames: UInt32 = 0
  /// The encoders had been given so many frames when all that had been sent was hidden.
  var serials: UInt32 = 0

  func includes(_ content: Content) -> Bool {
    content.frame <= frames || content.serial <= serials
  }
}

/// The queue of a destination, without its connection.
private final class Line: PacketSink {
  let queue: PacketQueue
  private var known = FormatNumbers()
  /// What has been sent.
  var shown: [Content] = []
  var stills = 0

  init(clock: MediaClock) {
    queue = PacketQueue(capacity: 1 << 20, hasVideo: true, clock: clock)
    queue.begin()
  }

  var takesPackets: Bool { queue.takesPackets }
  var needsKeyframe: Bool { queue.needsKeyframe }
  func setVideo(_ header: VideoHeader) { queue.setVideo(header) }
  func setAudio(_ header: AudioHeader) { queue.setAudio(header) }
  func cut(video: UInt32, audio: UInt32) { queue.cut(video: video, audio: audio) }
  func offer(_ packet: Packet) { _ = queue.offer(packet) }

  /// Sends all that waits.
  /// - Returns: what of it was forbidden.
  func send(_ forbidden: Forbidden) -> [Content] {
    var leaks: [Content] = []
    while true {
      switch queue.next(known: known) {
      case .nothing: return leaks
      case .formats(let packet): known = packet.formats
      case .packet(let packet):
        let bytes = unsafe Array(queue.bytes(of: packet).dropFirst(PacketQueue.headroom))
        queue.finished()
        guard let content = Content(packet: bytes) else {
          stills += 1
          continue
        }
        shown.append(content)
        if forbidden.includes(content) { leaks.append(content) }
      }
    }
  }
}

extension Line: @unchecked Sendable {}

extension Content {
  /// - Parameter packet: a NAL unit after its length; `nil` results if it is not a `LateEncoder`'s.
  init?(packet: [UInt8]) {
    let content = packet.dropFirst(5)
    guard content.starts(with: Content.mark) else { return nil }
    self.init(content)
  }

  /// All that a fragment shows.
  static func all(in bytes: [UInt8]) -> [Content] {
    unsafe bytes.withUnsafeBytes { buffer in
      var found: [Content] = []
      guard let base = buffer.baseAddress else { return found }
      var at = 0
      while at + byteCount <= buffer.count {
        guard let next = unsafe memchr(base + at, Int32(mark[0]), buffer.count - byteCount - at + 1)
        else { break }
        at = unsafe UnsafeRawPointer(next) - base
        if unsafe memcmp(base + at, mark, mark.count) == 0 {
          found.append(unsafe Content(buffer[at..<at + byteCount]))
        }
        at += 1
      }
      return found
    }
  }
}

/// A frame's owner that tells when the pipeline has done with it.
private final class Barrier: FrameOwner, @unchecked Sendable {
  let passed = Atomic(0)
  override func recycle(slot: Int) { passed.wrappingAdd(1, ordering: .sequentiallyConsistent) }
}

/// The video pipeline with late encoders, two destinations' queues and the preview's sink, on virtual clocks. Each frame
/// has its number in its first pixels.
final class LateRig {
  static let size = PictureSize(width: 160, height: 90)
  static let interval = Int64(33_333_333)

  let time = VirtualClock()
  let encoders: LateEncoders
  let frames: FrameQueue
  let renditions = Renditions()
  let line: VideoPipeline
  /// Gets all packets, and the headers before them.
  let recorder: RecordingSink
  let still: Still
  /// The scenes' numbers, and since when live video is shown.
  private var number: UInt32 = 0
  private var since = MediaTime.distantPast
  private(set) var isPaused = false
  private(set) var isStillOn = false

  private let pool = FramePool(count: FrameQueue.bufferCount, capacity: 160 * 90 * 3 / 2)
  private let barrier = Barrier()
  /// Of the preview's thread: each clock tells of one thread's waits.
  private let previewTime = VirtualClock()
  private let fragments = Fragments()
  private let preview: PreviewSink
  private let main: Line
  private let relay: Line
  private var lastFrame: UInt32 = 0
  private var lastFragment = 0
  private(set) var forbidden = Forbidden()
  /// What a sink has got that was forbidden then: the main destination's, the relay's, the preview's.
  private(set) var leaks: [[Content]] = [[], [], []]
  /// How many packets of the late encoders each has got, and how many of the still's main has.
  var shown: [Int] { [main.shown.count, relay.shown.count, previewed] }
  var mainShown: [Content] { main.shown }
  var stills: Int { main.stills }
  private var previewed = 0

  init(_ encoders: LateEncoders) throws {
    self.encoders = encoders
    frames = FrameQueue(clock: time.clock)
    main = Line(clock: time.clock)
    relay = Line(clock: time.clock)
    recorder = RecordingSink(clock: time.clock)
    preview = PreviewSink(fragments: fragments, clock: previewTime.clock)
    let format = VideoFormat(
      size: Self.size, framesPerSecond: 30, bitrateKbps: 500, speed: .superfast, colour: .bt709)
    still = try Still(try StillImage(.pause), like: format, rate: Still.Rate(), isBuiltIn: true)
    line = VideoPipeline(
      plan: VideoPlan(format: format, gopNanos: .seconds(2)),
      frames: frames, renditions: renditions, encoders: encoders.factory, clock: time.clock,
      notice: { _ in }, fatal: { _ in })
    renditions.add(main, isMain: true)
    renditions.add(relay)
    renditions.add(preview)
    renditions.add(recorder)
  }

  /// All sinks leave, and come back.
  func leave() { for sink in sinks { renditions.remove(sink) } }
  func join() {
    main.queue.begin()
    relay.queue.begin()
    for sink in sinks { renditions.add(sink, isMain: sink === main) }
  }
  private var sinks: [any PacketSink] { [main, relay, preview, recorder] }

  /// Another speed takes a new encoder. The size stays, so that frames keep their numbers.
  func encode(at speed: EncoderSpeed) {
    line.follow(
      EncodingPlan(
        videoKbps: 500, framesPerSecond: 30, size: Self.size, speed: speed, audioKbps: 0))
  }

  func start() {
    #expect(preview.start())
    line.start()
  }

  func stop() {
    #expect(line.stop(by: .now() + .seconds(60)))
    advancePreview(by: .seconds(1))
    check()
    #expect(preview.stop(by: .now() + .seconds(60)))
  }

  // MARK: Scenes, as `Studio` begins them

  /// Hides live video. The still may not be ready yet: then the pipeline goes on, and no sink takes anything.
  func pause(stillIsReady: Bool) {
    number += 1
    renditions.begin(video: number, audio: 0, hidesVideo: true, hidesAudio: false)
    forbid()
    isPaused = true
    if stillIsReady { showStill() }
  }

  func showStill() {
    isStillOn = true
    line.show(VideoPipeline.Scene(number: number, still: still, since: time.now))
  }

  func resume() {
    number += 1
    since = time.now
    renditions.begin(video: number, audio: 0, hidesVideo: false, hidesAudio: false)
    forbid()
    (isPaused, isStillOn) = (false, false)
    line.show(VideoPipeline.Scene(number: number, since: since))
  }

  /// As when a broadcast begins whose preview is open.
  func renew() {
    number += 1
    renditions.begin(video: number, audio: 0, hidesVideo: true, hidesAudio: false)
    // The frame that is shown stays.
    forbidden.serials = encoders.state.withLock { $0.given }
    line.show(VideoPipeline.Scene(number: number, since: since))
  }

  private func forbid() {
    forbidden = Forbidden(frames: lastFrame, serials: encoders.state.withLock { $0.given })
  }

  // MARK: Frames

  /// The next frame comes from the camera. Returns when the pipeline has done all its work.
  func feed() {
    time.advance(by: Self.interval)
    lastFrame += 1
    put(numbered: lastFrame)
    settle()
    advancePreview(by: Self.interval)
  }

  private func put(numbered number: UInt32) {
    guard let blank = pool.borrow() else { return }
    for index in 0..<4 {
      unsafe blank.bytes[index] = UInt8(truncatingIfNeeded: number >> (24 - 8 * UInt32(index)))
    }
    frames.put(
      blank.finish(
        format: FrameFormat(pixelFormat: .i420, size: Self.size, colour: .bt709),
        capturedAt: time.now))
  }

  /// Waits until the pipeline's thread has done all its work.
  func settle() {
    let passed = barrier.passed.load(ordering: .sequentiallyConsistent)
    // An empty frame, which is shown in no scene.
    frames.put(
      unsafe Frame(
        format: FrameFormat(pixelFormat: .i420, size: Self.size, colour: .bt709),
        capturedAt: .distantPast, bytes: UnsafeRawBufferPointer(start: nil, count: 0),
        owner: barrier, slot: 0))
    #expect(
      eventually {
        barrier.passed.load(ordering: .sequentiallyConsistent) > passed
          && time.awaitedDeadline > time.now
      })
  }

  private func advancePreview(by nanos: Int64) {
    settlePreview()
    let end = previewTime.now + nanos
    while previewTime.now < end {
      let next = min(end, max(preview.dueAt, previewTime.now))
      previewTime.advance(by: next - previewTime.now)
      settlePreview()
    }
  }

  private func settlePreview() {
    #expect(
      eventually {
        let due = preview.dueAt
        let awaited = previewTime.awaitedDeadline
        return due > previewTime.now
          && (awaited == due || due == .distantFuture && awaited > previewTime.now)
      })
  }

  // MARK: What has been sent

  /// Lets the destinations send what waits, and looks at what viewers get.
  func check() {
    for (index, line) in [main, relay].enumerated() { leaks[index] += line.send(forbidden) }
    checkPreview()
  }

  /// Looks at what readers of the preview can get, also those that come now.
  func checkPreview() {
    for fragment in fragments.state.withLock({ $0.kept }) {
      let contents = Content.all(in: fragment.bytes)
      leaks[2] += contents.filter { forbidden.includes($0) && !leaks[2].contains($0) }
      guard fragment.number > lastFragment else { continue }
      lastFragment = fragment.number
      previewed += contents.count
    }
  }
}
