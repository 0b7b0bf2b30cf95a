// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Encode
internal import Media
internal import RateControl
internal import Video

/// The state of the video thread: the current frame or still, its encoder, and the frame clock. Used by one thread.
final class Showing {
  /// How long the last frame is repeated before black replaces it: an old frame must not pass for live video. A
  /// source with a low frame rate gets longer.
  private var patience: Int64 { max(.milliseconds(500), min(.seconds(2), spacing * 5 / 2)) }
  /// Nanoseconds between the last two frames.
  private var spacing: Int64 = 0
  /// How long to wait for the first frame before the broadcast begins with black.
  static let startPatience: Int64 = .seconds(1)

  private var plan: VideoPlan
  let filler = FrameFiller()
  /// Encodes live video; `nil` while a still is shown, to free its memory.
  private var encoder: (any VideoEncoder)?
  private let encoders: EncoderFactory
  /// The keyframe that the encoder was asked for last, until its packet comes.
  private var dueKeyframe: FrameTag?
  /// The format of live video.
  private(set) var liveFormat: VideoFormat
  /// The last format that live video was encoded in.
  private var encodedFormat: VideoFormat
  private var still: StillPlayer?
  /// The rate of live video. `applyRate` makes the encoder follow it.
  var rate: VideoRate
  /// What is asked of live video, before the limits of the processor.
  var asked: EncodingPlan
  /// Chooses the effort of each frame; `nil` at a fixed speed.
  var governor: SpeedGovernor?
  private var refused = RefusedChanges()
  /// Keeps the last frame, which may be repeated.
  private let composer: VideoComposer
  /// Whether that frame has not been encoded yet.
  private var isNew = false
  private var clock: FrameClock
  /// Restored when the frame of the last `stamp` cannot be decoded.
  private var clockBeforeStamp: FrameClock
  private var lastArrival: MediaTime
  /// The last keyframe of this scene and encoder; `nil` before the first.
  private var lastKeyAt: MediaTime?
  /// A format that the encoder rejected, and when it was last tried.
  var rejected: (format: VideoFormat, at: MediaTime)?

  init(
    plan: VideoPlan, now: MediaTime, encoders: EncoderFactory = .libraries
  ) throws(EncoderError) {
    self.plan = plan
    self.encoders = encoders
    let encoder = try encoders.video(plan.format)
    self.encoder = encoder
    header = encoder.header
    liveFormat = plan.format
    encodedFormat = plan.format
    rate = VideoRate(bitrateKbps: plan.format.bitrateKbps)
    asked = EncodingPlan(plan)
    governor = plan.governor
    composer = VideoComposer(plan.layout(of: plan.format.size))
    clock = FrameClock(
      framesPerSecond: plan.format.framesPerSecond, firstDeadline: now + Showing.startPatience)
    clockBeforeStamp = clock
    lastArrival = now
  }

  /// The header of the frames that `encode` emits from now on.
  private(set) var header: VideoHeader
  /// Whether a still is shown instead of live video.
  var isStill: Bool { still != nil }
  /// When to repeat the frame if no new one has come.
  var deadline: MediaTime { clock.deadline }

  /// When the last frame ends; `nil` before the first.
  var videoEnd: MediaTime? { clock.end }

  /// The timestamp for a new frame; `nil` if the frame is surplus, because the source is faster than the set rate.
  func stamp(_ frame: borrowing Frame, now: MediaTime) -> MediaTime? {
    clockBeforeStamp = clock
    return clock.stamp(capturedAt: frame.capturedAt, now: now)
  }

  /// The timestamp for a repeat of the last frame, or for black if that is too old.
  func stampRepeat(now: MediaTime) -> MediaTime {
    if !isStill, now - lastArrival > patience { forget() }
    return clock.stampRepeat(now: now)
  }

  /// The timestamp for the first frame of a still.
  func stampCut(now: MediaTime) -> MediaTime {
    clock.stampCut(framesPerSecond: header.framesPerSecond, now: now)
  }

  /// The timestamp to send the current frame once more, for a sink that has just begun; `nil` if there is no frame,
  /// or only an old one.
  func stampAgain(now: MediaTime) -> MediaTime? {
    guard isStill || composer.hasPicture && now - lastArrival <= patience else { return nil }
    // Live video keeps its rhythm of captures. A still has none: its next frame counts from now.
    return isStill ? stampCut(now: now) : clock.stampAgain()
  }

