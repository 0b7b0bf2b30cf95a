// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Encode
internal import Media
internal import RateControl
internal import Synchronization
internal import Video

/// The video pipeline, on one thread: frame queue → convert, place, draw layers → encoder → renditions.
final class VideoPipeline: Sendable {
  let counters = Counters()
  let heartbeat = Heartbeat()
  /// Beats with each readable frame of the source.
  let source = Pulse()
  /// Whether the video encoder fails.
  let failing = Failing()
  /// Whether the source's frames cannot be decoded. Such a source counts as lost.
  let unreadable = Failing()
  private let firstPlan: VideoPlan
  private let frames: FrameQueue
  private let renditions: Renditions
  private let encoders: EncoderFactory
  let notice: @Sendable (String) -> Void
  private let fatal: @Sendable (String) -> Void
  /// The format that is encoded at present.
  let present: PresentFormat
  /// The encoding plan that the thread has still to apply; `nil` for none.
  let newPlan = Mutex<EncodingPlan?>(nil)
  let newAdjustment = Mutex<Adjustment?>(nil)
  let newComposition = Mutex<Composition?>(nil)
  /// Set to make the thread let the source decide the colour again. The thread then resets it.
  let reopensColour = Atomic(false)
  /// Set to `false` to make the thread return the memory of the last frame to its source. The thread then sets it to
  /// `true` again.
  let keepsFrame = Atomic(true)
  /// The present value of `Studio.clockShare`.
  let clockShare = Atomic(1.0)
  /// The size in bytes to which the next packet is filled up; 0 to leave it as it is.
  private let leastBytes = Atomic(0)
  private let scene = Mutex(Scene())
  private let offered = Mutex(Offered(number: 0, since: .distantPast))
  private let end = Mutex<MediaTime?>(nil)
  private let worker: Worker
  var clock: MediaClock { worker.clock }

  /// - Parameters:
  ///   - clock: the clock that `frames` uses, too.
  ///   - notice: receives a sentence for a person.
  ///   - fatal: receives the reason when video cannot be encoded at all.
  init(
    plan: VideoPlan, frames: FrameQueue, renditions: Renditions,
    encoders: EncoderFactory = .libraries, clock: MediaClock = .system,
    notice: @escaping @Sendable (String) -> Void, fatal: @escaping @Sendable (String) -> Void
  ) {
    firstPlan = plan
    self.frames = frames
    self.renditions = renditions
    self.encoders = encoders
    self.notice = notice
    self.fatal = fatal
    present = PresentFormat(plan.format.size, bitrateKbps: plan.format.bitrateKbps)
    worker = Worker(name: "video", urgency: .encoding, clock: clock)
  }

  func start() {
    heartbeat.beat(worker.clock.now)
    worker.start { [self] in run() }
  }

  /// Cuts to another video scene: to a still at once, to live video with its next frame.
  ///
  /// Frames that are being encoded at this moment, or that the encoder holds, are still offered, each with the number
  /// of its own scene.
  func show(_ scene: Scene) {
    let goesOn = self.scene.withLock { present in
      defer { present = scene }
      return present.goesOn(in: scene)
    }
    frames.setActive(scene.still == nil)
    // Frames of the old scene.
    if !goesOn { frames.removeAll() }
    frames.wake()
  }

  /// Returns the memory of the last frame to its source, so that the source can close its device. A copy of the frame
  /// is repeated meanwhile.
  /// - Parameter deadline: the latest time to wait for that, on the system clock.
  /// - Returns: `false` if the thread has not done it by then. It may still show a frame that it took before.
  @discardableResult
  func releaseFrame(by deadline: MediaTime) -> Bool {
    keepsFrame.store(false, ordering: .releasing)
    while !keepsFrame.load(ordering: .acquiring), MediaTime.now() < deadline {
      frames.wake()
      (MediaTime.now() + .milliseconds(2)).sleepUntil()
    }
    return keepsFrame.load(ordering: .acquiring)
  }

