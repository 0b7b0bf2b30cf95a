// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Encode
internal import Media
internal import RateControl
internal import Video

/// The programme's video: live video or a still, at the times of one frame clock. Used by one thread.
final class Programme {
  /// How long to wait for the first frame before the broadcast begins with black.
  static let startPatience: Int64 = .seconds(1)

  private let picture: Picture
  private let encoder: LiveEncoder
  private let filler = FrameFiller()
  private var still: StillPlayer?
  private var clock: FrameClock
  /// Restored when the frame of the last `stamp` cannot be decoded.
  private var clockBeforeStamp: FrameClock
  /// Whether a frame may still decide the colour: see `decideColour`.
  private var colourIsOpen = true

  init(
    plan: VideoPlan, now: MediaTime, encoders: EncoderFactory = .libraries
  ) throws(EncoderError) {
    encoder = try LiveEncoder(plan, encoders: encoders)
    picture = Picture(plan, now: now)
    clock = FrameClock(
      framesPerSecond: plan.format.framesPerSecond, firstDeadline: now + Programme.startPatience)
    clockBeforeStamp = clock
  }

  /// The header of the frames that `encode` emits from now on.
  var header: VideoHeader { still?.header ?? encoder.header }
  /// Whether a still is shown instead of live video.
  var isStill: Bool { still != nil }
  /// The format of live video.
  var liveFormat: VideoFormat { encoder.format }
  /// kbit/s that are asked of live video.
  var askedKbps: Int { encoder.askedKbps }
  /// What the processor's limits reduce frame rate and size of live video to.
  var processorPlan: ProcessorPlan { encoder.processorPlan }
  /// Of the speed governor; `nil` at a fixed speed.
  var level: Double? { encoder.level }

