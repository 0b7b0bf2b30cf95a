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
  /// Counts frames, bytes, failures and encoding times since the start.
  let counters = Counters()
  /// Shows whether the pipeline's thread still responds: the thread beats in each round.
  let heartbeat = Heartbeat()
  /// The brightness of frames, for a lip-sync measurement.
  let brightness = BrightnessMeter()
  /// Since when the picture has stood still.
  let stillness = StillnessMeter()
  /// Beats with each frame of the source that can be decoded, and thereby shows whether the source still delivers.
  let sourcePulse = Pulse()
  /// Tracks whether encoding video fails.
  let failing = FailureTracker()
  /// Tracks whether decoding the source's frames fails. A source whose frames cannot be decoded counts as lost.
  let unreadable = FailureTracker()
  /// The newest frame of live video that was offered to sinks, if a pause shows it.
  let lastFrame = LastFrame()
  /// The plan with which the pipeline starts.
  private let firstPlan: VideoPlan
  /// The source's frames that wait for the pipeline.
  private let frames: FrameQueue
  /// Passes the encoded packets to the sinks.
  private let renditions: Renditions
  /// The rendition of the video that is encoded.
  private let rendition: Rendition
  /// Opens video encoders.
  private let encoders: EncoderFactory
  /// Receives a sentence for a person about a problem that does not end the video.
  let notice: @Sendable (String) -> Void
  /// Receives the reason when video cannot be encoded at all.
  private let fatal: @Sendable (String) -> Void
  /// The size, bit rate and speed level with which video is being encoded.
  let present: PresentFormat
  /// The encoding plan that the pipeline's thread has to apply next; `nil` if there is no new plan.
  let newPlan = Mutex<EncodingPlan?>(nil)
  /// The adjustment that the pipeline's thread has to apply next; `nil` if there is none.
  let newAdjustment = Mutex<Adjustment?>(nil)
  /// The composition that the pipeline's thread has to apply next; `nil` if there is none.
  let newComposition = Mutex<Composition?>(nil)
  /// Set to `true` to let the source's next frame decide the colour (matrix and range) of live video again. The
  /// pipeline's thread resets the flag to `false`.
  let reopensColour = Atomic(false)
  /// Set to `false` to make the pipeline's thread return the memory of the last frame to its source. The thread sets
  /// the flag back to `true` afterwards.
  let keepsFrame = Atomic(true)
  /// The processor's expected clock frequency as a share of the present one (`Studio.clockShare`).
  let clockShare = Atomic(1.0)
  /// The minimum size, in bytes, to which the next packet is padded; 0 for no padding.
  private let leastBytes = Atomic(0)
  /// The scene that was last set with `show`.
  private let scene = Mutex(Scene())
  /// The scene of the newest packet that was offered to sinks.
  private let offered = Mutex(Offered(number: 0, since: .distantPast))
  /// When the last frame ends, on the stream's timeline; `nil` before the pipeline has stopped.
  private let end = Mutex<MediaTime?>(nil)
  /// The pipeline's thread.
  private let worker: Worker
  /// The clock of capture times, of the stream's timeline and of all waits.
  var clock: MediaClock { worker.clock }

  /// - Parameters:
  ///   - rendition: the threads of others than `.video` give way to the threads of the broadcast.
  ///   - clock: the clock of the pipeline; `frames` must use the same clock.
  ///   - notice: receives a sentence for a person.
  ///   - fatal: receives the reason when video cannot be encoded at all.
  init(
    plan: VideoPlan, frames: FrameQueue, renditions: Renditions, rendition: Rendition = .video,
    encoders: EncoderFactory = .libraries, clock: MediaClock = .system,
    notice: @escaping @Sendable (String) -> Void, fatal: @escaping @Sendable (String) -> Void
  ) {
    firstPlan = plan
    self.frames = frames
    self.renditions = renditions
    self.rendition = rendition
    self.encoders = encoders
    self.notice = notice
    self.fatal = fatal
    present = PresentFormat(plan.format.size, bitrateKbps: plan.format.bitrateKbps)
    worker =
      rendition == .video
      ? Worker(name: "video", urgency: .encoding, clock: clock)
      : Worker(
        name: rendition == .secondVideo ? "second video" : "camera video", urgency: .request,
        clock: clock)
  }

  /// Starts the pipeline's thread.
  func start() {
    heartbeat.beat(worker.clock.now)
    worker.start { [self] in run() }
  }

  /// Cuts to another video scene. The cut to a still is made at once, the cut to live video with its next frame,
  /// or soon without one if the source is no part of the picture.
  ///
  /// Frames of earlier scenes that are being encoded, or that the encoder holds, are still offered to sinks, each with
  /// the number of its scene.
  func show(_ scene: Scene) {
    let continues = self.scene.withLock { present in
      defer { present = scene }
      return present.continues(in: scene)
    }
    frames.setActive(scene.still == nil)
    // The frames in the queue belong to the old scene: discard them.
    if !continues { frames.removeAll() }
    frames.wake()
  }

  /// Makes the pipeline's thread return the memory of the last frame to its source, so that the source can close its
  /// device. A copy of the frame is repeated meanwhile.
  /// - Parameter deadline: the latest time to wait for the thread, on the system clock.
  /// - Returns: `false` if the thread has not released the frame by `deadline`. The thread may then still show a frame
  ///   of the source.
  @discardableResult
  func releaseFrame(by deadline: MediaTime) -> Bool {
    keepsFrame.store(false, ordering: .releasing)
    while !keepsFrame.load(ordering: .acquiring), MediaTime.now() < deadline {
      frames.wake()
      (MediaTime.now() + .milliseconds(2)).sleepUntil()
    }
    return keepsFrame.load(ordering: .acquiring)
  }

  /// Pads the next packet to a minimum size in bytes, to probe the capacity of the link.
  func fillNext(to bytes: Int) { leastBytes.store(bytes, ordering: .relaxed) }

  /// The scene of the newest packet that was offered to sinks. After `show` this is still an earlier scene until the
  /// first packet of the new scene has been offered.
  var lastOffered: Offered { offered.withLock { $0 } }

  /// When the last frame ends, on the stream's timeline; `nil` before the pipeline has stopped.
  var videoEnd: MediaTime? { end.withLock { $0 } }

  /// Asks the pipeline's thread to end; does not wait for its end.
  func requestStop() {
    worker.requestStop()
    frames.interrupt()
  }

  /// Ends the pipeline's thread, and waits for its end.
  /// - Parameter deadline: on the system clock.
  /// - Returns: `false` if the thread was still running at `deadline`. The thread is then abandoned.
  func stop(by deadline: MediaTime) -> Bool {
    requestStop()
    return worker.join(by: deadline)
  }

  /// The body of the pipeline's thread: composes and encodes frames until the pipeline stops.
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
    /// The scene on air. Differs from `wanted` (the scene set with `show`) until the cut is made, or while the still of
    /// `wanted` cannot be encoded.
    var current = scene.withLock { $0.still == nil ? $0 : Scene() }
    /// The number of `wanted`, and since when it has been that.
    var asked = (number: current.number, since: clock.now)
    while !worker.isStopping {
      let frame = frames.take(until: programme.deadline)
      let now = clock.now
      heartbeat.beat(now)
      applyChanges(to: programme, now: now)
      // The scene is read after the frame was taken, so that a frame of an old scene never gets a newer scene's number.
      let wanted = scene.withLock { $0 }
      if wanted.number != asked.number { asked = (wanted.number, now) }
      if current.continues(in: wanted) { current = wanted }
      if let still = wanted.still,
        wanted.number != current.number || still !== current.still,
        begin(still, isSoundOnly: wanted.isSoundOnly, on: programme, now: now)
      {
        current = wanted
        encode(programme, current, time: programme.stampCut(now: now), now: now)
      }
      if let frame {
        if wanted.still == nil, frame.capturedAt >= wanted.since,
          endStill(programme, for: frame.format.colour, now: now)
        {
          // Between the two scenes there may have been a still that this thread has missed. The last frame may be older
          // than that still, so it must not be repeated.
          if current.number != wanted.number { programme.forget() }
          current = wanted
          let waiting = now - frame.queuedAt
          show(frame, on: programme, current, waiting: waiting, now: now)
        } else if !unreadable.isFailing || programme.canRead(frame) {
          // This frame is not shown, but shows that the source works.
          unreadable.succeed()
          sourcePulse.beat(now)
        }
      } else if now >= programme.deadline {
        // Guests do not wait for a camera that is not in the picture.
        if wanted.still == nil, programme.isStill, !programme.showsSource,
          now - asked.since >= Programme.firstFrameTimeoutNanos,
          endStill(programme, for: programme.liveFormat.colour, now: now)
        {
          current = wanted
        }
        let time = programme.stampRepeat(now: now)
        if !current.isSoundOnly || renditions.needsKeyframe(of: rendition, now: now) {
          encode(programme, current, time: time, isRepeat: !programme.isStill, now: now)
        }
      } else if !programme.awaitsKeyframe(of: current.number),
        renditions.needsKeyframe(of: rendition, now: now),
        let time = programme.stampAgain(now: now)
      {
        // A sink has just joined: the current frame is sent again as a keyframe, so that the sink need not wait.
        encode(programme, current, time: time, now: now)
      }
    }
    programme.finish { offer($0, of: programme) }
    end.withLock { $0 = programme.videoEnd }
  }

  /// Begins to show a still.
  /// - Returns: `false` if the still's encoder cannot be opened. The old scene then stays, and the caller tries again
  ///   with the next frame or deadline. If the still hides the old scene, sinks discard that scene's packets in any
  ///   case.
  private func begin(
    _ still: Still, isSoundOnly: Bool, on programme: Programme, now: MediaTime
  ) -> Bool {
    do {
      try programme.show(still, isSoundOnly: isSoundOnly)
      lastFrame.forget()
      announce(programme.header)
      return true
    } catch {
      counters.failures.add()
      failing.fail(now)
      return false
    }
  }

  /// Passes a new header to the sinks, except on an abandoned thread, which must not reach the sinks of the next
  /// broadcast.
  func announce(_ header: VideoHeader) {
    guard !worker.isAbandoned else { return }
    present.set(header.size)
    renditions.setVideo(header, of: rendition)
  }

  /// Goes back from a still to live video.
  /// - Parameter frame: the colour of the first frame of live video.
  /// - Returns: `false` if the encoder of live video cannot be opened.
  private func endStill(_ programme: Programme, for frame: Colour, now: MediaTime) -> Bool {
    guard programme.isStill else { return true }
    do {
      let change = try programme.endStill(for: frame, now: now)
      announce(change, of: programme)
      // The header changes even if the format has not, since the still had its own header.
      if change != .changed { announce(programme.header) }
      return true
    } catch {
      counters.failures.add()
      failing.fail(now)
      return false
    }
  }

  /// Makes a frame of the source the current frame, and encodes it.
  /// - Parameter waiting: nanoseconds for which the frame has waited in its queue.
  private func show(
    _ frame: consuming Frame, on programme: Programme, _ scene: Scene, waiting: Int64,
    now: MediaTime
  ) {
    guard let time = programme.stamp(frame, now: now) else {
      counters.surplus.add()
      if !unreadable.isFailing { sourcePulse.beat(now) }
      return
    }
    announce(
      programme.decideColour(by: frame.format.colour, now: now) { offer($0, of: programme) },
      of: programme)
    let captured = frame.capturedAt
    do {
      try programme.take(frame, now: now)
      brightness.note(captured) { programme.meanLuma(in: $0) }
      stillness.note(captured) { programme.meanLuma(in: $0) }
      unreadable.succeed()
      sourcePulse.beat(now)
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
    // While no sink takes packets, nothing is encoded: otherwise the first frames for a new sink could refer to frames
    // that this sink never got.
    guard renditions.takesPackets(of: rendition) else {
      programme.discardHeldFrames()
      return failing.succeed()
    }
    announce(programme.fixColour(now: now) { offer($0, of: programme) }, of: programme)
    let key =
      !programme.awaitsKeyframe(of: scene.number)
      && renditions.takeKeyframeRequest(of: rendition, now: now)
    // Composing takes time that the encoder no longer has, so the effort is chosen afterwards.
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
      var isOffered = false
      let isKeyframe = try unsafe programme.encode(composed, tag, key: key) {
        offer($0, of: programme)
        isOffered = isOffered || $0.tag == tag
      }
      if isOffered, let composed = unsafe composed {
        unsafe lastFrame.note(
          programme.hasFrame ? composed : nil, programme.liveFormat.colour, of: tag.scene)
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
      // A frame of an old scene does not count as success: the still of the new scene cannot be encoded.
      if scene.number == self.scene.withLock({ $0.number }) { failing.succeed() }
    } catch {
      counters.failures.add()
      failing.fail(now)
    }
  }

  /// Offers the packet of an encoded frame, which belongs to the present scene or to an earlier one, to the sinks.
  func offer(_ frame: EncodedFrame, of programme: Programme) {
    guard !worker.isAbandoned else { return }
    let (packet, tag) = (frame.packet, frame.tag)
    let leastBytes = leastBytes.exchange(0, ordering: .relaxed)
    counters.filler.add(
      programme.fill(packet, to: leastBytes) { renditions.offer($0, of: rendition) })
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
