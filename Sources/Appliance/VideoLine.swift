// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Encode
internal import Media
internal import Picture
internal import Synchronization

/// How pictures are to be shown and encoded.
struct VideoPlan: Sendable {
  var format: VideoFormat
  /// Nanoseconds from one keyframe to the next.
  var gopNanos: Int64
  var rotation: Rotation
  var mirror: Bool
  var fit: Fit
}

/// What the link leaves for pictures.
struct VideoRate: Sendable, Equatable {
  var bitrateKbps: Int
  /// Every how many pictures one is sent.
  var frameStep = 1
  /// Smaller than the plan's; `nil` for that.
  var size: PictureSize?
}

/// The way of the pictures, on one thread: newest frame → picture stage → x264 → outlet.
final class VideoLine: Sendable {
  /// What the line has done since it began.
  struct Counters: ~Copyable, Sendable {
    let frames = Counter()
    /// Pictures shown again because no new one came.
    let repeats = Counter()
    /// Frames left out because the source is faster than the broadcast.
    let surplus = Counter()
    /// Frames that could not be read.
    let broken = Counter()
    let bytes = Counter()
  }

  /// What the pictures are of.
  struct Scene: Sendable {
    /// Counts the changes; each packet tells its own (`Packet.scene`).
    var number: UInt32 = 0
    /// `nil` for the source's own pictures.
    var still: Still?
    /// Nothing that the source caught before is shown.
    var since = MediaTime.distantPast
  }

  /// What destinations were last offered: the scene's number, and the time of its first picture.
  struct Offered {
    var number: UInt32
    var since: MediaTime
  }

  let counters = Counters()
  let heartbeat = Heartbeat()
  /// Whether the source gives pictures.
  let source = Pulse()

  /// Whether what is wanted can be encoded.
  let failing = Failing()
  /// Whether what comes from the source can be read as a picture: what cannot is as good as nothing.
  let unreadable = Failing()
  private let plan: VideoPlan
  private let frames: NewestFrame
  private let outlet: Outlet
  private let notice: @Sendable (String) -> Void
  private let fatal: @Sendable (String) -> Void
  private let stopping = Atomic<Bool>(false)
  /// What the link leaves, when it is news to the line.
  private let rate = Mutex<VideoRate?>(nil)
  private let scene = Mutex(Scene())
  private let offered = Mutex(Offered(number: 0, since: .distantPast))
  private let thread = Mutex<MediaThread?>(nil)
  private let end = Mutex<MediaTime?>(nil)

  /// - Parameters:
  ///   - notice: receives a sentence about something that a person should know.
  ///   - fatal: receives why there will be no pictures at all.
  init(
    plan: VideoPlan, frames: NewestFrame, outlet: Outlet,
    notice: @escaping @Sendable (String) -> Void, fatal: @escaping @Sendable (String) -> Void
  ) {
    self.plan = plan
    self.frames = frames
    self.outlet = outlet
    self.notice = notice
    self.fatal = fatal
  }

  func start() {
    heartbeat.beat(.now())
    thread.withLock {
      $0 = MediaThread(name: "video", urgency: .ordinary) { [self] in run() }
    }
  }

  /// Goes over to another scene: to a still at once, to the source at its next picture.
  ///
  /// What the line has in hand of the old scene it still offers, with that one's number.
  func show(_ scene: Scene) {
    self.scene.withLock { $0 = scene }
    frames.setActive(scene.still == nil)
    frames.wake()
  }

  /// Goes on with what the link leaves, from the next picture on. Another size takes a new encoder and begins with
  /// a keyframe, on the same timeline.
  func follow(_ rate: VideoRate) { self.rate.withLock { $0 = rate } }

  /// The scene that destinations get by now; behind the one that is wanted for a moment, or while nobody
  /// takes anything.
  var lastOffered: Offered { offered.withLock { $0 } }

  /// Until when the last picture lasts, once the line has stopped.
  var picturesEnd: MediaTime? { end.withLock { $0 } }

  func stop(by deadline: MediaTime) -> Bool {
    stopping.store(true, ordering: .relaxed)
    frames.interrupt()
    return thread.withLock { $0 }?.join(until: deadline) ?? true
  }