  /// Fills the next packet up to a size in bytes, to probe the capacity of the link.
  func fillNext(to bytes: Int) { leastBytes.store(bytes, ordering: .relaxed) }

  /// The scene of the newest packet. It is older than the scene set with `show` until the cut is made, and as long as
  /// no sink takes packets.
  var lastOffered: Offered { offered.withLock { $0 } }

  /// When the last frame ends, on the stream's timeline; `nil` before the pipeline has stopped.
  var videoEnd: MediaTime? { end.withLock { $0 } }

  /// Asks the thread to end; does not wait for it.
  func requestStop() {
    worker.requestStop()
    frames.interrupt()
  }

  /// Ends the thread, and waits for that.
  /// - Parameter deadline: on the system clock.
  /// - Returns: `false` if the thread was still running at `deadline`. It is then abandoned.
  func stop(by deadline: MediaTime) -> Bool {
    requestStop()
    return worker.join(by: deadline)
  }

  private func run() {
    let clock = worker.clock
    let programme: Programme
    do {
      programme = try Programme(plan: firstPlan, now: clock.now, encoders: encoders)
    } catch {
      fatal("The video encoder cannot be opened: \(error).")
      return
    }
    announce(programme.header)
    /// The scene on air. It differs from `wanted` until the cut is made, or while the still cannot be encoded.
    var current = scene.withLock { $0.still == nil ? $0 : Scene() }
    while !worker.isStopping {
      let frame = frames.take(until: programme.deadline)
      let now = clock.now
      heartbeat.beat(now)
      applyChanges(to: programme, now: now)
      // Read after the frame was taken, so that a frame of an old scene never gets a newer scene's number.
      let wanted = scene.withLock { $0 }
      if current.goesOn(in: wanted) { current = wanted }
      if let still = wanted.still,
        wanted.number != current.number || still !== current.still,
        begin(still, on: programme, now: now)
      {
        current = wanted
        encode(programme, current, time: programme.stampCut(now: now), now: now)
      }
      if let frame {
        if wanted.still == nil, frame.capturedAt >= wanted.since,
          endStill(programme, for: frame.format.colour, now: now)
        {
          // A still that was due in between may never have come on: then the last frame is older than that cut, and
          // must not be repeated.
          if current.number != wanted.number { programme.forget() }
          current = wanted
          let waiting = now - frame.queuedAt
          show(frame, on: programme, current, waiting: waiting, now: now)
        } else if !unreadable.isFailing || programme.canRead(frame) {
          // The frame is not shown, but it proves that the source works.
          unreadable.succeed()
          source.beat(now)
        }
      } else if now >= programme.deadline {
        encode(
          programme, current, time: programme.stampRepeat(now: now), isRepeat: !programme.isStill,
          now: now)
      } else if !programme.awaitsKeyframe(of: current.number), renditions.needsKeyframe(now: now),
        let time = programme.stampAgain(now: now)
      {
        // A sink has just begun: it gets the current frame now instead of the next one.
        encode(programme, current, time: time, now: now)
      }
    }
    programme.finish { offer($0, of: programme) }
    end.withLock { $0 = programme.videoEnd }
  }

  /// Begins to show a still.
  /// - Returns: `false` if its encoder cannot be opened. The old scene then stays, and the caller tries again with the
  ///   next frame or deadline; where privacy requires it, sinks have already discarded the old scene.
  private func begin(_ still: Still, on programme: Programme, now: MediaTime) -> Bool {
    do {
      try programme.show(still)
      announce(programme.header)
      return true
    } catch {
      counters.failures.add()
      failing.fail(now)
      return false
    }
  }

  /// Tells the sinks of a new header, except on a thread that was abandoned: that one must not reach the sinks of the
  /// next broadcast.
  func announce(_ header: VideoHeader) {
    guard !worker.isAbandoned else { return }
    present.set(header.size)
    renditions.setVideo(header)
  }