  // MARK: Times

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
    if !isStill { picture.forgetOld(now) }
    return clock.stampRepeat(now: now)
  }

  /// The timestamp for the first frame of a still.
  func stampCut(now: MediaTime) -> MediaTime {
    clock.stampCut(framesPerSecond: header.framesPerSecond, now: now)
  }

  /// The timestamp to send the current frame once more, for a sink that has just begun; `nil` if there is no frame,
  /// or only an old one.
  func stampAgain(now: MediaTime) -> MediaTime? {
    guard isStill || picture.isCurrent(now) else { return nil }
    // Live video keeps its rhythm of captures. A still has none: its next frame counts from now.
    return isStill ? stampCut(now: now) : clock.stampAgain()
  }

  /// Lets the frame clock run at the rate of live video. A still has its own.
  private func followFrameRate() {
    guard !isStill else { return }
    clock.change(
      framesPerSecond: encoder.format.framesPerSecond, step: encoder.rate.frameStep)
  }

  // MARK: Frames

  /// Makes `frame` the current one. A frame that cannot be decoded is treated as if it had never come: the last one
  /// is repeated at its deadline, and becomes black after a while.
  func take(_ frame: consuming Frame, now: MediaTime) throws(PictureError) {
    do {
      try picture.take(frame, now: now)
    } catch {
      clock = clockBeforeStamp
      throw error
    }
  }

  /// Whether a frame that is not shown can be decoded.
  func canRead(_ frame: borrowing Frame) -> Bool { picture.canRead(frame) }

  /// Discards the last frame. A repeat shows black.
  func forget() { picture.forget() }

  /// Lets the source have back the memory of the last frame, which is kept as a copy.
  func releaseSource() { picture.releaseSource() }

  /// What `encode` encodes.
  /// - Parameter since: layers must not show what was captured before this.
  /// - Returns: planes that are valid until `take`, `forget` or a change; `nil` while a still is shown.
  @unsafe func compose(at time: MediaTime, since: MediaTime = .distantPast) -> PlanarPicture? {
    guard still == nil else { return nil }
    return unsafe picture.compose(at: time, since: since)
  }

  /// Encodes a frame.
  /// - Parameters:
  ///   - composed: what `compose` has returned for this time.
  ///   - key: a sink needs a keyframe.
  ///   - emit: receives what is ready, which may be earlier frames of earlier scenes.
  /// - Returns: whether the frame becomes a keyframe.
  @discardableResult @unsafe
  func encode(
    _ composed: PlanarPicture?, _ tag: FrameTag, key: Bool, emit: (EncodedFrame) -> Void
  ) throws(EncoderError) -> Bool {
    let isDue = key || isKeyframeDue(at: tag.time)
    if let composed = unsafe composed {
      try encoder.openIfNeeded()
      try unsafe encoder.encode(composed, tag, key: isDue, introduced: key, emit: emit)
    } else {
      try still?.next(tag, key: isDue, emit: emit)
    }
    return isDue
  }

  /// Fills a packet up to a size: see `FrameFiller.fill`.
  func fill(_ packet: Packet, to leastBytes: Int, emit: (Packet) -> Void) -> Int {
    filler.fill(packet, to: leastBytes, emit: emit)
  }

  private func isKeyframeDue(at time: MediaTime) -> Bool {
    still?.isKeyframeDue(at: time, interval: clock.interval)
      ?? encoder.isKeyframeDue(at: time, interval: clock.interval)
  }

  /// Whether the encoder holds a keyframe of a scene. Another one would come later.
  func awaitsKeyframe(of scene: UInt32) -> Bool { encoder.awaitsKeyframe(of: scene) }

  /// Emits the frames that the encoder of live video holds, and closes it.
  func finish(emit: (EncodedFrame) -> Void) { encoder.finish(emit: emit) }

  /// Discards the frames that the encoder holds, if there are any: sinks that come later must not begin with them.
  func discardHeldFrames() { encoder.discardHeldFrames() }

  // MARK: Stills

  /// Shows a still. Its first frame is a keyframe. On failure the old scene stays and continues with a keyframe. Frames
  /// that the encoder holds are discarded: the still comes at once.
  func show(_ still: Still) throws(EncoderError) {
    encoder.close()
    self.still = try StillPlayer(still)
    forget()
  }

  /// Goes back to live video when a frame of it has come. The next frame is a keyframe.
  /// - Parameter frame: the colour of that frame.
  func endStill(
    for frame: Colour, now: MediaTime
  ) throws(EncoderError) -> LiveEncoder.FormatChange {
    // No encoder is open: `reopen` opens it in this colour.
    _ = decideColour(by: frame, now: now) { _ in }
    let change = try encoder.reopen(now: now)
    picture.change(encoder.format)
    still = nil
    followFrameRate()
    clockBeforeStamp = clock
    return change
  }

  // MARK: The colour

  // Viewers' players should not have to begin anew because another camera is plugged in: the colour is fixed for a
  // broadcast by the first frame that is shown in it, and frames of another colour are converted from then on. Before that
  // frame live video is black, in BT.709 of limited range; a source with another colour then takes a new header, where
  // viewers have seen nothing yet. A still does not decide: it has an encoder and parameter sets of its own.

  /// Lets the source that is open now decide: a broadcast begins. Before it the page may have shown the picture.
  func reopenColour() { colourIsOpen = true }

  /// Takes the colour of a frame that comes, if it is not fixed yet.
  func decideColour(
    by frame: Colour, now: MediaTime, emit: (EncodedFrame) -> Void
  ) -> LiveEncoder.FormatChange {
    guard colourIsOpen, frame != encoder.format.colour else { return .none }
    var format = encoder.format
    format.colour = frame
    return replaceEncoder(format, now: now, emit: emit)
  }

  /// Fixes the colour, because a picture is about to be encoded.
  func fixColour(now: MediaTime, emit: (EncodedFrame) -> Void) -> LiveEncoder.FormatChange {
    guard colourIsOpen, !isStill, let colour = picture.frameColour else { return .none }
    defer { colourIsOpen = false }
    return decideColour(by: colour, now: now, emit: emit)
  }

  // MARK: Changes

  /// Draws other layers from the next frame of live video on.
  func compose(_ composition: Composition) { picture.change(composition) }

  /// Follows what is asked of live video, as far as the processor allows.
  /// - Parameters:
  ///   - asked: `nil` if it is as before.
  ///   - emit: receives the last frames of the format before.
  func follow(
    _ asked: EncodingPlan?, now: MediaTime, emit: (EncodedFrame) -> Void
  ) -> LiveEncoder.FormatChange {
    let format = encoder.follow(asked)
    // A new encoder begins with the new rate.
    if format != encoder.format { return replaceEncoder(format, now: now, emit: emit) }
    followFrameRate()
    return .none
  }

  /// Follows an adjustment from the next frame of live video on.
  func adjust(
    _ adjustment: VideoPipeline.Adjustment, now: MediaTime, emit: (EncodedFrame) -> Void
  ) -> LiveEncoder.FormatChange {
    encoder.adjust(adjustment)
    picture.change(adjustment.look)
    return follow(nil, now: now, emit: emit)
  }

  /// Tries a format again that the encoder rejected.
  func retryFormat(now: MediaTime, emit: (EncodedFrame) -> Void) -> LiveEncoder.FormatChange {
    guard let format = encoder.formatToRetry(now) else { return .none }
    return replaceEncoder(format, now: now, emit: emit)
  }

  /// Changes the format of live video. Its next frame is a keyframe. On failure nothing changes.
  /// - Parameter emit: receives the last frames of the format before.
  func replaceEncoder(
    _ format: VideoFormat, now: MediaTime, emit: (EncodedFrame) -> Void
  ) -> LiveEncoder.FormatChange {
    let change = encoder.replace(format, isShown: !isStill, now: now, emit: emit)
    guard change == .changed else { return change }
    picture.change(encoder.format)
    followFrameRate()
    return change
  }

  /// Gives the encoder of live video rate and effort of the next frame, in one change. A still is not affected.
  /// - Parameters:
  ///   - key: a sink needs a keyframe.
  ///   - waiting: nanoseconds for which the frame has waited.
  ///   - preparing: nanoseconds that its preparation took.
  ///   - clockShare: see `VideoPipeline.clockShare`.
  func applyRate(
    time: MediaTime, key: Bool, waiting: Int64, preparing: Int64, clockShare: Double,
    now: MediaTime
  ) {
    guard !isStill else { return }
    encoder.chooseEffort(clockShare: clockShare, now: now) {
      let (isNew, isCut) = picture.takeNews()
      return SpeedGovernor.FrameStart(
        interval: .nanoseconds(clock.interval), waiting: .nanoseconds(waiting),
        preparing: .nanoseconds(preparing), isKeyframe: key || isKeyframeDue(at: time),
        isCut: isCut, isRepeat: !isNew)
    }
    followFrameRate()
    encoder.applyRate()
  }

  /// Lets the governor learn from a frame of live video.
  /// - Returns: whether `processorPlan` has changed: `follow` makes it count.
  func learn(_ work: SpeedGovernor.FrameWork, now: MediaTime) -> Bool {
    !isStill && encoder.learn(work, now: now)
  }

  /// What the encoder refused, or kept as it was; once for each of its settings.
  func takeRefusal() -> EncoderError? { encoder.takeRefusal() }
}