  /// Makes `frame` the current one. A frame that cannot be decoded is treated as if it had never come: the last one
  /// is repeated at its deadline, and becomes black after a while.
  func take(_ frame: consuming Frame, now: MediaTime) throws(PictureError) {
    do {
      try composer.take(frame)
    } catch {
      clock = clockBeforeStamp
      throw error
    }
    spacing = now - lastArrival
    lastArrival = now
    isNew = true
  }

  /// Whether a frame that is not shown can be decoded.
  func canRead(_ frame: borrowing Frame) -> Bool { composer.canRead(frame) }

  /// Discards the last frame. A repeat shows black.
  func forget() { composer.forget() }

  /// Encodes the current picture.
  /// - Parameters:
  ///   - key: a sink needs a keyframe.
  ///   - emit: receives what is ready, which may be earlier frames of earlier scenes.
  /// - Returns: whether the frame becomes a keyframe.
  @discardableResult
  func encode(
    _ tag: FrameTag, key: Bool, emit: (EncodedFrame) -> Void
  ) throws(EncoderError) -> Bool {
    if still == nil, encoder == nil { try open(liveFormat, emit: emit) }
    let isDue = key || isKeyframeDue(at: tag.time)
    if isDue { lastKeyAt = tag.time }
    do throws(EncoderError) {
      guard let encoder else {
        try still?.next(tag, key: isDue, emit: emit)
        return isDue
      }
      let picture = unsafe composer.compose(at: tag.time, colour: encoder.format.colour)
      if isDue { dueKeyframe = tag }
      // A stream may begin at a keyframe that a sink asked for.
      try unsafe encoder.encode(picture, tag, key: isDue, introduced: key) { frame in
        if let due = dueKeyframe, frame.tag.time >= due.time { dueKeyframe = nil }
        emit(frame)
      }
      return isDue
    } catch {
      // The encoder may refer to the frame that was not sent.
      lastKeyAt = nil
      dueKeyframe = nil
      throw error
    }
  }

  /// Whether the encoder holds a keyframe of a scene. Another one would come later.
  func awaitsKeyframe(of scene: UInt32) -> Bool { dueKeyframe?.scene == scene }

  /// Emits the frames that the encoder of live video holds, and closes it.
  func finish(emit: (EncodedFrame) -> Void) {
    // Frames that cannot be encoded any more are lost.
    try? encoder?.finish(emit: emit)
    closeEncoder()
  }

  /// Discards the frames that the encoder holds, if there are any, and closes it: sinks that come later must not begin
  /// with them. `encode` opens another one.
  func discardHeldFrames() {
    if encoder?.holdsFrames ?? false { closeEncoder() }
  }

  private func closeEncoder() {
    encoder = nil
    lastKeyAt = nil
    dueKeyframe = nil
  }

  /// Whether the frame of this time is a keyframe even if no sink needs one.
  private func isKeyframeDue(at time: MediaTime) -> Bool {
    guard let lastKeyAt else { return true }
    if still?.needsKeyframe ?? false { return true }
    // Up to half a frame early, so that it is not a whole frame late.
    return time > lastKeyAt + (still?.still.gopNanos ?? plan.gopNanos) - clock.interval / 2
  }

  /// Shows a still. Its first frame is a keyframe. On failure the old scene stays and continues with a keyframe. Frames
  /// that the encoder holds are discarded: the still comes at once.
  func show(_ still: Still) throws(EncoderError) {
    closeEncoder()
    let player = try StillPlayer(still)
    header = player.header
    self.still = player
    forget()
  }

  /// Goes back to live video when a frame of it has come. The next frame is a keyframe. A format that was set during
  /// the still and cannot be encoded is left for the one before: see `rejected`.
  func endStill(now: MediaTime) throws(EncoderError) {
    do throws(EncoderError) {
      try open(liveFormat) { _ in }
    } catch {
      guard encodedFormat != liveFormat else { throw error }
      try open(encodedFormat) { _ in }
      rejected = (liveFormat, now)
      liveFormat = encodedFormat
      composer.change(plan.layout(of: liveFormat.size))
    }
    still = nil
    followFrameRate()
    clockBeforeStamp = clock
  }