  private func run() {
    let showing: Showing
    do {
      showing = try Showing(plan: plan, now: .now())
    } catch {
      fatal("The picture cannot be encoded: \(error).")
      return
    }
    outlet.setVideo(showing.header)
    /// The scene that is on: for a moment, or while a still cannot be encoded, not yet the one that is wanted.
    var present = Scene()
    while !stopping.load(ordering: .relaxed) {
      let frame = frames.take(until: showing.deadline)
      let now = MediaTime.now()
      heartbeat.beat(now)
      if let rate = rate.withLock({ $0.take() }) { follow(rate, showing, now: now) }
      // After the frame was taken: it is never offered as of a newer scene than it was meant for.
      let wanted = scene.withLock { $0 }
      if let still = wanted.still, wanted.number != present.number,
        begin(still, on: showing, now: now)
      {
        present = wanted
        encode(showing, present, time: showing.stampCut(now: now))
      }
      if let frame {
        if wanted.still == nil, frame.capturedAt >= wanted.since, endStill(showing) {
          // Where the still had not come on yet, the last picture is from before it; and this may be one too many.
          if present.number != wanted.number { showing.forget() }
          present = wanted
          show(frame, on: showing, present, now: now)
        } else if !unreadable.isFailing || showing.canRead(frame) {
          // Nobody sees it, but that it came is worth knowing.
          unreadable.succeed()
          source.beat(now)
        }
      } else if now >= showing.deadline {
        if !showing.isStill { counters.repeats.add() }
        encode(showing, present, time: showing.stampRepeat(now: now))
      } else if outlet.needsKeyframe, let time = showing.stampAgain(now: now) {
        // For a destination that has begun, and not for want of a new one.
        encode(showing, present, time: time)
      }
    }
    end.withLock { $0 = showing.picturesEnd }
  }

  private func begin(_ still: Still, on showing: Showing, now: MediaTime) -> Bool {
    do {
      try showing.show(still)
      outlet.setVideo(showing.header)
      return true
    } catch {
      // It is tried again; what is on meanwhile is cut off, where it has to be.
      counters.broken.add()
      failing.fail(.now())
      return false
    }
  }

  private func endStill(_ showing: Showing) -> Bool {
    guard showing.isStill else { return true }
    do {
      try showing.endStill()
      outlet.setVideo(showing.header)
      return true
    } catch {
      counters.broken.add()
      failing.fail(.now())
      return false
    }
  }

  private func show(
    _ frame: consuming Frame, on showing: Showing, _ scene: Scene, now: MediaTime
  ) {
    guard let time = showing.stamp(frame, now: now) else {
      counters.surplus.add()
      if !unreadable.isFailing { source.beat(now) }
      return
    }
    // A source's colour is not converted but told: VUI belongs to the encoder, so it is a new one.
    if frame.format.colour != showing.moving.colour {
      var format = showing.moving
      format.colour = frame.format.colour
      replace(showing, format, now: now)
    }
    do {
      try showing.take(frame, now: now)
      unreadable.succeed()
      source.beat(now)
      encode(showing, scene, time: time)
    } catch {
      counters.broken.add()
      unreadable.fail(now)
    }
  }

  private func follow(_ rate: VideoRate, _ showing: Showing, now: MediaTime) {
    let size = rate.size ?? plan.format.size
    if size != showing.moving.size {
      var format = showing.moving
      format.size = size
      replace(showing, format, now: now)
    }
    do {
      try showing.follow(rate)
    } catch {
      notice("The bit rate stays as it is: \(error).")
    }
  }

  /// Each frame of another colour asks for it: what was refused is tried once a second, and told once.
  private func replace(_ showing: Showing, _ format: VideoFormat, now: MediaTime) {
    let refused = showing.refused
    if let refused, refused.format == format, now - refused.at < .seconds(1) { return }
    do {
      try showing.replaceEncoder(format)
      showing.refused = nil
      outlet.setVideo(showing.header)
    } catch {
      showing.refused = (format, now)
      guard refused?.format != format else { return }
      notice("The picture stays as it is: \(format.size) cannot be encoded (\(error)).")
    }
  }

  private func encode(_ showing: Showing, _ scene: Scene, time: MediaTime) {
    // A picture that nobody gets would only be in the way of the first that somebody does.
    guard outlet.takesPackets else { return failing.succeed() }
    do {
      try showing.encode(time: time, key: outlet.needsKeyframe) { packet in
        var packet = packet
        packet.scene = scene.number
        outlet.offer(packet)
        offered.withLock { offered in
          if offered.number != scene.number {
            offered = Offered(number: scene.number, since: packet.time)
          }
        }
        counters.frames.add()
        counters.bytes.add(unsafe packet.bytes.count)
      }
      // What is on may not be what is wanted.
      if scene.number == self.scene.withLock({ $0.number }) { failing.succeed() }
    } catch {
      counters.broken.add()
      failing.fail(.now())
    }
  }
}