  private func endStill(_ programme: Programme, for frame: Colour, now: MediaTime) -> Bool {
    guard programme.isStill else { return true }
    do {
      let change = try programme.endStill(for: frame, now: now)
      announce(change, of: programme)
      // The frames that follow have another header in any case.
      if change != .changed { announce(programme.header) }
      return true
    } catch {
      counters.failures.add()
      failing.fail(now)
      return false
    }
  }

  private func show(
    _ frame: consuming Frame, on programme: Programme, _ scene: Scene, waiting: Int64,
    now: MediaTime
  ) {
    guard let time = programme.stamp(frame, now: now) else {
      counters.surplus.add()
      if !unreadable.isFailing { source.beat(now) }
      return
    }
    announce(
      programme.decideColour(by: frame.format.colour, now: now) { offer($0, of: programme) },
      of: programme)
    do {
      try programme.take(frame, now: now)
      unreadable.succeed()
      source.beat(now)
      encode(programme, scene, time: time, waiting: waiting, now: now)
    } catch {
      counters.unreadable.add()
      unreadable.fail(now)
    }
  }

  /// Encodes the current frame of a scene, if any sink takes packets.
  /// - Parameters:
  ///   - waiting: nanoseconds for which the frame has waited in its queue.
  ///   - now: when the work on the frame began.
  private func encode(
    _ programme: Programme, _ scene: Scene, time: MediaTime, isRepeat: Bool = false,
    waiting: Int64 = 0, now: MediaTime
  ) {
    // Without a sink nothing is encoded: references to frames that no sink got would break the stream's start.
    guard renditions.takesPackets() else {
      programme.discardHeldFrames()
      return failing.succeed()
    }
    announce(programme.fixColour(now: now) { offer($0, of: programme) }, of: programme)
    let key =
      !programme.awaitsKeyframe(of: scene.number) && renditions.takeKeyframeRequest(now: now)
    // Before the effort is chosen: composing takes from the time that the encoder has.
    let composed = unsafe programme.compose(at: time, since: scene.since)
    programme.applyRate(
      time: time, key: key, waiting: waiting, preparing: clock.now - now,
      clockShare: clockShare.load(ordering: .relaxed), now: now)
    present.set(level: programme.level)
    let tag = FrameTag(
      scene: scene.number, time: time, arrivedAt: isRepeat ? nil : now - waiting)
    let begunAt = clock.now
    let processorNanos = Processors.usedNanos
    do {
      let isKeyframe = try unsafe programme.encode(composed, tag, key: key) {
        offer($0, of: programme)
      }
      let encodingNanos = clock.now - begunAt
      counters.encoding.add(encodingNanos)
      learn(
        SpeedGovernor.FrameWork(
          encoding: .nanoseconds(encodingNanos),
          processorTime: .nanoseconds(Processors.usedNanos - processorNanos),
          isKeyframe: isKeyframe),
        programme, now: now)
      if let refusal = programme.takeRefusal() {
        notice("The video encoder did not accept a setting: \(refusal).")
      }
      // While a still cannot be shown, frames of the old scene do not count as success.
      if scene.number == self.scene.withLock({ $0.number }) { failing.succeed() }
    } catch {
      counters.failures.add()
      failing.fail(now)
    }
  }

  /// Offers the packet of an encoded frame to the sinks. It belongs to the present scene or to an earlier one.
  func offer(_ frame: EncodedFrame, of programme: Programme) {
    guard !worker.isAbandoned else { return }
    let (packet, tag) = (frame.packet, frame.tag)
    let leastBytes = leastBytes.exchange(0, ordering: .relaxed)
    counters.filler.add(programme.fill(packet, to: leastBytes) { renditions.offer($0) })
    offered.withLock { offered in
      if tag.scene > offered.number {
        offered = Offered(number: tag.scene, since: packet.time)
      }
    }
    counters.frames.add()
    counters.bytes.add(unsafe packet.bytes.count)
    counters.largest.note(unsafe packet.bytes.count)
    if let arrivedAt = tag.arrivedAt {
      counters.delay.add(clock.now - arrivedAt)
    } else {
      counters.repeats.add()
    }
  }
}