  /// Changes the format of live video. Its next frame is a keyframe. On failure nothing changes.
  /// - Parameter emit: receives the last frames of the format before.
  func replaceEncoder(
    _ format: VideoFormat, emit: (EncodedFrame) -> Void
  ) throws(EncoderError) {
    // While a still is shown, `endStill` opens the encoder.
    if !isStill { try open(format, emit: emit) }
    composer.change(plan.layout(of: format.size))
    liveFormat = format
    followFrameRate()
  }

  /// Follows an adjustment from the next frame of live video on.
  func adjust(_ adjustment: VideoPipeline.Adjustment) {
    plan.adjustment = adjustment
    governor?.limits = plan.governorLimits(asked)
    composer.change(plan.layout(of: liveFormat.size))
  }

  /// Follows what is asked of live video, as far as the processor allows. `applyRate` and the caller make the encoder
  /// follow it.
  /// - Returns: the format.
  func follow(_ asked: EncodingPlan) -> VideoFormat {
    self.asked = asked
    plan.gopNanos = asked.gopNanos
    plan.format.speed = asked.speed
    governor = asked.speed == nil ? governor ?? plan.governor : nil
    governor?.limits = plan.governorLimits(asked)
    let possible = asked.within(governor?.plan ?? .unlimited)
    (rate.bitrateKbps, rate.frameStep) = (possible.videoKbps, possible.frameStep)
    var format = liveFormat
    format.size = possible.size
    format.speed = possible.speed
    format.framesPerSecond = possible.framesPerSecond
    if format == liveFormat { followFrameRate() }
    return format
  }

  /// Chooses the effort of the next frame of live video.
  /// - Parameters:
  ///   - key: a sink needs a keyframe.
  ///   - waiting: nanoseconds for which the frame has waited.
  ///   - preparing: nanoseconds that its preparation took.
  func chooseEffort(
    time: MediaTime, key: Bool, waiting: Int64, preparing: Int64, now: MediaTime
  ) {
    guard !isStill else { return }
    guard governor != nil else {
      rate.effort = nil
      return
    }
    let frame = SpeedGovernor.FrameStart(
      interval: .nanoseconds(clock.interval), waiting: .nanoseconds(waiting),
      preparing: .nanoseconds(preparing), isKeyframe: key || isKeyframeDue(at: time),
      isCut: isNew && composer.isCut(), isRepeat: !isNew)
    isNew = false
    let rung = governor?.next(frame, at: .nanoseconds(now.nanos))
    rate.effort = rung.map { SpeedLadder.efforts[$0] }
  }

  /// Lets the source have back the memory of the last frame, which is kept as a copy.
  func releaseSource() { composer.releaseFrame() }

  /// Applies the rate to the encoder of live video, if it does not have it yet. A still is not affected.
  func applyRate() {
    guard let encoder else { return }
    followFrameRate()
    guard encoder.rate != rate else { return }
    do throws(EncoderError) {
      try encoder.change(rate)
    } catch {
      refused.note(error)
    }
  }

  /// What the encoder refused, or kept as it was; once for each of its settings.
  func takeRefusal() -> EncoderError? {
    if let refusal = encoder?.takeRefusal() { refused.note(refusal) }
    return refused.take()
  }

  /// Lets the frame clock run at the rate of live video. A still has its own.
  private func followFrameRate() {
    guard !isStill else { return }
    clock.change(framesPerSecond: liveFormat.framesPerSecond, step: rate.frameStep)
  }

  /// Opens the encoder of live video at the present rate.
  /// - Parameter emit: receives the frames that the one before holds. They need its header.
  private func open(_ format: VideoFormat, emit: (EncodedFrame) -> Void) throws(EncoderError) {
    var present = format
    present.bitrateKbps = rate.bitrateKbps
    let encoder = try encoders.video(present)
    refused = RefusedChanges()
    if encoder.rate != rate { try encoder.change(rate) }
    finish(emit: emit)
    self.encoder = encoder
    encodedFormat = format
    header = encoder.header
  }
}
